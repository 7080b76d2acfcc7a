/* A lock that has been given back protects nothing that comes after it: both threads can find the
   flag free. With SECTION the lock is taken and given back in one atomic piece, with GUARDED it is
   kept while the flag is looked at and set. */
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, count, flag;

static void inside(void) {
    x = 1;
    x = 0;
    assert(x == 0);
    flag = 0;
}

static void *worker(void *arg) {
    (void)arg;
#ifdef SECTION
    __VERIFIER_atomic_begin();
#endif
    pthread_mutex_lock(&m);
    count = 1;
#ifdef GUARDED
    if (flag == 0) {
        flag = 1;
        pthread_mutex_unlock(&m);
        inside();
    } else {
        pthread_mutex_unlock(&m);
    }
#else
    pthread_mutex_unlock(&m);
#ifdef SECTION
    __VERIFIER_atomic_end();
#endif
    if (flag == 0) {
        flag = 1;
        inside();
    }
#endif
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, worker, 0);
    pthread_create(&t2, 0, worker, 0);
    return 0;
}
