#ifndef _FSOFT_MALLOC_H
#define _FSOFT_MALLOC_H
#include <stdlib.h>
void *memalign(size_t alignment, size_t size);
#endif
