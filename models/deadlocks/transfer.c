/* N threads move money around a ring of N accounts, from i to i + 1, with both accounts locked. ORDERED: by address. HEAP: the accounts
   are on the heap. */
#include <pthread.h>
#include <stdlib.h>
#ifndef N
#define N 2
#endif

struct account {
    pthread_mutex_t lock;
    int money;
};

struct account *accounts[N];
#ifndef HEAP
struct account store[N];
#endif

void *transfer(void *arg) {
    int from = (int)(long)arg, to = (from + 1) % N;
    struct account *a = accounts[from], *b = accounts[to];
#ifdef ORDERED
    int swap = from > to;
    pthread_mutex_lock(swap ? &b->lock : &a->lock);
    pthread_mutex_lock(swap ? &a->lock : &b->lock);
#else
    pthread_mutex_lock(&a->lock);
    pthread_mutex_lock(&b->lock);
#endif
    a->money--;
    b->money++;
    pthread_mutex_unlock(&b->lock);
    pthread_mutex_unlock(&a->lock);
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++) {
#ifdef HEAP
        accounts[i] = calloc(1, sizeof(struct account));
#else
        accounts[i] = &store[i];
#endif
    }
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, transfer, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    return 0;
}
