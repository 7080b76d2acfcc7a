/* A thread gets the address of a local variable. The local of main is good until the process ends,
   even if main has returned, for return from main ends the process and with it the thread. The
   local of a helper function that returns at once is dead when the thread uses it (HELPER). */
#include <pthread.h>

static void *worker(void *arg) {
    *(int *)arg = 1;
    return 0;
}

#ifdef HELPER
static void start(pthread_t *t) {
    int local = 0;
    pthread_create(t, 0, worker, &local);
}
#endif

int main(void) {
    pthread_t t;
#ifdef HELPER
    start(&t);
    pthread_join(t, 0);
#else
    int local = 0;
    pthread_create(&t, 0, worker, &local);
#endif
    return 0;
}
