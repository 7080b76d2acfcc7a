/* Functions of the C library that access the program's memory: only the bytes that C requires to be accessed count. */
#define _GNU_SOURCE
#include "runtime.h"
#include <stdlib.h>
#include <strings.h>

static int watched(uintptr_t pc) {
    return self && !self->inside && user_code(pc);
}

static void reads(const void *p, size_t n, uintptr_t pc) {
    if (n && watched(pc)) visit((uintptr_t)p, n, READS, pc);
}

static void writes(void *p, size_t n, uintptr_t pc) {
    if (n && watched(pc)) visit((uintptr_t)p, n, WRITES, pc);
}

/* Copies between objects that overlap, and from or to nowhere, are undefined. */
static void apart(const void *to, const void *from, size_t n, uintptr_t pc) {
    uintptr_t a = (uintptr_t)to, b = (uintptr_t)from;
    if (!watched(pc)) return;
    if (!a || !b) report(BAD_ACCESS, "valid-deref", 0, pc, "a null pointer is given to a function that copies");
    else if (n && a < b + n && b < a + n && a != b) report(BAD_ACCESS, "valid-deref", 0, pc, "a copy between objects that overlap");
}

static size_t length(const char *s, size_t limit) {
    size_t k = 0;
    while (k < limit && s[k]) k++;
    return k;
}

static void copy_up(char *to, const char *from, size_t n) {
    size_t k = 0;
    for (; k + 8 <= n; k += 8) {
        uint64_t word;
        __builtin_memcpy(&word, from + k, 8);
        __builtin_memcpy(to + k, &word, 8);
    }
    for (; k < n; k++) to[k] = from[k];
}

static void copy_down(char *to, const char *from, size_t n) {
    while (n--) to[n] = from[n];
}

PUBLIC void *memcpy(void *to, const void *from, size_t n) {
    apart(to, from, n, HERE);
    reads(from, n, HERE);
    writes(to, n, HERE);
    if (real_copy) return real_copy(to, from, n);
    copy_up(to, from, n);
    return to;
}

PUBLIC void *memmove(void *to, const void *from, size_t n) {
    reads(from, n, HERE);
    writes(to, n, HERE);
    if ((uintptr_t)to <= (uintptr_t)from)
        copy_up(to, from, n);
    else
        copy_down(to, from, n);
    return to;
}

PUBLIC void *memset(void *to, int byte, size_t n) {
    char *p = to;
    writes(to, n, HERE);
    uint64_t word = (uint8_t)byte * 0x0101010101010101ull;
    for (; n >= 8; n -= 8, p += 8) __builtin_memcpy(p, &word, 8);
    while (n--) *p++ = (char)byte;
    return to;
}

PUBLIC int memcmp(const void *a, const void *b, size_t n) {
    const uint8_t *x = a, *y = b;
    size_t k = 0;
    while (k < n && x[k] == y[k]) k++;
    reads(a, k < n ? k + 1 : n, HERE);
    reads(b, k < n ? k + 1 : n, HERE);
    return k == n ? 0 : x[k] < y[k] ? -1 : 1;
}

PUBLIC void *memchr(const void *p, int byte, size_t n) {
    const uint8_t *x = p;
    size_t k = 0;
    while (k < n && x[k] != (uint8_t)byte) k++;
    reads(p, k < n ? k + 1 : n, HERE);
    return k < n ? (void *)(x + k) : NULL;
}

PUBLIC size_t strlen(const char *s) {
    if (watched(HERE)) reads(s, 1, HERE);
    size_t n = length(s, SIZE_MAX);
    reads(s + 1, n, HERE);
    return n;
}

PUBLIC size_t strnlen(const char *s, size_t limit) {
    size_t n = length(s, limit);
    reads(s, n < limit ? n + 1 : n, HERE);
    return n;
}

PUBLIC char *strcpy(char *to, const char *from) {
    size_t n = length(from, SIZE_MAX) + 1;
    apart(to, from, n, HERE);
    reads(from, n, HERE);
    writes(to, n, HERE);
    copy_up(to, from, n);
    return to;
}

PUBLIC char *stpcpy(char *to, const char *from) {
    size_t n = length(from, SIZE_MAX) + 1;
    apart(to, from, n, HERE);
    reads(from, n, HERE);
    writes(to, n, HERE);
    copy_up(to, from, n);
    return to + n - 1;
}

PUBLIC char *strncpy(char *to, const char *from, size_t limit) {
    size_t n = length(from, limit);
    reads(from, n < limit ? n + 1 : n, HERE);
    writes(to, limit, HERE);
    copy_up(to, from, n);
    for (size_t k = n; k < limit; k++) to[k] = 0;
    return to;
}

PUBLIC char *strcat(char *to, const char *from) {
    size_t at = length(to, SIZE_MAX), n = length(from, SIZE_MAX) + 1;
    reads(to, at + 1, HERE);
    reads(from, n, HERE);
    apart(to + at, from, n, HERE);
    writes(to + at, n, HERE);
    copy_up(to + at, from, n);
    return to;
}

PUBLIC char *strncat(char *to, const char *from, size_t limit) {
    size_t at = length(to, SIZE_MAX), n = length(from, limit);
    reads(to, at + 1, HERE);
    reads(from, n < limit ? n + 1 : n, HERE);
    writes(to + at, n + 1, HERE);
    copy_up(to + at, from, n);
    to[at + n] = 0;
    return to;
}

static int lower(int c) {
    return c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c;
}

static int compare(const char *a, const char *b, size_t limit, int fold, uintptr_t pc) {
    size_t k = 0;
    int x = 0, y = 0;
    for (; k < limit; k++) {
        x = (uint8_t)a[k], y = (uint8_t)b[k];
        if (fold) x = lower(x), y = lower(y);
        if (x != y || !x) break;
    }
    reads(a, k < limit ? k + 1 : k, pc);
    reads(b, k < limit ? k + 1 : k, pc);
    return k == limit ? 0 : x - y;
}

PUBLIC int strcmp(const char *a, const char *b) {
    return compare(a, b, SIZE_MAX, 0, HERE);
}

PUBLIC int strncmp(const char *a, const char *b, size_t limit) {
    return compare(a, b, limit, 0, HERE);
}

PUBLIC int strcasecmp(const char *a, const char *b) {
    return compare(a, b, SIZE_MAX, 1, HERE);
}

PUBLIC int strncasecmp(const char *a, const char *b, size_t limit) {
    return compare(a, b, limit, 1, HERE);
}

PUBLIC char *strchr(const char *s, int c) {
    size_t k = 0;
    while (s[k] && s[k] != (char)c) k++;
    reads(s, k + 1, HERE);
    return s[k] == (char)c ? (char *)s + k : NULL;
}

PUBLIC char *strrchr(const char *s, int c) {
    size_t n = length(s, SIZE_MAX) + 1;
    reads(s, n, HERE);
    while (n--)
        if (s[n] == (char)c) return (char *)s + n;
    return NULL;
}

PUBLIC char *strstr(const char *s, const char *part) {
    size_t n = length(part, SIZE_MAX), all = length(s, SIZE_MAX), k = 0;
    reads(part, n + 1, HERE);
    while (k + n <= all && compare(s + k, part, n, 0, 0)) k++;
    reads(s, k + n <= all ? k + n : all + 1, HERE);
    return k + n <= all ? (char *)s + k : NULL;
}

static size_t span(const char *s, const char *set, int wanted, uintptr_t pc) {
    size_t k = 0, n = length(set, SIZE_MAX);
    for (; s[k]; k++) {
        size_t i = 0;
        while (i < n && set[i] != s[k]) i++;
        if ((i < n) != wanted) break;
    }
    reads(set, n + 1, pc);
    reads(s, k + 1, pc);
    return k;
}

PUBLIC size_t strspn(const char *s, const char *set) {
    return span(s, set, 1, HERE);
}

PUBLIC size_t strcspn(const char *s, const char *set) {
    return span(s, set, 0, HERE);
}

PUBLIC char *strpbrk(const char *s, const char *set) {
    size_t k = span(s, set, 0, HERE);
    return s[k] ? (char *)s + k : NULL;
}

/* Copies are the program's own: a block that is never freed is its leak. */
static char *copy_of(const char *s, size_t n, uintptr_t pc) {
    void *block_for(size_t size, uintptr_t pc);
    char *p = block_for(n + 1, pc);
    if (!p) return NULL;
    copy_up(p, s, n);
    p[n] = 0;
    return p;
}

PUBLIC char *strdup(const char *s) {
    size_t n = length(s, SIZE_MAX);
    reads(s, n + 1, HERE);
    return copy_of(s, n, HERE);
}

PUBLIC char *strndup(const char *s, size_t limit) {
    size_t n = length(s, limit);
    reads(s, n < limit ? n + 1 : n, HERE);
    return copy_of(s, n, HERE);
}
