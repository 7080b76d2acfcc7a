/* Relaxed flags beside other synchronisation: who reads the flag knows only what something else orders.
     (none)     writer and reader hold the same mutex
     READERS    two readers of a readers-writer lock: they are not ordered among each other
     UPGRADE    the writer of the message holds the lock for writing
     SEMAPHORE  the flag is read after sem_wait
     TRIED      a mutex that could not be locked orders nothing
     SIGNAL     a sequentially consistent flag beside the relaxed one */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

int message, received;
atomic_int flag, strong;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
sem_t sem;

static int seen(void) {
    return atomic_load_explicit(&flag, memory_order_relaxed);
}

void *sender(void *arg) {
    (void)arg;
#if defined READERS
    pthread_rwlock_rdlock(&rwlock);
#elif defined UPGRADE
    pthread_rwlock_wrlock(&rwlock);
#elif !defined TRIED
    pthread_mutex_lock(&mutex);
#endif
    message = 1;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
#if defined READERS || defined UPGRADE
    pthread_rwlock_unlock(&rwlock);
#elif defined TRIED
    pthread_mutex_lock(&mutex);
#else
    pthread_mutex_unlock(&mutex);
#endif
    sem_post(&sem);
    atomic_store(&strong, 1);
    return 0;
}

void *receiver(void *arg) {
    (void)arg;
#if defined READERS || defined UPGRADE
    pthread_rwlock_rdlock(&rwlock);
    if (seen()) received = message;
    pthread_rwlock_unlock(&rwlock);
#elif defined SEMAPHORE
    sem_wait(&sem);
    if (seen()) received = message;
#elif defined TRIED
    if (pthread_mutex_trylock(&mutex)) received = message;
#elif defined SIGNAL
    if (atomic_load(&strong) && seen()) received = message;
#else
    pthread_mutex_lock(&mutex);
    if (seen()) received = message;
    pthread_mutex_unlock(&mutex);
#endif
    return 0;
}

int main(void) {
    pthread_t a, b;
    sem_init(&sem, 0, 0);
    pthread_create(&a, 0, sender, 0);
    pthread_create(&b, 0, receiver, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return received;
}
