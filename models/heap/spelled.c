/* An integer that was not computed from a pointer but happens to be its address is given to free; circuits do not follow it. RESIZE: it is
 * given to realloc, which asks how large the object is. */
#include <stdlib.h>

unsigned long __VERIFIER_nondet_ulong(void);

int main(void) {
    char *memory = malloc(4);
    unsigned long number = __VERIFIER_nondet_ulong();
    if ((unsigned long)memory != number) {
        free(memory);
        return 0;
    }
#ifdef RESIZE
    char *more = realloc((void *)number, 8);
    more[7] = 1;
    free(more);
#else
    free((void *)number);
#endif
    return 0;
}
