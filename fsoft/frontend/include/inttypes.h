#ifndef _FSOFT_INTTYPES_H
#define _FSOFT_INTTYPES_H
#include <stdint.h>
#ifdef __LP64__
#define __FSOFT_64 "l"
#define __FSOFT_PTR "l"
#else
#define __FSOFT_64 "ll"
#define __FSOFT_PTR ""
#endif
#define PRId8 "d"
#define PRIi8 "i"
#define PRIu8 "u"
#define PRIx8 "x"
#define PRId16 "d"
#define PRIi16 "i"
#define PRIu16 "u"
#define PRIx16 "x"
#define PRId32 "d"
#define PRIi32 "i"
#define PRIu32 "u"
#define PRIx32 "x"
#define PRIX32 "X"
#define PRId64 __FSOFT_64 "d"
#define PRIi64 __FSOFT_64 "i"
#define PRIu64 __FSOFT_64 "u"
#define PRIx64 __FSOFT_64 "x"
#define PRIX64 __FSOFT_64 "X"
#define PRIdMAX PRId64
#define PRIuMAX PRIu64
#define PRIdPTR __FSOFT_PTR "d"
#define PRIuPTR __FSOFT_PTR "u"
#define PRIxPTR __FSOFT_PTR "x"
#endif
