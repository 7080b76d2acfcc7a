/* malloc gives NULL only when that is asked for (--malloc-may-fail). Then a program that does not
   test the result dereferences NULL; with TESTED it does not. */
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
#ifdef TESTED
    if (!p)
        return 1;
#endif
    *p = 4;
    free(p);
    return 0;
}
