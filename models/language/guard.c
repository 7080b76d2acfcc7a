/* A lock that the attribute cleanup gives back on every way out of the block. FORGET: one way takes it back from the guard. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void release(pthread_mutex_t **held) {
    if (*held) pthread_mutex_unlock(*held);
}

static int change(int by) {
    pthread_mutex_t *held __attribute__((cleanup(release))) = &lock;
    pthread_mutex_lock(held);
    if (by == 0) {
#ifdef FORGET
        held = NULL;
#endif
        return value;
    }
    value += by;
    return value;
}

static void *worker(void *argument) {
    change(1);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    change(0);
    pthread_join(thread, NULL);
    return 0;
}
