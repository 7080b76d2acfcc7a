/* The difference of two pointers into one array counts elements, not bytes, and has a sign. CLAIM
   is what the program expects for &a[3] - &a[1]. */
#include <assert.h>
#include <stddef.h>
#ifndef CLAIM
#define CLAIM 2
#endif

struct triple {
    short x, y, z;
};
static struct triple a[4];

int main(void) {
    struct triple *p = &a[1], *q = &a[3];
    ptrdiff_t d = q - p;
    assert(d == CLAIM);
    assert(p - q == -2);
    assert((char *)q - (char *)p == 2 * (ptrdiff_t)sizeof(struct triple));
    assert(p < q && p + 2 == q);
    return 0;
}
