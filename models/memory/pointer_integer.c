/* Casting a pointer to an integer and back is the identity, also when the integer is stored, passed
   on and tagged in its low bit (objects are aligned). With UNTAG_FORGOTTEN the tag is left in and
   the access is misaligned and reaches beyond the object. */
#include <assert.h>
#include <stdint.h>

static long target = 5;
static uintptr_t word;

int main(void) {
    word = (uintptr_t)&target | 1;
    assert(word & 1);
#ifdef UNTAG_FORGOTTEN
    long *p = (long *)word;
#else
    long *p = (long *)(word & ~(uintptr_t)1);
#endif
    assert(*p == 5);
    *p = 6;
    assert(target == 6);
    assert((void *)(uintptr_t)(void *)&target == (void *)&target);
    return 0;
}
