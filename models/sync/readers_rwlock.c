/* Readers and a writer around a pair that must stay equal, with a POSIX read-write lock. Readers
   may overlap each other but never the writer. With READ_TO_WRITE the writer takes the lock for
   reading only, so a reader sees the pair half written. */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int a, b;

static void *writer(void *arg) {
    (void)arg;
    for (int i = 1; i <= 2; i++) {
#ifdef READ_TO_WRITE
        pthread_rwlock_rdlock(&l);
#else
        pthread_rwlock_wrlock(&l);
#endif
        a = i;
        b = i;
        pthread_rwlock_unlock(&l);
    }
    return 0;
}

static void *reader(void *arg) {
    (void)arg;
    pthread_rwlock_rdlock(&l);
    assert(a == b);
    pthread_rwlock_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t w, r1, r2;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&r1, 0, reader, 0);
    pthread_create(&r2, 0, reader, 0);
    pthread_join(w, 0);
    pthread_join(r1, 0);
    pthread_join(r2, 0);
    return 0;
}
