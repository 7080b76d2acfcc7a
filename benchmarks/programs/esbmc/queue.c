/* A queue of N elements that one thread fills and another empties, under a lock. BAD: the second one does not look whether it is filled. */
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 40
#endif
int element[N];
int head, tail, amount;
int stored[N];
_Bool filled;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int enqueue(int value) {
    if (amount == N)
        return -1;
    element[tail] = value;
    tail = tail == N - 1 ? 0 : tail + 1;
    amount++;
    return 0;
}

int dequeue(void) {
    assert(amount > 0);
    int value = element[head];
    head = head == N - 1 ? 0 : head + 1;
    amount--;
    return value;
}

void *t1(void *unused) {
    pthread_mutex_lock(&m);
    for (int i = 0; i < N; i++) {
        stored[i] = 7 * i + 1;
        enqueue(stored[i]);
    }
    filled = 1;
    pthread_mutex_unlock(&m);
    return 0;
}

void *t2(void *unused) {
    pthread_mutex_lock(&m);
#ifndef BAD
    if (filled)
#endif
        for (int i = 0; i < N; i++)
            assert(dequeue() == stored[i]);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, t1, 0);
    pthread_create(&b, 0, t2, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
