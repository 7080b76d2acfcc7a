/* A thread takes a lock again and again in memory that main frees. GIVES: it gives it back in between. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t *lock;

static void *worker(void *arg) {
    pthread_mutex_t *mine = arg;
    while (1) {
        pthread_mutex_lock(mine);
#ifdef GIVES
        pthread_mutex_unlock(mine);
#endif
    }
    return 0;
}

int main(void) {
    pthread_t t;
    lock = malloc(sizeof *lock);
    pthread_mutex_init(lock, 0);
    pthread_create(&t, 0, worker, lock);
    free(lock);
    return 0;
}
