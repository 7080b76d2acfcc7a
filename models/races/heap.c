/* Memory from the heap, reached by N threads through a pointer. OWN: each allocates its own. LOCKED: under a lock. FREED: one frees what the
   others read. LATE: main frees after it has joined them. */
#include <pthread.h>
#include <stdlib.h>
#ifndef N
#define N 2
#endif

int *shared;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
    int *p = shared;
    (void)arg;
#if defined OWN
    p = malloc(sizeof *p);
    *p = 1;
    free(p);
#elif defined LOCKED
    pthread_mutex_lock(&lock);
    *p += 1;
    pthread_mutex_unlock(&lock);
#elif defined FREED
    if ((long)arg == 0)
        free(p);
    else
        return *p ? p : 0;
#elif defined LATE
    return *p ? arg : 0;
#else
    *p = 1;
#endif
    return 0;
}

int main(void) {
    pthread_t t[N];
    shared = malloc(sizeof *shared);
    *shared = 0;
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
#ifdef LATE
    free(shared);
#endif
    return 0;
}
