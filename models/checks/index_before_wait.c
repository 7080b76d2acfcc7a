/* An atomic section that waits stays where it is, unless what it does before goes wrong: the index
   is out of bounds once the others have changed it. With LOCK the section waits for a lock that a
   thread holds while the index is wrong, with IN_BOUNDS it never is. */
#include <pthread.h>
#include <semaphore.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

#ifdef IN_BOUNDS
#define FAR 4
#else
#define FAR 5
#endif

static int i, j = 5, cells[10];
static sem_t never;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *waiter(void *arg) {
    (void)arg;
    __VERIFIER_atomic_begin();
    cells[i + j] = 1;
#ifdef LOCK
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
#else
    sem_wait(&never);
#endif
    __VERIFIER_atomic_end();
    return 0;
}

static void *first(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    i = FAR;
#ifdef LOCK
    i = 0;
#endif
    pthread_mutex_unlock(&m);
    return 0;
}

static void *second(void *arg) {
    (void)arg;
#ifndef LOCK
    j = 0;
#endif
    return 0;
}

int main(void) {
    pthread_t t1, t2, t3;
    sem_init(&never, 0, 0);
    pthread_create(&t1, 0, waiter, 0);
    pthread_create(&t2, 0, second, 0);
    pthread_create(&t3, 0, first, 0);
    return 0;
}
