/* Every kind of handle in one heap object: thread, mutex, condition, semaphore, barrier. A crew of
   two is built, put to work and torn down. With TOO_EARLY the object is freed before the second
   thread was joined. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

struct crew {
    pthread_t member[2];
    pthread_mutex_t lock;
    pthread_cond_t changed;
    sem_t tool;
    pthread_barrier_t start;
    int done;
};

static void *work(void *arg) {
    struct crew *c = arg;
    pthread_barrier_wait(&c->start);
    sem_wait(&c->tool);
    pthread_mutex_lock(&c->lock);
    c->done++;
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
    sem_post(&c->tool);
    return 0;
}

int main(void) {
    struct crew *c = malloc(sizeof *c);
    pthread_mutex_init(&c->lock, 0);
    pthread_cond_init(&c->changed, 0);
    sem_init(&c->tool, 0, 1);
    pthread_barrier_init(&c->start, 0, 2);
    c->done = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&c->member[i], 0, work, c);
    pthread_mutex_lock(&c->lock);
    while (c->done < 2)
        pthread_cond_wait(&c->changed, &c->lock);
    assert(c->done == 2);
    pthread_mutex_unlock(&c->lock);
    pthread_join(c->member[0], 0);
#ifdef TOO_EARLY
    pthread_t last = c->member[1];
    free(c);
    pthread_join(last, 0);
#else
    pthread_join(c->member[1], 0);
    free(c);
#endif
    return 0;
}
