/* Functions of the C library that access the user's memory, unit by unit as fsoft's models do. This file alone is compiled with
   -fsanitize=thread; its accesses count for the line of the user's call. */
#include "runtime.h"
#include <string.h>

#define AT(call)                                                                           \
    do {                                                                                   \
        void *before = enter_library(HERE);                                                \
        call;                                                                              \
        leave_library(before);                                                             \
    } while (0)

#define QUIET __attribute__((no_sanitize_thread))

QUIET static void *enter_library(void *pc) {
    void *before = self ? self->site : NULL;
    if (self && !before) self->site = pc;
    return before;
}

QUIET static void leave_library(void *before) {
    if (self) self->site = before;
}

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

static int compare(const uint8_t *a, const uint8_t *b, size_t size) {
    for (size_t i = 0; i < size; i++) {
        uint8_t x = a[i], y = b[i];
        if (x != y) return x < y ? -1 : 1;
    }
    return 0;
}

static size_t length(const char *s) {
    size_t i = 0;
    while (s[i]) i++;
    return i;
}

static void copy_string(char *to, const char *from) {
    char c;
    while ((c = *from++)) *to++ = c;
    *to = 0;
}

static int compare_strings(const char *a, const char *b, size_t limit) {
    for (size_t i = 0; i < limit; i++) {
        unsigned char x = (unsigned char)a[i], y = (unsigned char)b[i];
        if (x != y) return x < y ? -1 : 1;
        if (!x) return 0;
    }
    return 0;
}

QUIET void *replay_memcpy(void *to, const void *from, size_t size) {
    AT(copy_up(to, from, size));
    return to;
}

QUIET void *replay_memmove(void *to, const void *from, size_t size) {
    AT((uintptr_t)to <= (uintptr_t)from ? copy_up(to, from, size) : copy_down(to, from, size));
    return to;
}

QUIET void *replay_memset(void *to, int byte, size_t size) {
    AT(fill(to, byte, size));
    return to;
}

QUIET int replay_memcmp(const void *a, const void *b, size_t size) {
    int result;
    AT(result = compare(a, b, size));
    return result;
}

QUIET size_t replay_strlen(const char *s) {
    size_t result;
    AT(result = length(s));
    return result;
}

QUIET char *replay_strcpy(char *to, const char *from) {
    AT(copy_string(to, from));
    return to;
}

QUIET int replay_strcmp(const char *a, const char *b) {
    int result;
    AT(result = compare_strings(a, b, (size_t)-1));
    return result;
}

QUIET int replay_strncmp(const char *a, const char *b, size_t limit) {
    int result;
    AT(result = compare_strings(a, b, limit));
    return result;
}
