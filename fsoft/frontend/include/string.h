#ifndef _FSOFT_STRING_H
#define _FSOFT_STRING_H
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t size);
void *mempcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
void *memchr(const void *in, int byte, size_t size);
void *memrchr(const void *in, int byte, size_t size);
size_t strlen(const char *s);
size_t strnlen(const char *s, size_t limit);
char *strcpy(char *to, const char *from);
char *stpcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t limit);
char *strcat(char *to, const char *from);
char *strncat(char *to, const char *from, size_t limit);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t limit);
int strcoll(const char *a, const char *b);
char *strchr(const char *s, int c);
char *strchrnul(const char *s, int c);
char *strrchr(const char *s, int c);
char *strstr(const char *s, const char *part);
char *strpbrk(const char *s, const char *set);
size_t strspn(const char *s, const char *set);
size_t strcspn(const char *s, const char *set);
char *strtok(char *s, const char *separators);
char *strtok_r(char *s, const char *separators, char **rest);
char *strdup(const char *s);
char *strndup(const char *s, size_t limit);
char *strerror(int error);
int strerror_r(int error, char *s, size_t size);
char *strsignal(int number);
char *stpncpy(char *to, const char *from, size_t limit);
size_t strlcpy(char *to, const char *from, size_t size);
size_t strlcat(char *to, const char *from, size_t size);
char *strsep(char **rest, const char *separators);
char *strcasestr(const char *s, const char *part);
void *memmem(const void *in, size_t size, const void *part, size_t length);
void *memccpy(void *to, const void *from, int byte, size_t size);
void *rawmemchr(const void *in, int byte);
void explicit_bzero(void *to, size_t size);
#include <strings.h>
#endif
