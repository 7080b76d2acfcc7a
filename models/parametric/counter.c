/* Any number of threads count under a mutex: after its own increment a thread finds a larger number than before, because all others
   count upwards, too, and wrapping around is excluded. RACY: the increment is not protected, so that an old value can be written back. */
#include <pthread.h>
#include <assert.h>

unsigned value;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *count(void *arg) {
    unsigned before = 0;
    int full;
#ifndef RACY
    pthread_mutex_lock(&lock);
#endif
    before = value;
    full = before == ~0u;
    if (!full) value = before + 1;
#ifndef RACY
    pthread_mutex_unlock(&lock);
#endif
    if (!full) assert(value > before);
    return arg;
}

int main(void) {
    pthread_t t;
    while (1) pthread_create(&t, 0, count, 0);
}
