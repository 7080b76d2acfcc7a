/* The destructors of thread-specific data are called in any order when a thread ends. */
#include <assert.h>
#include <pthread.h>

pthread_key_t keys[2];
int first;

void destroy(void *value) {
    if (!first) first = *(int *)value;
}

int numbers[2] = {1, 2};

void *work(void *arg) {
    pthread_setspecific(keys[0], &numbers[0]);
    pthread_setspecific(keys[1], &numbers[1]);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_key_create(&keys[0], destroy);
    pthread_key_create(&keys[1], destroy);
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
#ifdef RELY
    assert(first == 1);
#else
    assert(first == 1 || first == 2);
#endif
    return 0;
}
