/* realloc keeps the contents and frees the old object. The old pointer is dangling afterwards: with
   STALE it is still used. calloc'ed memory is zero. */
#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *old = calloc(2, sizeof *old);
    assert(old[0] == 0 && old[1] == 0);
    old[1] = 9;
    int *grown = realloc(old, 4 * sizeof *old);
    grown[3] = 1;
#ifdef STALE
    old[0] = 1;
#endif
    assert(grown[0] == 0 && grown[1] == 9);
    free(grown);
    return 0;
}
