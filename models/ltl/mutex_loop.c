/* Two threads that lock and unlock a mutex for ever. A waiting thread can move only while the mutex is free, so weak fairness
   does not protect it: the other may take the mutex again and again. Strong fairness does. With SPIN the lock is a flag that
   is polled: then the waiting thread moves all the time, without getting anywhere, and no fairness helps. */
#include <pthread.h>

int inside[2];
#ifdef SPIN
_Atomic int taken;

static void lock(void) {
    while (__atomic_exchange_n(&taken, 1, __ATOMIC_SEQ_CST)) {
    }
}

static void unlock(void) {
    taken = 0;
}
#else
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void lock(void) {
    pthread_mutex_lock(&m);
}

static void unlock(void) {
    pthread_mutex_unlock(&m);
}
#endif

static void *process(void *arg) {
    int self = (int)(long)arg;
    while (1) {
        lock();
        inside[self] = 1;
        inside[self] = 0;
        unlock();
    }
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, process, (void *)0L);
    pthread_create(&t1, 0, process, (void *)1L);
    pthread_join(t0, 0);
    return 0;
}
