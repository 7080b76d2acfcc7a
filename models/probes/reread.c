/* Every mention of a shared variable is a read of its own: x * x may multiply an old by a new value
   and be no square. With COPY the value is read once. */
#include <assert.h>
#include <pthread.h>

static int x = 2;

static void *writer(void *arg) {
    (void)arg;
    x = 3;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
#ifdef COPY
    int once = x;
    int square = once * once;
#else
    int square = x * x;
#endif
    assert(square == 4 || square == 9);
    pthread_join(t, 0);
    return 0;
}
