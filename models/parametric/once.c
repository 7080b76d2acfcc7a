/* The first of any number of threads initialises what all others use. LATE: the flag is set before the value. */
#include <pthread.h>
#include <assert.h>

int state, seed;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *user(void *arg) {
    int first;
    pthread_mutex_lock(&lock);
    first = state == 0;
    if (first) {
#ifdef LATE
        state = 1;
        pthread_mutex_unlock(&lock);
        seed = 7;
        return arg;
#else
        seed = 7;
        state = 1;
#endif
    }
    pthread_mutex_unlock(&lock);
    assert(seed != 0);
    return arg;
}

int main(void) {
    pthread_t t;
    while (1) pthread_create(&t, 0, user, 0);
}
