/* The writer sets x before y. Reading y first and then x, a reader that finds y set also finds x
   set; in the other order it may find y set and the old x. Which order an expression has is the
   compiler's choice. */
#include <assert.h>
#include <pthread.h>

static int x, y;

static void *writer(void *arg) {
    (void)arg;
    x = 1;
    y = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int both = y + 2 * x;
    assert(both != 1);
    pthread_join(t, 0);
    return 0;
}
