/* The only pointer to a heap object is overwritten: a leak. Without LOSE the object is freed first. */
#include <stdlib.h>

static char *kept;

int main(void) {
    kept = malloc(2);
#ifndef LOSE
    free(kept);
#endif
    kept = malloc(2);
    free(kept);
    kept = 0;
    return 0;
}
