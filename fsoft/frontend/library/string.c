/* Strings, byte by byte; strings that only help to search are read to their ends first. */

__fsoft_plain __SIZE_TYPE__ strlen(const char *s) {
    __SIZE_TYPE__ i = 0;
    while (s[i]) i++;
    return i;
}

__fsoft_plain __SIZE_TYPE__ strnlen(const char *s, __SIZE_TYPE__ limit) {
    __SIZE_TYPE__ i = 0;
    if (limit == 0) present(s);
    while (i < limit && s[i]) i++;
    return i;
}

__fsoft_plain char *stpcpy(char *to, const char *from) {
    __SIZE_TYPE__ i;
    char c;
    for (i = 0; (c = from[i]); i++) to[i] = c;
    to[i] = 0;
    apart(to, i + 1, from, i + 1);
    return to + i;
}

char *strcpy(char *to, const char *from) {
    stpcpy(to, from);
    return to;
}

__fsoft_plain char *strncpy(char *to, const char *from, __SIZE_TYPE__ limit) {
    __SIZE_TYPE__ i, read = 0;
    char c = 1;
    if (limit == 0) {
        present(to);
        present(from);
    }
    for (i = 0; i < limit; i++) {
        if (c) {
            c = from[i];
            read = i + 1;
        }
        to[i] = c;
    }
    apart(to, limit, from, read);
    return to;
}

char *strcat(char *to, const char *from) {
    stpcpy(to + strlen(to), from);
    return to;
}

__fsoft_plain char *strncat(char *to, const char *from, __SIZE_TYPE__ limit) {
    char *end = to + strlen(to), c;
    __SIZE_TYPE__ i;
    if (limit == 0) present(from);
    for (i = 0; i < limit && (c = from[i]); i++) end[i] = c;
    end[i] = 0;
    apart(end, i + 1, from, i < limit ? i + 1 : i);
    return to;
}

__fsoft_plain static int order_of_texts(const char *a, const char *b) {
    for (;; a++, b++) {
        unsigned char x = (unsigned char)*a, y = (unsigned char)*b;
        if (x != y) return x < y ? -1 : 1;
        if (!x) return 0;
    }
}

int strcmp(const char *a, const char *b) {
    int order = order_of_texts(a, b);
    return __fsoft_measured("strcmp") ? any_of_sign(order) : order;
}

int strcoll(const char *a, const char *b) {
    int order = order_of_texts(a, b);
    return __fsoft_measured("strcoll") ? any_of_sign(order) : order;
}

__fsoft_plain static int order_of_parts(const char *a, const char *b, __SIZE_TYPE__ limit) {
    __SIZE_TYPE__ i;
    if (limit == 0) {
        present(a);
        present(b);
    }
    for (i = 0; i < limit; i++) {
        unsigned char x = (unsigned char)a[i], y = (unsigned char)b[i];
        if (x != y) return x < y ? -1 : 1;
        if (!x) return 0;
    }
    return 0;
}

int strncmp(const char *a, const char *b, __SIZE_TYPE__ limit) {
    int order = order_of_parts(a, b, limit);
    return __fsoft_measured("strncmp") ? any_of_sign(order) : order;
}

__fsoft_plain static int order_of_letters(const char *a, const char *b) {
    for (;; a++, b++) {
        int x = tolower((unsigned char)*a), y = tolower((unsigned char)*b);
        if (x != y) return x < y ? -1 : 1;
        if (!x) return 0;
    }
}

int strcasecmp(const char *a, const char *b) {
    int order = order_of_letters(a, b);
    return __fsoft_measured("strcasecmp") ? any_of_sign(order) : order;
}

__fsoft_plain static int order_of_letter_parts(const char *a, const char *b, __SIZE_TYPE__ limit) {
    __SIZE_TYPE__ i;
    if (limit == 0) {
        present(a);
        present(b);
    }
    for (i = 0; i < limit; i++) {
        int x = tolower((unsigned char)a[i]), y = tolower((unsigned char)b[i]);
        if (x != y) return x < y ? -1 : 1;
        if (!x) return 0;
    }
    return 0;
}

int strncasecmp(const char *a, const char *b, __SIZE_TYPE__ limit) {
    int order = order_of_letter_parts(a, b, limit);
    return __fsoft_measured("strncasecmp") ? any_of_sign(order) : order;
}

__fsoft_plain char *strchrnul(const char *s, int c) {
    char d;
    while ((d = *s) && d != (char)c) s++;
    return (char *)s;
}

__fsoft_plain char *strchr(const char *s, int c) {
    char d;
    for (;; s++) {
        d = *s;
        if (d == (char)c) return (char *)s;
        if (!d) return 0;
    }
}

char *index(const char *s, int c) {
    return strchr(s, c);
}

__fsoft_plain char *strrchr(const char *s, int c) {
    const char *last = 0;
    char d;
    do {
        d = *s;
        if (d == (char)c) last = s;
        s++;
    } while (d);
    return (char *)last;
}

char *rindex(const char *s, int c) {
    return strrchr(s, c);
}

__fsoft_plain char *strstr(const char *s, const char *part) {
    __SIZE_TYPE__ i, size = strlen(part);
    for (;; s++) {
        for (i = 0; i < size && s[i] == part[i]; i++) continue;
        if (i == size) return (char *)s;
        if (!s[i]) return 0;
    }
}

__fsoft_plain __SIZE_TYPE__ strspn(const char *s, const char *set) {
    __SIZE_TYPE__ i = 0, size = strlen(set);
    while (s[i] && memchr(set, s[i], size)) i++;
    return i;
}

__fsoft_plain __SIZE_TYPE__ strcspn(const char *s, const char *set) {
    __SIZE_TYPE__ i = 0, size = strlen(set);
    while (s[i] && (size == 0 || !memchr(set, s[i], size))) i++;
    return i;
}

__fsoft_plain char *strpbrk(const char *s, const char *set) {
    s += strcspn(s, set);
    return *s ? (char *)s : 0;
}

__fsoft_plain char *strtok_r(char *s, const char *separators, char **rest) {
    char *end;
    if (!s) s = *rest;
    s += strspn(s, separators);
    if (!*s) {
        *rest = s;
        return 0;
    }
    end = s + strcspn(s, separators);
    if (*end) *end++ = 0;
    *rest = end;
    return s;
}

char *__fsoft_strtok_rest;

char *strtok(char *s, const char *separators) {
    return strtok_r(s, separators, &__fsoft_strtok_rest);
}

char *strdup(const char *s) {
    __SIZE_TYPE__ size = strlen(s) + 1;
    char *copy = (char *)malloc(size);
    if (copy) stpcpy(copy, s);
    return copy;
}

__fsoft_plain char *strndup(const char *s, __SIZE_TYPE__ limit) {
    __SIZE_TYPE__ i, size = strnlen(s, limit);
    char *copy = (char *)malloc(size + 1);
    if (!copy) return 0;
    for (i = 0; i < size; i++) copy[i] = s[i];
    copy[size] = 0;
    return copy;
}

__fsoft_plain char *stpncpy(char *to, const char *from, __SIZE_TYPE__ limit) {
    __SIZE_TYPE__ i, length = strnlen(from, limit);
    for (i = 0; i < limit; i++) to[i] = i < length ? from[i] : (char)0;
    apart(to, limit, from, length < limit ? length + 1 : limit);
    return to + length;
}

__fsoft_plain __SIZE_TYPE__ strlcpy(char *to, const char *from, __SIZE_TYPE__ size) {
    __SIZE_TYPE__ i, length = strlen(from);
    for (i = 0; i + 1 < size && i < length; i++) to[i] = from[i];
    if (size != 0) to[i] = 0;
    return length;
}

__fsoft_plain __SIZE_TYPE__ strlcat(char *to, const char *from, __SIZE_TYPE__ size) {
    __SIZE_TYPE__ before = strnlen(to, size);
    return before + (before == size ? strlen(from) : strlcpy(to + before, from, size - before));
}

__fsoft_plain char *strsep(char **rest, const char *separators) {
    char *start = *rest, *end;
    if (!start) return 0;
    end = strpbrk(start, separators);
    if (end) *end++ = 0;
    *rest = end;
    return start;
}

__fsoft_plain char *strcasestr(const char *s, const char *part) {
    __SIZE_TYPE__ i, size = strlen(part);
    for (;; s++) {
        for (i = 0; i < size && tolower((unsigned char)s[i]) == tolower((unsigned char)part[i]); i++) continue;
        if (i == size) return (char *)s;
        if (!s[i]) return 0;
    }
}

__fsoft_plain void *memmem(const void *in, __SIZE_TYPE__ size, const void *part, __SIZE_TYPE__ length) {
    __SIZE_TYPE__ at, i;
    for (at = 0; at + length <= size; at++) {
        for (i = 0; i < length && ((const char *)in)[at + i] == ((const char *)part)[i]; i++) continue;
        if (i == length) return (char *)in + at;
    }
    return 0;
}

__fsoft_plain void *memccpy(void *to, const void *from, int byte, __SIZE_TYPE__ size) {
    __SIZE_TYPE__ i;
    for (i = 0; i < size; i++) {
        unsigned char c = ((const unsigned char *)from)[i];
        ((unsigned char *)to)[i] = c;
        if (c == (unsigned char)byte) return (unsigned char *)to + i + 1;
    }
    return 0;
}

__fsoft_plain void *rawmemchr(const void *in, int byte) {
    const unsigned char *s = (const unsigned char *)in;
    while (*s != (unsigned char)byte) s++;
    return (void *)s;
}
