/* Points of time are read, and those that are none are refused: a null pointer is an invalid access, nanoseconds from one thousand million on
   give EINVAL where the thread would have to wait, and another thread that sets the time meanwhile races. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
struct timespec until = {1, 5};

void *adjust(void *arg) {
    (void)arg;
#ifdef RACY
    until.tv_nsec = 7;
#endif
    return 0;
}

int main(void) {
    pthread_t t;
    struct timespec *when = &until;
    int result;
#ifdef NOTHING
    when = 0;
#endif
#ifdef TOO_MANY
    until.tv_nsec = 1000000000;
#endif
    pthread_create(&t, 0, adjust, 0);
    pthread_mutex_lock(&lock);
    result = pthread_cond_timedwait(&ready, &lock, when);
    assert(result == 0 || result == ETIMEDOUT);
    pthread_mutex_unlock(&lock);
    pthread_join(t, 0);
    return 0;
}
