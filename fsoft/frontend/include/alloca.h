#ifndef _FSOFT_ALLOCA_H
#define _FSOFT_ALLOCA_H
#include <stddef.h>
void *alloca(size_t size);
#endif
