#ifndef _FSOFT_STDDEF_H
#define _FSOFT_STDDEF_H
#ifdef __LP64__
typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef int wchar_t;
#else
typedef unsigned int size_t;
typedef int ptrdiff_t;
typedef long wchar_t;
#endif
typedef struct { long long __max_align_ll; long double __max_align_ld; } max_align_t;
#define NULL ((void *)0)
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
