/* Inside an atomic section an element of a long array decides whether the process ends, with memory that nothing points to.
 * KEEP: a global points to it. */
#include <stdlib.h>

int __VERIFIER_nondet_int(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int table[40];
#ifdef KEEP
static int *kept;
#endif

int main(void) {
    int index = __VERIFIER_nondet_int();
    if (index < 0 || index >= 40)
        return 0;
    table[3] = 1;
    int *memory = malloc(sizeof *memory);
#ifdef KEEP
    kept = memory;
#endif
    __VERIFIER_atomic_begin();
    if (table[index])
        exit(0);
    __VERIFIER_atomic_end();
    free(memory);
    return 0;
}
