/* Memory that nobody has written holds an arbitrary value, but always the same one until it is
   written. Globals and calloc'ed memory are zero. Variants: a local (default), HEAP, ZEROED,
   GLOBAL, SAME (two reads agree). */
#include <assert.h>
#include <stdlib.h>

#ifdef GLOBAL
static unsigned char global;
#endif

static int is_zero(const unsigned char *p) {
    return *p == 0;
}

int main(void) {
#if defined HEAP
    unsigned char *p = malloc(1);
#elif defined ZEROED
    unsigned char *p = calloc(1, 1);
#elif defined GLOBAL
    unsigned char *p = &global;
#else
    unsigned char local;
    unsigned char *p = &local;
#endif
#ifdef SAME
    int a = is_zero(p), b = is_zero(p);
    assert(a == b);
#else
    assert(is_zero(p));
#endif
#if defined HEAP || defined ZEROED
    free(p);
#endif
    return 0;
}
