/* A sequence lock: the writer makes the sequence number odd, writes the pair, and makes it even
   again; a reader tries again until it has seen the same even number before and after. With
   ONE_STEP the writer bumps the number only once, after writing, and a reader can be fooled into a
   half-written pair. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint seq;
static atomic_int a, b;

static void *writer(void *arg) {
    (void)arg;
    for (int i = 1; i <= 2; i++) {
#ifndef ONE_STEP
        seq++;
#endif
        a = i;
        b = i;
#ifdef ONE_STEP
        seq += 2;
#else
        seq++;
#endif
    }
    return 0;
}

static void *reader(void *arg) {
    unsigned before;
    int x, y;
    (void)arg;
    do {
        before = seq;
        x = a;
        y = b;
    } while (before % 2 != 0 || seq != before);
    assert(x == y);
    return 0;
}

int main(void) {
    pthread_t w, r;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&r, 0, reader, 0);
    pthread_join(w, 0);
    pthread_join(r, 0);
    return 0;
}
