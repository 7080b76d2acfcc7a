/* A loop that only looks, entered in its middle: the first round is not a whole one, so the last one is
   not the first. With PLAIN the loop is entered at its head. */
#include <assert.h>
#include <pthread.h>

static int a, b;

static void *other(void *arg) {
    (void)arg;
    b = 0;
    a = 2;
    return 0;
}

int main(void) {
    pthread_t t;
    int x;
    pthread_create(&t, 0, other, 0);
#ifdef PLAIN
    goto head;
#endif
    if (b)
        goto head;
    x = b;
    goto middle;
head:
    x = a;
middle:
    if (x != 2)
        goto head;
    assert(x != 2);
    return 0;
}
