/* A thread blocks for ever on a mutex that main holds. If main then returns, exits or prunes the
   run, that is no deadlock; only if main waits for the thread (default) it is one. */
#include <pthread.h>
#include <stdlib.h>

extern void __VERIFIER_assume(int);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *blocked(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, 0, blocked, 0);
#if defined RETURN
    return 0;
#elif defined EXIT
    exit(0);
#elif defined ASSUME
    __VERIFIER_assume(0);
#endif
    pthread_join(t, 0);
    return 0;
}
