/* The printf family and its kin: what they read and write of the program's memory, then the C library's own. */
#define _GNU_SOURCE
#include "runtime.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reads(const void *p, size_t n, uintptr_t pc) {
    if (p && n && self && !self->inside && user_code(pc)) visit((uintptr_t)p, n, READS, pc);
}

static void writes(void *p, size_t n, uintptr_t pc) {
    if (p && n && self && !self->inside && user_code(pc)) visit((uintptr_t)p, n, WRITES, pc);
}

static size_t bounded_length(const char *s, size_t limit) {
    size_t k = 0;
    while (k < limit && s[k]) k++;
    return k;
}

struct directive {
    size_t precision; /* SIZE_MAX: none */
    int longs, sizes; /* how wide the argument is */
    char what;
};

/* The directive that begins behind a per cent sign; widths and precisions that are arguments are taken. */
static const char *read_directive(const char *at, va_list *rest, struct directive *d) {
    *d = (struct directive){SIZE_MAX, 0, 0, 0};
    at += strspn(at, "-+ #0'");
    if (*at == '*') (void)va_arg(*rest, int), at++;
    while (*at >= '0' && *at <= '9') at++;
    if (*at == '.') {
        at++;
        int stars = *at == '*', number = stars ? va_arg(*rest, int) : 0;
        if (stars) at++;
        while (*at >= '0' && *at <= '9') number = number * 10 + *at++ - '0';
        d->precision = number < 0 ? SIZE_MAX : (size_t)number;
    }
    for (; *at && strchr("hlLqjzt", *at); at++) d->longs += *at == 'l' ? 1 : *at == 'L' ? 4 : *at == 'q' || *at == 'j' ? 2 : 0, d->sizes += *at == 'z' || *at == 't';
    d->what = *at;
    return *at ? at + 1 : at;
}

static void take_number(va_list *rest, const struct directive *d) {
    if (strchr("diouxXc", d->what)) {
        if (d->longs >= 2) (void)va_arg(*rest, long long);
        else if (d->longs || d->sizes) (void)va_arg(*rest, long);
        else (void)va_arg(*rest, int);
    } else if (strchr("aAeEfFgG", d->what)) {
        if (d->longs >= 4) (void)va_arg(*rest, long double);
        else (void)va_arg(*rest, double);
    } else if (d->what == 'p') {
        (void)va_arg(*rest, void *);
    }
}

/* What the directives of a format read and write. Numbered arguments are left alone. */
static void follow_format(const char *format, va_list arguments, uintptr_t pc) {
    va_list rest;
    struct directive d;
    if (!self || self->inside || !user_code(pc)) return;
    reads(format, bounded_length(format, SIZE_MAX) + 1, pc);
    va_copy(rest, arguments);
    for (const char *at = strchr(format, '%'); at; at = strchr(at, '%')) {
        at = read_directive(at + 1, &rest, &d);
        if (d.what == '$') break;
        if (d.what == 's' && !d.longs) {
            const char *s = va_arg(rest, const char *);
            size_t n = s ? bounded_length(s, d.precision) : 0;
            reads(s, n < d.precision ? n + 1 : n, pc);
        } else if (d.what == 'n') {
            writes(va_arg(rest, void *), d.longs >= 2 ? 8 : d.longs ? sizeof(long) : sizeof(int), pc);
        } else {
            take_number(&rest, &d);
        }
    }
    va_end(rest);
}

#define FORMATTED(name, parameters, last, call, after)                                                                 \
    PUBLIC int name parameters {                                                                                       \
        va_list rest;                                                                                                  \
        int done;                                                                                                      \
        va_start(rest, last);                                                                                          \
        test_cancel();                                                                                                 \
        follow_format(last, rest, HERE);                                                                               \
        done = call;                                                                                                   \
        va_end(rest);                                                                                                  \
        after;                                                                                                         \
        return done;                                                                                                   \
    }
#define FILLED(limit) if (done >= 0) writes(to, (size_t)done + 1 < (limit) ? (size_t)done + 1 : (limit), HERE)
FORMATTED(printf, (const char *format, ...), format, vprintf(format, rest), (void)0)
FORMATTED(fprintf, (FILE *file, const char *format, ...), format, vfprintf(file, format, rest), (void)0)
FORMATTED(dprintf, (int file, const char *format, ...), format, vdprintf(file, format, rest), (void)0)
FORMATTED(sprintf, (char *to, const char *format, ...), format, vsprintf(to, format, rest), FILLED(SIZE_MAX))
FORMATTED(snprintf, (char *to, size_t size, const char *format, ...), format, vsnprintf(to, size, format, rest), FILLED(size))

PUBLIC int puts(const char *s) {
    static int (*really)(const char *);
    if (!really) really = (int (*)(const char *))real("puts");
    test_cancel();
    reads(s, bounded_length(s, SIZE_MAX) + 1, HERE);
    return really(s);
}

PUBLIC int fputs(const char *s, FILE *file) {
    static int (*really)(const char *, FILE *);
    if (!really) really = (int (*)(const char *, FILE *))real("fputs");
    test_cancel();
    reads(s, bounded_length(s, SIZE_MAX) + 1, HERE);
    return really(s, file);
}

PUBLIC size_t fwrite(const void *p, size_t size, size_t count, FILE *file) {
    static size_t (*really)(const void *, size_t, size_t, FILE *);
    if (!really) really = (size_t (*)(const void *, size_t, size_t, FILE *))real("fwrite");
    test_cancel();
    reads(p, size * count, HERE);
    return really(p, size, count, file);
}

PUBLIC size_t fread(void *p, size_t size, size_t count, FILE *file) {
    static size_t (*really)(void *, size_t, size_t, FILE *);
    if (!really) really = (size_t (*)(void *, size_t, size_t, FILE *))real("fread");
    test_cancel();
    size_t done = really(p, size, count, file);
    writes(p, size * done, HERE);
    return done;
}

PUBLIC int putchar(int c) {
    test_cancel();
    return putc(c, stdout);
}
