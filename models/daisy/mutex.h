/* Daisy's own mutex: a flag behind a token lock. Whoever holds the mutex does not hold the token. */
#ifndef DAISY_MUTEX_H
#define DAISY_MUTEX_H

#include <pthread.h>

struct mutex {
    pthread_mutex_t token;
    pthread_cond_t released;
    int held;
};

#define MUTEX_INITIALIZER {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0}

static inline void acquire(struct mutex *mutex) {
    pthread_mutex_lock(&mutex->token);
    while (mutex->held)
        pthread_cond_wait(&mutex->released, &mutex->token);
    mutex->held = 1;
    pthread_mutex_unlock(&mutex->token);
}

static inline void release(struct mutex *mutex) {
    pthread_mutex_lock(&mutex->token);
    mutex->held = 0;
    pthread_cond_signal(&mutex->released);
    pthread_mutex_unlock(&mutex->token);
}

#endif
