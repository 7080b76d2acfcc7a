/* A thread that starts after another one has ended begins afresh, even where it takes over the
   other's place: its thread-local variables have their initial values, its thread-specific data are
   null, and it does not own what the other one locked. With LEFT_LOCKED the first thread leaves a
   recursive mutex locked; the second one is another thread and waits for ever. */
#include <assert.h>
#include <pthread.h>

static __thread int mine = 5;
static pthread_key_t key;
static pthread_mutex_t m;
static int value = 1, rounds = 2;

static void *worker(void *arg) {
    assert(mine == 5);
    mine++;
    assert(pthread_getspecific(key) == 0);
    pthread_setspecific(key, &value);
    pthread_mutex_lock(&m);
    if (arg)
        pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_mutexattr_t attr;
    pthread_key_create(&key, 0);
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attr);
#ifdef LEFT_LOCKED
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
#endif
    while (rounds > 0) {
        pthread_create(&t, 0, worker, &value);
        pthread_join(t, 0);
        rounds--;
    }
    return 0;
}
