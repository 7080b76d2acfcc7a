/* A program that allocates as long as it is asked to. No number of heap objects is enough, so the
   answer is never TRUE; the bound is reported. What goes wrong within the bound is still found:
   with FAIL the third object triggers an assertion. */
#include <assert.h>
#include <stdlib.h>

extern _Bool __VERIFIER_nondet_bool(void);

int main(void) {
    void *last = 0;
    int count = 0;
    while (__VERIFIER_nondet_bool()) {
        void **n = malloc(sizeof *n);
        *n = last;
        last = n;
        count++;
#ifdef FAIL
        assert(count < 3);
#endif
    }
    return 0;
}
