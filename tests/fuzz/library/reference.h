/* Functions that the sanitizers of gcc do not know, said with those that they know, as their manuals define them; SANITIZED_THREAD is
   defined for ThreadSanitizer, which knows fewer. Included before every program that is compiled with a sanitizer. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static inline char *ref_stpcpy(char *to, const char *from) { return strcpy(to, from) + strlen(to); }
static inline char *ref_rindex(const char *s, int c) { return strrchr(s, c); }
static inline int ref_strcoll(const char *a, const char *b) { return strcmp(a, b); }
static inline void *ref_mempcpy(void *to, const void *from, size_t size) { return (char *)memcpy(to, from, size) + size; }
static inline void ref_explicit_bzero(void *to, size_t size) { memset(to, 0, size); }
static inline void ref_bcopy(const void *from, void *to, size_t size) { memmove(to, from, size); }
static inline void ref_perror(const char *s) { if (s && *s) fprintf(stderr, "%s", s); }
static inline char *ref_strtok_r(char *s, const char *set, char **rest) {
    char *end;
    if (!s) s = *rest;
    s += strspn(s, set);
    if (!*s) return *rest = s, (char *)0;
    end = s + strcspn(s, set);
    if (*end) *end++ = 0;
    *rest = end;
    return s;
}
static char *ref_rest;
static inline char *ref_strtok(char *s, const char *set) { return ref_strtok_r(s, set, &ref_rest); } /* theirs look at one byte only */
static inline char *ref_index(const char *s, int c) { return strchr(s, c); }
static inline char *ref_strcat(char *to, const char *from) { return strcpy(to + strlen(to), from), to; }
static inline char *ref_strncat(char *to, const char *from, size_t limit) {
    char *end = to + strlen(to);
    size_t size = strnlen(from, limit);
    memcpy(end, from, size);
    end[size] = 0;
    return to;
}

static int ref_digit(char c, int base) {
    int value = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'z' ? (c | 32) - 'a' + 10 : 99;
    return value < base;
}
/* Reads what a conversion to a number must read: to the first character that does not belong to it. */
static const char *ref_read(const char *s, int base) {
    while (*s == ' ' || (*s >= '\t' && *s <= '\r')) s++;
    if (*s == '-' || *s == '+') s++;
    if ((base == 0 || base == 16) && *s == '0' && (s[1] | 32) == 'x' && ref_digit(s[2], 16)) s += 2, base = 16;
    if (base == 0) base = *s == '0' ? 8 : 10;
    while (ref_digit(*s, base)) s++;
    return s;
}
static inline unsigned long ref_strtoul(const char *s, char **end, int base) { return ref_read(s, base), strtoul(s, end, base); }
static inline unsigned long long ref_strtoull(const char *s, char **end, int base) { return ref_read(s, base), strtoull(s, end, base); }
static inline long ref_strtol(const char *s, char **end, int base) { return ref_read(s, base), strtol(s, end, base); }
static inline long long ref_strtoll(const char *s, char **end, int base) { return ref_read(s, base), strtoll(s, end, base); }
static inline int ref_atoi(const char *s) { return ref_read(s, 10), atoi(s); }
static inline long ref_atol(const char *s) { return ref_read(s, 10), atol(s); }
static inline long long ref_atoll(const char *s) { return ref_read(s, 10), atoll(s); }

#define stpcpy ref_stpcpy
#define rindex ref_rindex
#define strcoll ref_strcoll
#define mempcpy ref_mempcpy
#define explicit_bzero ref_explicit_bzero
#define bcopy ref_bcopy
#define perror ref_perror
#define strtok_r ref_strtok_r
#define strtok ref_strtok
#define dprintf(file, ...) fprintf(stdout, __VA_ARGS__)
#define strtoul ref_strtoul
#define strtoull ref_strtoull
#define strtol ref_strtol
#define strtoll ref_strtoll
#define atoi ref_atoi
#define atol ref_atol
#define atoll ref_atoll
#ifdef SANITIZED_THREAD
#define index ref_index
#define strcat ref_strcat
#define strncat ref_strncat
#endif
