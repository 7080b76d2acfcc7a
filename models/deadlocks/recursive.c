/* A mutex is locked N times by its thread and unlocked as often, while another one wants it. FORGET: one unlock too few. NORMAL: the mutex is
   a normal one. ERROR: it reports the mistake, and the thread does not insist. */
#define _GNU_SOURCE
#include <pthread.h>
#ifndef N
#define N 2
#endif
#if defined NORMAL
#define KIND PTHREAD_MUTEX_NORMAL
#elif defined ERROR
#define KIND PTHREAD_MUTEX_ERRORCHECK
#else
#define KIND PTHREAD_MUTEX_RECURSIVE
#endif

pthread_mutex_t lock;

void *again(void *arg) {
    int held = 0;
    (void)arg;
    for (int i = 0; i < N; i++)
        if (pthread_mutex_lock(&lock) == 0) held++;
#ifdef FORGET
    held--;
#endif
    for (int i = 0; i < held; i++) pthread_mutex_unlock(&lock);
    return 0;
}

void *other(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, KIND);
    pthread_mutex_init(&lock, &attr);
    pthread_create(&a, 0, again, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
