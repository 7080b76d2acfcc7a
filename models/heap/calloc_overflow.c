/* calloc of more bytes than an address can count gives null, however few the product modulo the size of an address is. With FITS it
   gives an object. */
#include <assert.h>
#include <stdlib.h>

int main(void) {
#ifdef FITS
    size_t count = 2;
#else
    volatile size_t half = (size_t)-1 / 2;
    size_t count = half + 2;
#endif
    char *p = calloc(count, 2);
    assert(p == 0);
    free(p);
    return 0;
}
