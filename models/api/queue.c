/* A queue as a library has it, without a main: is it safe to call it from many threads, and does each call happen at one moment? */
#include <pthread.h>

#define SIZE 2

struct queue {
    pthread_mutex_t lock;
    int items[SIZE];
    unsigned head, count;
};

static struct queue only;

struct queue *queue_open(void) {
    pthread_mutex_init(&only.lock, 0);
    only.head = only.count = 0;
    return &only;
}

int queue_push(struct queue *q, int item) {
    int done = 0;
    pthread_mutex_lock(&q->lock);
    if (q->count < SIZE) {
        q->items[(q->head + q->count) % SIZE] = item;
        q->count++;
        done = 1;
    }
    pthread_mutex_unlock(&q->lock);
    return done;
}

int queue_empty(struct queue *q) {
#ifndef PEEK
    pthread_mutex_lock(&q->lock);
#endif
    int empty = q->count == 0;
#ifndef PEEK
    pthread_mutex_unlock(&q->lock);
#endif
    return empty;
}

int queue_pop(struct queue *q, int *item) {
    int done = 0;
    pthread_mutex_lock(&q->lock);
    if (q->count > 0) {
        *item = q->items[q->head];
        q->head = (q->head + 1) % SIZE;
        q->count--;
        done = 1;
    }
    pthread_mutex_unlock(&q->lock);
    return done;
}

void queue_close(struct queue *q) {
    pthread_mutex_destroy(&q->lock);
}
