/* A 64-bit counter crosses the 32-bit boundary: the carry must not get lost in either data model. A
   single load or store of it is one step, so the observer sees one of the two values; the
   increments of two threads still can collide (TWICE without a lock). */
#include <assert.h>
#include <pthread.h>

static unsigned long long counter = 0xffffffffULL;

static void *increment(void *arg) {
    (void)arg;
    counter++;
    return 0;
}

int main(void) {
    pthread_t t1;
    pthread_create(&t1, 0, increment, 0);
#ifdef TWICE
    pthread_t t2;
    pthread_create(&t2, 0, increment, 0);
    pthread_join(t2, 0);
    pthread_join(t1, 0);
    assert(counter == 0x100000001ULL);
#else
    unsigned long long seen = counter;
    assert(seen == 0xffffffffULL || seen == 0x100000000ULL);
    pthread_join(t1, 0);
    assert(counter == 0x100000000ULL);
#endif
    return 0;
}
