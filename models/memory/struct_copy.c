/* Copying a struct is as many steps as it has members: a reader that copies the pair while a writer
   assigns it can get one new and one old half. With LOCKED both copies are critical sections. */
#include <assert.h>
#include <pthread.h>

struct pair {
    int a, b;
};
static struct pair shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void lock(void) {
#ifdef LOCKED
    pthread_mutex_lock(&m);
#else
    (void)&m;
#endif
}

static void unlock(void) {
#ifdef LOCKED
    pthread_mutex_unlock(&m);
#endif
}

static void *writer(void *arg) {
    struct pair fresh = {1, 1};
    (void)arg;
    lock();
    shared = fresh;
    unlock();
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    lock();
    struct pair copy = shared;
    unlock();
    assert(copy.a == copy.b);
    pthread_join(t, 0);
    return 0;
}
