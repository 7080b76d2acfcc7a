/* A read-write lock admits several readers at once, so both try-read-locks of two readers may
   succeed together, and a writer is refused while somebody reads. The readers meet at a barrier
   inside the lock: only possible because they share it. With EXCLUSIVE they take it for writing;
   the first one waits at the barrier for ever, for the other cannot come in. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t inside;

static void *reader(void *arg) {
    (void)arg;
#ifdef EXCLUSIVE
    pthread_rwlock_wrlock(&l);
#else
    assert(pthread_rwlock_tryrdlock(&l) == 0);
#endif
    pthread_barrier_wait(&inside);
    assert(pthread_rwlock_trywrlock(&l) == EBUSY);
    pthread_barrier_wait(&inside);
    pthread_rwlock_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_barrier_init(&inside, 0, 2);
    pthread_create(&t1, 0, reader, 0);
    pthread_create(&t2, 0, reader, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(pthread_rwlock_trywrlock(&l) == 0);
    pthread_rwlock_unlock(&l);
    return 0;
}
