/* What is in use must not be initialised again, one mistake at a time: MUTEX (THROUGH a pointer), C11, SPIN, RW_READ, RW_WRITE a lock that is held; COND a
   condition that a thread waits for; SEM, BARRIER what is initialised already, which has no static initialiser.
   All is well without: a mutex of zeros, one with a static initialiser and one that was destroyed are initialised. LOCAL, HEAP: memory that
   holds anything becomes a mutex. COPY, MEMCPY: so does a copy of a locked one. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

struct guarded {
    pthread_mutex_t lock;
    int value;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, zeros, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t sem;
static mtx_t plain;
static struct guarded one, two;
static int go;

static void initialise(pthread_mutex_t *mutex) {
    pthread_mutex_init(mutex, 0);
}

static void *worker(void *arg) {
    (void)arg;
#if defined COND
    pthread_mutex_lock(&m);
    while (!go) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
#elif defined MUTEX
    pthread_mutex_init(&m, 0);
#elif defined THROUGH
    initialise(go ? &zeros : &m);
#elif defined RW_READ || defined RW_WRITE
    pthread_rwlock_init(&rw, 0);
#else
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
#endif
    return 0;
}

static void use(void) {
#if defined C11
    mtx_lock(&plain);
    mtx_init(&plain, mtx_plain);
#elif defined SPIN
    pthread_spin_lock(&spin);
    pthread_spin_init(&spin, 0);
#elif defined MUTEX || defined THROUGH
    pthread_mutex_lock(&m);
#elif defined RW_READ
    pthread_rwlock_rdlock(&rw);
#elif defined RW_WRITE
    pthread_rwlock_wrlock(&rw);
#elif defined COND
    pthread_cond_init(&c, 0);
#elif defined SEM
    sem_post(&sem);
    sem_init(&sem, 0, 1);
#elif defined BARRIER
    pthread_barrier_init(&barrier, 0, 2);
#elif defined LOCAL
    pthread_mutex_t local;
    initialise(&local);
    pthread_mutex_lock(&local);
    pthread_mutex_unlock(&local);
#elif defined HEAP
    pthread_mutex_t *heap = malloc(sizeof *heap);
    initialise(heap);
    pthread_mutex_lock(heap);
    pthread_mutex_unlock(heap);
#elif defined COPY || defined MEMCPY
    pthread_mutex_lock(&one.lock);
#ifdef COPY
    two = one;
#else
    memcpy(&two, &one, sizeof two);
#endif
    pthread_mutex_init(&two.lock, 0);
    pthread_mutex_unlock(&one.lock);
#else
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
#endif
}

int main(void) {
    pthread_t t;
    pthread_mutex_init(&n, 0);
    pthread_mutex_lock(&n);
    pthread_mutex_unlock(&n);
    pthread_mutex_init(&zeros, 0);
    pthread_mutex_destroy(&zeros);
    pthread_mutex_init(&zeros, 0);
    pthread_spin_init(&spin, 0);
    pthread_barrier_init(&barrier, 0, 1);
    pthread_barrier_destroy(&barrier);
    pthread_barrier_init(&barrier, 0, 1);
    sem_init(&sem, 0, 0);
    sem_destroy(&sem);
    sem_init(&sem, 0, 0);
    mtx_init(&plain, mtx_plain);
    pthread_create(&t, 0, worker, 0);
    use();
    return 0;
}
