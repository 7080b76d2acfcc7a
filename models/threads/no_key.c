/* Keys that were never created, or have been deleted, are no keys: storing is an error and nothing is found. With ERROR the program
   expects them to work. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static int value;

int main(void) {
    pthread_key_t key, never = 5;
    assert(pthread_getspecific(never) == 0);
    assert(pthread_key_delete(never) == EINVAL);
    pthread_key_create(&key, 0);
    assert(pthread_setspecific(key, &value) == 0 && pthread_getspecific(key) == &value);
    assert(pthread_key_delete(key) == 0);
    assert(pthread_setspecific(key, &value) == EINVAL);
    assert(pthread_getspecific(key) == 0);
    int error = pthread_setspecific(never, &value);
#ifdef ERROR
    assert(error == 0);
#else
    assert(error == EINVAL);
#endif
    return 0;
}
