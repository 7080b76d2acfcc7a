/* malloc may return memory that was freed before, so a pointer to a dead object can compare equal
   to a new one; it need not, so both answers are possible. Without reuse (--heap fresh) the two are
   always different. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    char *p = malloc(8);
    uintptr_t before = (uintptr_t)p;
    free(p);
    char *q = malloc(8);
#ifdef ALWAYS
    assert((uintptr_t)q == before);
#else
    assert((uintptr_t)q != before);
#endif
    free(q);
    return 0;
}
