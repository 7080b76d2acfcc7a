/* A counter as a library has it: each call of next gives a number of its own, if it is one step. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct counter {
    unsigned value;
};

unsigned next(struct counter *c) {
    unsigned now;
    pthread_mutex_lock(&lock);
    now = c->value;
#ifdef TORN
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    c->value = now + 1;
    pthread_mutex_unlock(&lock);
    return now;
}

void reset(struct counter *c) {
    pthread_mutex_lock(&lock);
    c->value = 0;
    pthread_mutex_unlock(&lock);
}
