/* Double-checked locking: the first look without the lock races. ATOMIC: the pointer is atomic. ALWAYS: the lock is always taken. ONCE: pthread_once
   instead. N threads. */
#include <pthread.h>
#ifndef N
#define N 2
#endif

#ifdef ATOMIC
int *_Atomic instance;
#else
int *instance;
#endif
int object;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_once_t once = PTHREAD_ONCE_INIT;

void make(void) {
    object = 1;
    instance = &object;
}

void *user(void *arg) {
    (void)arg;
#ifdef ONCE
    pthread_once(&once, make);
#else
#ifndef ALWAYS
    if (!instance)
#endif
    {
        pthread_mutex_lock(&lock);
        if (!instance) make();
        pthread_mutex_unlock(&lock);
    }
#endif
    return *instance == 1 ? 0 : arg;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++) pthread_create(&t[i], 0, user, 0);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    return 0;
}
