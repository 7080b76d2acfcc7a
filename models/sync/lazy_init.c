/* Lazy initialisation by double-checked locking: look, lock, look again, create. Two users must get
   the same, complete object. With SINGLE_CHECK nobody looks again and two objects are made. With
   EARLY the pointer is published before the value is stored and a user sees it empty. The pointer
   is read without a lock, which is a data race unless it is atomic (ATOMIC). */
#include <assert.h>
#include <pthread.h>

struct config {
    int value;
};
#ifdef ATOMIC
static struct config *_Atomic instance;
#else
static struct config *instance;
#endif
static struct config storage[2];
static int made;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static struct config *get(void) {
    if (!instance) {
        pthread_mutex_lock(&m);
#ifndef SINGLE_CHECK
        if (!instance)
#endif
        {
            struct config *fresh = &storage[made++];
#ifdef EARLY
            instance = fresh;
            fresh->value = 7;
#else
            fresh->value = 7;
            instance = fresh;
#endif
        }
        pthread_mutex_unlock(&m);
    }
    return instance;
}

static void *user(void *arg) {
    (void)arg;
    assert(get()->value == 7);
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, user, 0);
    pthread_create(&t2, 0, user, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(made == 1);
    return 0;
}
