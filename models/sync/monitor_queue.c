/* A bounded queue as a monitor: mutex, condition, cells and counter in one struct that is handed
   around by pointer. Two producers and the consumer share one condition, so a signal can reach the
   wrong one: with SIGNAL a producer that has just filled the queue may wake the other producer, who
   goes back to sleep beside the sleeping consumer for ever. A broadcast reaches everybody. */
#include <assert.h>
#include <pthread.h>

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int cell[1];
    int count;
};

static void wake(struct queue *q) {
#ifdef SIGNAL
    pthread_cond_signal(&q->changed);
#else
    pthread_cond_broadcast(&q->changed);
#endif
}

static void put(struct queue *q, int item) {
    pthread_mutex_lock(&q->lock);
    while (q->count == 1)
        pthread_cond_wait(&q->changed, &q->lock);
    q->cell[q->count++] = item;
    wake(q);
    pthread_mutex_unlock(&q->lock);
}

static int get(struct queue *q) {
    pthread_mutex_lock(&q->lock);
    while (q->count == 0)
        pthread_cond_wait(&q->changed, &q->lock);
    int item = q->cell[--q->count];
    wake(q);
    pthread_mutex_unlock(&q->lock);
    return item;
}

static struct queue shared = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0};

static void *producer(void *arg) {
    put(arg, 1);
    put(arg, 2);
    return 0;
}

static void *other_producer(void *arg) {
    put(arg, 4);
    return 0;
}

static void *consumer(void *arg) {
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += get(arg);
    assert(sum == 7);
    return 0;
}

int main(void) {
    pthread_t p1, p2, c;
    pthread_create(&p1, 0, producer, &shared);
    pthread_create(&p2, 0, other_producer, &shared);
    pthread_create(&c, 0, consumer, &shared);
    pthread_join(p1, 0);
    pthread_join(p2, 0);
    pthread_join(c, 0);
    return 0;
}
