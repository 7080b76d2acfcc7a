/* One atomic section gets memory, reads it, gives it back and gets the same memory again: both reads are of undefined memory, and each may
 * find anything. SAME: two reads of one life find the same. */
#include <assert.h>
#include <stdlib.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

int main(void) {
    int first, second, *old, *new;
    __VERIFIER_atomic_begin();
    old = malloc(sizeof *old);
    first = *old;
#ifdef SAME
    new = old;
#else
    free(old);
    new = malloc(sizeof *new);
#endif
    second = *new;
    __VERIFIER_atomic_end();
    assert(!(old == new && first == 5 && second == 7));
    free(new);
    return 0;
}
