/* A thread waits for a condition with a recursive mutex that it has locked twice: waiting unlocks it once only, so nobody else gets it and the
   thread waits for ever. With SINGLE it is locked once. With UNLOCKED the other thread signals without the mutex, and the one that
   waited still has to unlock twice. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int go;

static void *signaller(void *arg) {
#ifndef UNLOCKED
    pthread_mutex_lock(&m);
#endif
    go = 1;
    pthread_cond_broadcast(&c);
#ifndef UNLOCKED
    pthread_mutex_unlock(&m);
#endif
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &recursive);
    pthread_mutex_lock(&m);
#ifndef SINGLE
    pthread_mutex_lock(&m);
#endif
    pthread_create(&t, 0, signaller, 0);
#ifdef UNLOCKED
    pthread_cond_wait(&c, &m);
#else
    while (!go)
        pthread_cond_wait(&c, &m);
#endif
#ifdef UNLOCKED
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_unlock(&m) != 0);
#else
    pthread_mutex_unlock(&m);
#ifndef SINGLE
    pthread_mutex_unlock(&m);
#endif
#endif
    pthread_join(t, 0);
    return 0;
}
