/* A mutex that is a local variable of main, reached by the threads through a struct of pointers. It
   is as good as a global one. With TWO each thread gets a lock of its own and nothing is protected. */
#include <assert.h>
#include <pthread.h>

struct context {
    pthread_mutex_t *lock;
    int *value;
};

static void *worker(void *arg) {
    struct context *c = arg;
    pthread_mutex_lock(c->lock);
    ++*c->value;
    pthread_mutex_unlock(c->lock);
    return 0;
}

int main(void) {
    pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
    int value = 0;
#ifdef TWO
    struct context c1 = {&m[0], &value}, c2 = {&m[1], &value};
#else
    struct context c1 = {&m[0], &value}, c2 = {m, &value};
#endif
    pthread_t t1, t2;
    pthread_create(&t1, 0, worker, &c1);
    pthread_create(&t2, 0, worker, &c2);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(value == 2);
    return 0;
}
