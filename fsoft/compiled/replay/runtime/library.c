/* Functions of the C library that access the user's memory, unit by unit as fsoft's models do. This file alone is compiled with
   -fsanitize=thread; its accesses count for the line of the user's call. */
#include "library.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* One unit of a copy, as wide as the schedule has it. */
static size_t copy_unit(char *to, const char *from, size_t left) {
    size_t unit = next_unit(from, left);
    switch (unit) {
    case 8: *(uint64_t *)to = *(const uint64_t *)from; break;
    case 4: *(uint32_t *)to = *(const uint32_t *)from; break;
    case 2: *(uint16_t *)to = *(const uint16_t *)from; break;
    default: *to = *from; return 1;
    }
    return unit;
}

static void copy_up(char *to, const char *from, size_t size) {
    for (size_t done = 0; done < size;) done += copy_unit(to + done, from + done, size - done);
}

static void copy_down(char *to, const char *from, size_t size) {
    for (size_t i = size; i > 0; i--) to[i - 1] = from[i - 1];
}

static void fill(char *to, int byte, size_t size) {
    uint64_t value = (uint8_t)byte * 0x0101010101010101ull;
    for (size_t done = 0, unit; done < size; done += unit) {
        unit = next_unit(to + done, size - done);
        switch (unit) {
        case 8: *(uint64_t *)(to + done) = value; break;
        case 4: *(uint32_t *)(to + done) = (uint32_t)value; break;
        case 2: *(uint16_t *)(to + done) = (uint16_t)value; break;
        default: to[done] = (char)byte, unit = 1;
        }
    }
}

/* Both blocks are read to their ends where the run is about invalid accesses. */
static int compare(const uint8_t *a, const uint8_t *b, size_t size) {
    int order = 0;
    for (size_t i = 0; i < size && (!order || predicted("valid-deref") || predicted("no-data-race")); i++) {
        uint8_t x = a[i], y = b[i];
        if (!order && x != y) order = x < y ? -1 : 1;
    }
    return order;
}

QUIET static void copy_apart(void *to, const void *from, size_t size) {
    if (!size) must_be_there(to), must_be_there(from);
    if (to != from) must_be_apart(to, size, from, size);
    copy_up(to, from, size);
}

QUIET void *replay_memcpy(void *to, const void *from, size_t size) {
    AT(copy_apart(to, from, size));
    return to;
}

QUIET void *replay_mempcpy(void *to, const void *from, size_t size) {
    AT(copy_apart(to, from, size));
    return (char *)to + size;
}

QUIET void *replay_memmove(void *to, const void *from, size_t size) {
    if (!size) AT((must_be_there(to), must_be_there(from)));
    AT((uintptr_t)to <= (uintptr_t)from ? copy_up(to, from, size) : copy_down(to, from, size));
    return to;
}

QUIET void *replay_memset(void *to, int byte, size_t size) {
    if (!size) AT(must_be_there(to));
    AT(fill(to, byte, size));
    return to;
}

QUIET int replay_memcmp(const void *a, const void *b, size_t size) {
    int result;
    AT(result = compare(a, b, size));
    return sized(result, HERE);
}

/* ---------------------------------------------------------------- output: texts are read as the models read them, then printed */

static size_t read_text(const char *s, size_t limit) {
    size_t i = 0;
    while (i < limit && s[i]) i++;
    return i;
}

static char read_bytes(const char *data, size_t size) {
    char last = 0;
    for (size_t i = 0; i < size; i++) last = *(const volatile char *)(data + i);
    return last;
}

/* A precision: none is as good as a very large one. */
QUIET static size_t precision(const char **format, va_list *rest) {
    if (**format != '.') return (size_t)-1;
    if (*++*format != '*') return strtoul(*format, (char **)format, 10);
    ++*format;
    return (size_t)va_arg(*rest, int);
}

/* Reads what the directives of a format read. Numbered arguments are left alone. */
QUIET static void read_arguments(const char *format, va_list *rest) {
    while ((format = strchr(format, '%'))) {
        size_t limit;
        int wide;
        format += 1 + strspn(format + 1, "-+ #0'");
        if (*format == '*') {
            va_arg(*rest, int);
            format++;
        } else
            format += strspn(format, "0123456789");
        if (*format == '$') return;
        limit = precision(&format, rest);
        wide = *format == 'L' ? 3 : *format == 'l' && format[1] != 'l' ? 1 + (sizeof(long) == 8) : strchr("lqjzt", *format) ? 2 : 0;
        if (wide == 2 && strchr("zt", *format) && sizeof(long) == 4) wide = 0;
        format += strspn(format, "hlqLjzt");
        if (!*format) return;
        if (*format == 's')
            read_text(va_arg(*rest, char *), limit);
        else if (strchr("pn", *format))
            va_arg(*rest, void *);
        else if (strchr("eEfFgGaA", *format)) {
            if (wide == 3) va_arg(*rest, long double);
            else va_arg(*rest, double);
        } else if (strchr("diouxXc", *format)) {
            if (wide == 2) va_arg(*rest, long long);
            else va_arg(*rest, int);
        }
        format++;
    }
}

/* What a function of output returns: what the run was given, if it was. */
QUIET static int printed(const void *pc, int count) {
    int found, error;
    int given = (int)next_input("library:characters_written", pc, &found);
    if (found) count = given;
    error = (int)next_input("library:error_in_output", pc, &found);
    return found && error < 0 ? error : count;
}

#define PRINT(real)                                                                        \
    va_list rest, again;                                                                   \
    int count;                                                                             \
    va_start(rest, format);                                                                \
    va_copy(again, rest);                                                                  \
    AT((read_text(format, (size_t)-1), read_arguments(format, &again)));                   \
    va_end(again);                                                                         \
    count = real;                                                                          \
    va_end(rest);                                                                          \
    return printed(HERE, count)

QUIET int replay_printf(const char *format, ...) {
    PRINT(vprintf(format, rest));
}

QUIET int replay_fprintf(FILE *stream, const char *format, ...) {
    PRINT(vfprintf(stream, format, rest));
}

QUIET int replay_dprintf(int file, const char *format, ...) {
    PRINT(vdprintf(file, format, rest));
}

QUIET static int counted(const void *pc, int count) {
    int found, given = (int)next_input("library:__VERIFIER_nondet_int()", pc, &found);
    return found ? given < 0 ? -1 : given : count;
}

QUIET int replay_puts(const char *s) {
    AT(read_text(s, (size_t)-1));
    return counted(HERE, puts(s));
}

QUIET int replay_fputs(const char *s, FILE *stream) {
    AT(read_text(s, (size_t)-1));
    return counted(HERE, fputs(s, stream));
}

QUIET void replay_perror(const char *s) {
    if (s) AT(read_text(s, (size_t)-1));
    perror(s);
}

QUIET ssize_t replay_write(int file, const void *data, size_t size) {
    int found;
    long done = (long)next_input("library:__VERIFIER_nondet_long()", HERE, &found);
    AT(read_bytes(data, size));
    if (!found) return write(file, data, size);
    if (done < 0 || (size_t)done > size) {
        errno = (int)(next_input("library:__VERIFIER_nondet_uint()", HERE, &found) >> 25) + 1;
        return -1;
    }
    return done;
}

/* ---------------------------------------------------------------- time, the process */

static int nanoseconds_are_bad(const struct timespec *until) {
    long nanoseconds = until->tv_nsec;
    return nanoseconds < 0 || nanoseconds >= 1000000000;
}

/* A point of time is read, and refused if it is none. */
QUIET int bad_time(const struct timespec *until, const void *pc) {
    void *before = enter_library((void *)pc);
    int bad = nanoseconds_are_bad(until);
    leave_library(before);
    return bad;
}

QUIET pid_t replay_getpid(void) {
    static pid_t number;
    int found, any = (int)(next_input("library:__VERIFIER_nondet_uint()", HERE, &found) >> 1);
    if (!number) number = !found ? getpid() : any ? any : 1;
    return number;
}
