/* A buffer of one place, N producers and N consumers, one condition for both. Told one at a time, the wrong one may be woken. ALL: all are
   told. TWO: a condition for each side. */
#include <pthread.h>
#ifndef N
#define N 2
#endif

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
int full;

#ifdef ALL
#define TELL pthread_cond_broadcast
#else
#define TELL pthread_cond_signal
#endif
#ifdef TWO
#define EMPTIED emptied
#else
#define EMPTIED changed
#endif

void *producer(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock);
    while (full) pthread_cond_wait(&EMPTIED, &lock);
    full = 1;
    TELL(&changed);
    pthread_mutex_unlock(&lock);
    return 0;
}

void *consumer(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock);
    while (!full) pthread_cond_wait(&changed, &lock);
    full = 0;
    TELL(&EMPTIED);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t p[N], c[N];
    for (int i = 0; i < N; i++) {
        pthread_create(&p[i], 0, producer, 0);
        pthread_create(&c[i], 0, consumer, 0);
    }
    for (int i = 0; i < N; i++) {
        pthread_join(p[i], 0);
        pthread_join(c[i], 0);
    }
    return 0;
}
