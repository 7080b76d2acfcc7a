/* A thread that waits for a semaphore and then looks at a cell that it chooses: what lets it go on does
   not depend on the choice. With NEVER nobody posts. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

_Bool __VERIFIER_nondet_bool(void);

static sem_t sem;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, flag[2];

static void *counter(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
#ifndef NEVER
    sem_post(&sem);
#endif
    return 0;
}

static void *chooser(void *arg) {
    (void)arg;
    sem_wait(&sem);
    int k = __VERIFIER_nondet_bool();
    if (flag[k] == 0) {
        flag[k] = 1;
        x = 3;
    }
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    sem_init(&sem, 0, 0);
    pthread_create(&t1, 0, counter, 0);
    pthread_create(&t2, 0, chooser, 0);
    pthread_join(t1, 0);
    assert(x < 3);
    return 0;
}
