/* What may be freed is the start of a live heap object and nothing else. MIDDLE frees a pointer
   into an object, LOCAL a variable, otherwise the start itself, reached by a detour through the
   middle. */
#include <stdlib.h>

static void release(char *p) {
    free(p);
}

int main(void) {
    char local = 0;
    char *p = malloc(4);
    char *middle = p + 3;
    (void)middle;
#if defined MIDDLE
    release(middle);
#elif defined LOCAL
    release(&local);
#else
    release(middle - 3);
#endif
    return local;
}
