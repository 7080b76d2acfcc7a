/* Every compound operator on an _Atomic object is a single read-modify-write. Two threads apply
   operators that commute, so the result is known. With PLAIN the objects are ordinary and updates
   get lost. */
#include <assert.h>
#include <pthread.h>
#ifdef PLAIN
#define SHARED
#else
#define SHARED _Atomic
#endif

static SHARED int sum = 10;
static SHARED unsigned char bits;
static SHARED short factor = 1;

static void *first(void *arg) {
    (void)arg;
    sum += 5;
    bits |= 1;
    factor *= 3;
    return 0;
}

static void *second(void *arg) {
    (void)arg;
    factor *= 2;
    sum -= 2;
    bits ^= 4;
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, first, 0);
    pthread_create(&t2, 0, second, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(sum == 13);
    assert(bits == 5);
    assert(factor == 6);
    return 0;
}
