/* A ring of two cells with counting semaphores for the free and the filled cells and a mutex for
   the position. Two producers put one item each, the consumer takes both. With UNLOCKED the
   producers do not hold the mutex: both can write the same cell, one item is lost. With CROSSED
   everybody takes the mutex before the semaphore; the consumer can then sleep on the empty ring
   while it holds the mutex, and nobody moves again. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t free_cells, filled;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ring[2], in, out;

static void put(int item) {
#ifdef CROSSED
    pthread_mutex_lock(&m);
    sem_wait(&free_cells);
#else
    sem_wait(&free_cells);
#ifndef UNLOCKED
    pthread_mutex_lock(&m);
#endif
#endif
    ring[in] = item;
    in = (in + 1) % 2;
#ifndef UNLOCKED
    pthread_mutex_unlock(&m);
#endif
    sem_post(&filled);
}

static int get(void) {
#ifdef CROSSED
    pthread_mutex_lock(&m);
    sem_wait(&filled);
#else
    sem_wait(&filled);
    pthread_mutex_lock(&m);
#endif
    int item = ring[out];
    out = (out + 1) % 2;
    pthread_mutex_unlock(&m);
    sem_post(&free_cells);
    return item;
}

static void *producer(void *arg) {
    put((int)(long)arg);
    return 0;
}

int main(void) {
    pthread_t p1, p2;
    sem_init(&free_cells, 0, 2);
    sem_init(&filled, 0, 0);
    pthread_create(&p1, 0, producer, (void *)1L);
    pthread_create(&p2, 0, producer, (void *)2L);
    int a = get(), b = get();
    assert(a + b == 3);
    pthread_join(p1, 0);
    pthread_join(p2, 0);
    return 0;
}
