/* Threads put messages into a hash table, each cell under a lock of its own (after Flanagan and Godefroid). */
#include <assert.h>
#include <pthread.h>
#ifndef THREADS
#define THREADS 13
#endif
#define SIZE 128
#define MAX 4
pthread_mutex_t cas[SIZE];
int table[SIZE];

int take(int h, int w) {
    int taken = 0;
    pthread_mutex_lock(&cas[h]);
    if (table[h] == 0) {
        table[h] = w;
        taken = 1;
    }
    pthread_mutex_unlock(&cas[h]);
    return taken;
}

void *worker(void *arg) {
    int id = (int)(long)arg;
    for (int m = 0; m < MAX; m++) {
        int w = (m + 1) * 11 + id;
        int h = (w * 7) % SIZE;
        assert(h >= 0);
        while (!take(h, w))
            h = (h + 1) % SIZE;
    }
    return 0;
}

int main(void) {
    pthread_t t[THREADS];
    for (int i = 0; i < SIZE; i++)
        pthread_mutex_init(&cas[i], 0);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], 0);
    return 0;
}
