/* A pointer is read and followed in a loop. In the first round a lock protects the access, in the second none does; with
   ALWAYS there is no race. */
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static int x, y;
static int *p;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int locked(int round) {
#ifdef ALWAYS
    (void)round;
    return 1;
#else
    return round == 0;
#endif
}

static void *worker(void *arg) {
    (void)arg;
    for (int i = 0; i < 2; i++) {
        if (locked(i))
            pthread_mutex_lock(&m);
        *p = i;
        if (locked(i))
            pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void) {
    pthread_t t;
    p = __VERIFIER_nondet_int() ? &x : &y;
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_lock(&m);
    x = 5;
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return x + y;
}
