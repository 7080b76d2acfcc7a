/* What must not be done with locks and conditions, one mistake at a time. RELOCK: a normal mutex is locked again by its owner. UNINITIALISED: a
   mutex on the stack is locked that nobody initialised. HEAP: the same on the heap. TWO: two threads wait on one condition with two
   mutexes. COND_DESTROY, MUTEX_DESTROY, SEM_DESTROY, BARRIER_DESTROY: what a thread waits on (or with) is destroyed. COND_AFTER, SEM_AFTER, RW_AFTER:
   used after its destruction. RW_HELD: a readers-writer lock is destroyed by a reader. RW_UNLOCK: it is unlocked by who does not
   hold it. RW_UPGRADE: a reader locks it for writing. SPIN_RELOCK, SPIN_UNLOCK: a spin lock is locked twice, unlocked by a stranger.
   SEM_UNINITIALISED: a semaphore is used that nobody initialised. SELF_JOIN: a thread joins itself.
   Without any of these all is well; RECURSIVE: a recursive mutex may be locked again. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER, r;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t sem;
static int go;

static void *worker(void *arg) {
    (void)arg;
#if defined TWO || defined COND_DESTROY || defined MUTEX_DESTROY
    pthread_mutex_lock(&m);
    while (!go) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
#elif defined SEM_DESTROY
    sem_wait(&sem);
#elif defined BARRIER_DESTROY
    pthread_barrier_wait(&barrier);
#elif defined SPIN_UNLOCK
    pthread_spin_unlock(&spin);
#else
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
#endif
    return 0;
}

static void mistake(void) {
#if defined RELOCK
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
#elif defined RECURSIVE
    pthread_mutex_lock(&r);
    pthread_mutex_lock(&r);
    pthread_mutex_unlock(&r);
    pthread_mutex_unlock(&r);
#elif defined UNINITIALISED
    pthread_mutex_t local;
    pthread_mutex_lock(&local);
#elif defined HEAP
    pthread_mutex_t *heap = malloc(sizeof *heap);
    pthread_mutex_lock(heap);
#elif defined TWO
    pthread_mutex_lock(&n);
    pthread_cond_wait(&c, &n);
    pthread_mutex_unlock(&n);
#elif defined COND_DESTROY
    pthread_cond_destroy(&c);
#elif defined MUTEX_DESTROY
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_destroy(&m);
#elif defined SEM_DESTROY
    sem_destroy(&sem);
#elif defined BARRIER_DESTROY
    pthread_barrier_destroy(&barrier);
#elif defined COND_AFTER
    pthread_cond_destroy(&c);
    pthread_cond_signal(&c);
#elif defined SEM_UNINITIALISED
    static sem_t zeros;
    sem_post(&zeros);
#elif defined SELF_JOIN
    pthread_join(pthread_self(), 0);
#elif defined SEM_AFTER
    sem_destroy(&sem);
    sem_post(&sem);
#elif defined RW_AFTER
    pthread_rwlock_destroy(&rw);
    pthread_rwlock_rdlock(&rw);
#elif defined RW_HELD
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_destroy(&rw);
#elif defined RW_UNLOCK
    pthread_rwlock_unlock(&rw);
#elif defined RW_UPGRADE
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_wrlock(&rw);
#elif defined SPIN_RELOCK
    pthread_spin_lock(&spin);
    pthread_spin_lock(&spin);
#elif defined SPIN_UNLOCK
    pthread_spin_lock(&spin);
#endif
}

int main(void) {
    pthread_t t;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&r, &attr);
    pthread_spin_init(&spin, 0);
    pthread_barrier_init(&barrier, 0, 2);
    sem_init(&sem, 0, 0);
    pthread_create(&t, 0, worker, 0);
    mistake();
    pthread_mutex_lock(&n);
    go = 1;
    pthread_mutex_unlock(&n);
    return 0;
}
