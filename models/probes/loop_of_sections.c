/* A thread whose loop is one atomic section that may wait, after it has done something else: it posts what it waits for. CHECKS: it goes
   wrong before it waits for ever. LOCKS: the section only waits, which is no deadlock. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static sem_t posts;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *worker(void *arg) {
    (void)arg;
    while (1) {
        __VERIFIER_atomic_begin();
#if defined CHECKS
        count++;
        assert(count != 4);
        if (count < 4)
            pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
#elif defined LOCKS
        pthread_mutex_lock(&lock);
#else
        if (count < 4)
            count++;
        sem_post(&posts);
        sem_wait(&posts);
#endif
        __VERIFIER_atomic_end();
    }
    return 0;
}

int main(void) {
    pthread_t t;
    sem_init(&posts, 0, 0);
#ifdef CHECKS
    pthread_mutex_lock(&lock);
#endif
    pthread_create(&t, 0, worker, 0);
#ifdef LOCKS
    pthread_join(t, 0);
#else
    assert(count != 4);
#endif
    return 0;
}
