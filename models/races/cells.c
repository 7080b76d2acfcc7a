/* N threads write an array, each its own cell. NEXT: thread i also reads the cell of thread i + 1. SHARED: all write cell 0. LOCKED: they
   do so under a lock. CHARS: the cells are bytes. */
#include <pthread.h>
#ifndef N
#define N 2
#endif
#ifdef CHARS
typedef char cell;
#else
typedef int cell;
#endif

cell cells[N + 1];
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
    int me = (int)(long)arg;
#ifdef LOCKED
    pthread_mutex_lock(&lock);
#endif
#ifdef SHARED
    cells[0] = (cell)me;
#else
    cells[me] = 1;
#endif
#ifdef NEXT
    cells[N] = cells[(me + 1) % N];
#endif
#ifdef LOCKED
    pthread_mutex_unlock(&lock);
#endif
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    return cells[0];
}
