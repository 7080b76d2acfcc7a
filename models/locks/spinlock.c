/* POSIX spin locks protect a counter just as mutexes do. With TRY a thread uses
   pthread_spin_trylock and forgets to look at its result. */
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t l;
static int value;

static void *worker(void *arg) {
    (void)arg;
    pthread_spin_lock(&l);
    value++;
    pthread_spin_unlock(&l);
    return 0;
}

static void *other(void *arg) {
    (void)arg;
#ifdef TRY
    int result = pthread_spin_trylock(&l);
    value++;
    if (result == 0)
        pthread_spin_unlock(&l);
#else
    pthread_spin_lock(&l);
    value++;
    pthread_spin_unlock(&l);
#endif
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&t1, 0, worker, 0);
    pthread_create(&t2, 0, other, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(value == 2);
    pthread_spin_destroy(&l);
    return 0;
}
