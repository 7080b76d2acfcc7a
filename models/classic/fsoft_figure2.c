/* The second example of the F-Soft paper (Kahlon, Gupta, Sinha, CAV'06, figure 2). The two writes
   of x happen under different locks, so x follows no locking discipline; still they cannot race,
   because thread 2 must acquire lk1 on its way to its write, and thread 1 holds lk1 until its own
   write is done, and the other way round. The price is a deadlock: the locks are taken in opposite
   orders. With SAME_ORDER both take lk1 first, which removes the deadlock and still leaves no race.
   With EARLY_RELEASE thread 2 releases lk2 before its write, and then nothing keeps the writes
   apart. FOUR: two threads of each kind; then nothing is ruled out any more for two of one kind, which hold the same locks in turn. */
#include <pthread.h>

static pthread_mutex_t lk1 = PTHREAD_MUTEX_INITIALIZER, lk2 = PTHREAD_MUTEX_INITIALIZER;
static int x, y, z;

static void *thread1(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lk1);
    pthread_mutex_lock(&lk2);
    y = 1;
    pthread_mutex_unlock(&lk2);
    x = 0;
    pthread_mutex_unlock(&lk1);
    return 0;
}

static void *thread2(void *arg) {
    (void)arg;
#ifdef SAME_ORDER
    pthread_mutex_lock(&lk1);
    pthread_mutex_lock(&lk2);
#else
    pthread_mutex_lock(&lk2);
    pthread_mutex_lock(&lk1);
#endif
    z = 2;
    pthread_mutex_unlock(&lk1);
#ifdef EARLY_RELEASE
    pthread_mutex_unlock(&lk2);
    x = 1;
#else
    x = 1;
    pthread_mutex_unlock(&lk2);
#endif
    return 0;
}

int main(void) {
    pthread_t t1, t2;
#ifdef FOUR
    pthread_t t3, t4;
    pthread_create(&t3, 0, thread1, 0);
    pthread_create(&t4, 0, thread2, 0);
#endif
    pthread_create(&t1, 0, thread1, 0);
    pthread_create(&t2, 0, thread2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
#ifdef FOUR
    pthread_join(t3, 0);
    pthread_join(t4, 0);
#endif
    return x + y + z;
}
