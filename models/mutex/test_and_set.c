/* The simplest spin lock: test and set one flag. With atomic_flag, test and set are one step and
   the counter is exact. With TWO_STEPS a thread reads the flag and sets it afterwards, and two
   threads can both find it clear. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef TWO_STEPS
static atomic_int taken;
#else
static atomic_flag taken = ATOMIC_FLAG_INIT;
#endif
static int counter;

static void lock(void) {
#ifdef TWO_STEPS
    while (atomic_load(&taken)) {
    }
    atomic_store(&taken, 1);
#else
    while (atomic_flag_test_and_set(&taken)) {
    }
#endif
}

static void unlock(void) {
#ifdef TWO_STEPS
    atomic_store(&taken, 0);
#else
    atomic_flag_clear(&taken);
#endif
}

static void *process(void *arg) {
    (void)arg;
    for (int i = 0; i < 2; i++) {
        lock();
        counter++;
        unlock();
    }
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, process, 0);
    pthread_create(&t1, 0, process, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    assert(counter == 4);
    return 0;
}
