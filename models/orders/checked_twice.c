/* Double-checked locking: the first look without the lock.
     (none)     acquire load, release store
     LOOK=o     the order of the first look, PUBLISH=o of the store */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef LOOK
#define LOOK memory_order_acquire
#endif
#ifndef PUBLISH
#define PUBLISH memory_order_release
#endif

struct thing {
    int value;
};

_Atomic(struct thing *) instance;
pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
struct thing room;

static struct thing *get(void) {
    struct thing *found = atomic_load_explicit(&instance, LOOK);
    if (!found) {
        pthread_mutex_lock(&once);
        found = atomic_load_explicit(&instance, memory_order_relaxed);
        if (!found) {
            found = &room;
            found->value = 7;
            atomic_store_explicit(&instance, found, PUBLISH);
        }
        pthread_mutex_unlock(&once);
    }
    return found;
}

void *user(void *arg) {
    (void)arg;
    return (void *)(long)get()->value;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, user, 0);
    pthread_create(&b, 0, user, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
