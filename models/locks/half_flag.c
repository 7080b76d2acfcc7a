/* The flag has eight bytes, and only four of them are looked at: both threads find it free. With WHOLE
   all of it is. */
#include <assert.h>
#include <pthread.h>

#ifdef WHOLE
#define SEEN flag
#else
#define SEEN *(int *)&flag
#endif

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned long long flag;
static int x;

static void *worker(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    if (SEEN == 0) {
        flag = 1ULL << 32;
        pthread_mutex_unlock(&m);
        x = 1;
        x = 0;
        assert(x == 0);
        flag = 0;
    } else {
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, worker, 0);
    pthread_create(&t2, 0, worker, 0);
    return 0;
}
