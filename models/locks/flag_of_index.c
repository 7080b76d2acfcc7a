/* One thread sets the flag of an index that it then forgets, so nothing in its registers tells which
   one it holds: the other may hold flag 0 at the same time. With POINTER it is the other one that
   has only a pointer left. With ALWAYS both mean flag 0, and keep each other out. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

_Bool __VERIFIER_nondet_bool(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t set;
static int x, seen, chosen, flag[2];

static void *writer(void *arg) {
    (void)arg;
#if defined(POINTER) || defined(ALWAYS)
    int k = 0;
#else
    int k = __VERIFIER_nondet_bool();
#endif
    pthread_mutex_lock(&m);
    int taken = flag[k];
    if (taken == 0) {
        flag[k] = 1;
        pthread_mutex_unlock(&m);
        sem_post(&set);
        x = 1;
        x = 0;
#ifdef POINTER
        pthread_mutex_lock(&m);
        flag[0] = 0;
        pthread_mutex_unlock(&m);
#endif
    } else {
        pthread_mutex_unlock(&m);
    }
    return 0;
}

static void *reader(void *arg) {
    (void)arg;
#ifdef POINTER
    int k = chosen;
    int *mine = &flag[k];
    sem_wait(&set);
    seen = k;
#else
    int *mine = &flag[0];
    sem_wait(&set);
#endif
    pthread_mutex_lock(&m);
    int taken = *mine;
    if (taken == 0) {
        *mine = 1;
        pthread_mutex_unlock(&m);
        assert(x == 0);
#ifdef POINTER
        pthread_mutex_lock(&m);
        *mine = 0;
        pthread_mutex_unlock(&m);
#endif
    } else {
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    sem_init(&set, 0, 0);
#ifdef POINTER
    chosen = __VERIFIER_nondet_bool();
#endif
    pthread_create(&t1, 0, writer, 0);
    pthread_create(&t2, 0, reader, 0);
    return 0;
}
