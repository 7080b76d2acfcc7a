/* Functions with the attribute destructor run after those of atexit, which run last come first. */
#include <assert.h>
#include <stdlib.h>

static int order;

static void first(void) {
    assert(order == 1);
    order = 2;
}

static void second(void) {
    assert(order == 0);
    order = 1;
}

__attribute__((destructor)) static void last(void) {
#ifdef WRONG
    assert(order == 1);
#else
    assert(order == 2);
#endif
}

int main(int argc, char **argv) {
    (void)argv;
    atexit(first);
    atexit(second);
    if (argc > 1) exit(1);
    return 0;
}
