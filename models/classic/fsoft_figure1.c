/* The first example of the F-Soft paper (Kahlon, Gupta, Sinha, CAV'06, figure 1): x is written
   under the lock lk by both threads, and once more by thread 2 without it. The last write races
   with thread 1's. In the end x is 1 or 6 and never 2, for thread 2 overwrites its own 2. With
   PROTECTED the last write is under the lock too; with LATE_ONE the program claims that thread 2
   always comes last. FOUR: two threads of each kind. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lk = PTHREAD_MUTEX_INITIALIZER;
static int a, z, x;

static void *thread1(void *arg) {
    (void)arg;
    a = 0;
    pthread_mutex_lock(&lk);
    x = 1;
    pthread_mutex_unlock(&lk);
    a = 4;
    return (void *)(long)a;
}

static void *thread2(void *arg) {
    (void)arg;
    z = 5;
    pthread_mutex_lock(&lk);
    x = 2;
#ifndef PROTECTED
    pthread_mutex_unlock(&lk);
#endif
    x = 6;
#ifdef PROTECTED
    pthread_mutex_unlock(&lk);
#endif
    return (void *)(long)z;
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
#ifdef LATE_ONE
    assert(x == 6);
#else
    assert((x == 1 || x == 6) && a + z <= 9);
#endif
    return 0;
}
