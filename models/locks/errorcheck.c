/* An error-checking mutex reports misuse instead of suffering it: EDEADLK when its owner locks it
   again, EPERM when somebody unlocks it who does not own it. These are ordinary return values,
   neither a deadlock nor a misuse. With PLAIN the mutex is a normal one: the second lock blocks for
   ever. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t m;

static void *stranger(void *arg) {
    (void)arg;
    assert(pthread_mutex_unlock(&m) == EPERM);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
#ifdef PLAIN
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_NORMAL);
#else
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
#endif
    pthread_mutex_init(&m, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_mutex_lock(&m);
    int again = pthread_mutex_lock(&m);
    assert(again == EDEADLK);
    pthread_create(&t, 0, stranger, 0);
    pthread_join(t, 0);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == EPERM);
    return 0;
}
