/* Functions for strings, byte by byte as fsoft's models do. Compiled with -fsanitize=thread, as library.c. */
#include "library.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static size_t length(const char *s, size_t limit) {
    size_t i = 0;
    while (i < limit && s[i]) i++;
    return i;
}

/* Gives the end of the copy. */
static char *copy_text(char *to, const char *from) {
    size_t i;
    char c;
    for (i = 0; (c = from[i]); i++) to[i] = c;
    to[i] = 0;
    must_be_apart(to, i + 1, from, i + 1);
    return to + i;
}

static void copy_part(char *to, const char *from, size_t limit) {
    size_t read = 0;
    char c = 1;
    if (!limit) must_be_there(to), must_be_there(from);
    for (size_t i = 0; i < limit; i++) {
        if (c) c = from[i], read = i + 1;
        to[i] = c;
    }
    must_be_apart(to, limit, from, read);
}

static void append_part(char *to, const char *from, size_t limit) {
    char *end = to + length(to, (size_t)-1), c;
    size_t i;
    if (!limit) must_be_there(from);
    for (i = 0; i < limit && (c = from[i]); i++) end[i] = c;
    end[i] = 0;
    must_be_apart(end, i + 1, from, i < limit ? i + 1 : i);
}

static int compare_texts(const char *a, const char *b, size_t limit, int letters) {
    for (size_t i = 0; i < limit; i++) {
        int x = (unsigned char)a[i], y = (unsigned char)b[i];
        if (letters) x = tolower(x), y = tolower(y);
        if (x != y) return x < y ? -1 : 1;
        if (!x) return 0;
    }
    return 0;
}

static char *find_character(const char *s, char wanted) {
    for (;; s++) {
        char c = *s;
        if (c == wanted) return (char *)s;
        if (!c) return NULL;
    }
}

static char *find_last(const char *s, char wanted) {
    const char *last = NULL;
    char c;
    do {
        c = *s;
        if (c == wanted) last = s;
        s++;
    } while (c);
    return (char *)last;
}

static void *find_byte(const unsigned char *in, unsigned char byte, size_t size) {
    if (!size) must_be_there(in);
    for (size_t i = 0; i < size; i++)
        if (in[i] == byte) return (void *)(in + i);
    return NULL;
}

static char *find_text(const char *s, const char *part) {
    size_t i, size = length(part, (size_t)-1);
    for (;; s++) {
        for (i = 0; i < size && s[i] == part[i]; i++) continue;
        if (i == size) return (char *)s;
        if (!s[i]) return NULL;
    }
}

/* How many characters at the start are in the set, or are not. The set is read to its end first. */
static size_t span(const char *s, const char *set, int in) {
    size_t i = 0, size = length(set, (size_t)-1);
    while (s[i] && (size && find_byte((const unsigned char *)set, (unsigned char)s[i], size) != NULL) == in) i++;
    return i;
}

static char *next_part(char *s, const char *separators, char **rest) {
    char *end;
    if (!s) s = *rest;
    s += span(s, separators, 1);
    if (!*s) {
        *rest = s;
        return NULL;
    }
    end = s + span(s, separators, 0);
    if (*end) *end++ = 0;
    *rest = end;
    return s;
}

#define ORDER(call)                                                                        \
    int result;                                                                            \
    AT(result = call);                                                                     \
    return sized(result, HERE)

#define GIVES(type, call)                                                                  \
    type result;                                                                           \
    AT(result = call);                                                                     \
    return result

QUIET size_t replay_strlen(const char *s) {
    GIVES(size_t, length(s, (size_t)-1));
}

QUIET size_t replay_strnlen(const char *s, size_t limit) {
    if (!limit) AT(must_be_there(s));
    GIVES(size_t, length(s, limit));
}

QUIET char *replay_strcpy(char *to, const char *from) {
    AT(copy_text(to, from));
    return to;
}

QUIET char *replay_stpcpy(char *to, const char *from) {
    GIVES(char *, copy_text(to, from));
}

QUIET char *replay_strncpy(char *to, const char *from, size_t limit) {
    AT(copy_part(to, from, limit));
    return to;
}

QUIET char *replay_strcat(char *to, const char *from) {
    AT(copy_text(to + length(to, (size_t)-1), from));
    return to;
}

QUIET char *replay_strncat(char *to, const char *from, size_t limit) {
    AT(append_part(to, from, limit));
    return to;
}

QUIET int replay_strcmp(const char *a, const char *b) {
    ORDER(compare_texts(a, b, (size_t)-1, 0));
}

QUIET int replay_strcoll(const char *a, const char *b) {
    ORDER(compare_texts(a, b, (size_t)-1, 0));
}

QUIET int replay_strcasecmp(const char *a, const char *b) {
    ORDER(compare_texts(a, b, (size_t)-1, 1));
}

QUIET static int compare_parts(const char *a, const char *b, size_t limit, int letters) {
    if (!limit) must_be_there(a), must_be_there(b);
    return compare_texts(a, b, limit, letters);
}

QUIET int replay_strncmp(const char *a, const char *b, size_t limit) {
    ORDER(compare_parts(a, b, limit, 0));
}

QUIET int replay_strncasecmp(const char *a, const char *b, size_t limit) {
    ORDER(compare_parts(a, b, limit, 1));
}

QUIET char *replay_strchr(const char *s, int c) {
    GIVES(char *, find_character(s, (char)c));
}

QUIET char *replay_strrchr(const char *s, int c) {
    GIVES(char *, find_last(s, (char)c));
}

QUIET void *replay_memchr(const void *in, int byte, size_t size) {
    GIVES(void *, find_byte(in, (unsigned char)byte, size));
}

QUIET char *replay_strstr(const char *s, const char *part) {
    GIVES(char *, find_text(s, part));
}

QUIET size_t replay_strspn(const char *s, const char *set) {
    GIVES(size_t, span(s, set, 1));
}

QUIET size_t replay_strcspn(const char *s, const char *set) {
    GIVES(size_t, span(s, set, 0));
}

static char *first_of(const char *s, const char *set) {
    s += span(s, set, 0);
    return *s ? (char *)s : NULL;
}

QUIET char *replay_strpbrk(const char *s, const char *set) {
    GIVES(char *, first_of(s, set));
}

QUIET char *replay_strtok_r(char *s, const char *separators, char **rest) {
    GIVES(char *, next_part(s, separators, rest));
}

static char *rest_of_strtok;

QUIET char *replay_strtok(char *s, const char *separators) {
    GIVES(char *, next_part(s, separators, &rest_of_strtok));
}
