/* A circular buffer between a sender and a receiver, with a flag under a lock. BAD: the receiver forgets to wait. */
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 8
#endif
#define SIZE 10
char buffer[SIZE];
unsigned first, next;
int level;
_Bool send = 1, receive;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void insert(char value) {
    buffer[next] = value;
    next = (next + 1) % SIZE;
    level++;
    assert(level <= SIZE);
}

char remove_one(void) {
    char value = buffer[first];
    first = (first + 1) % SIZE;
    level--;
    assert(level >= 0);
    return value;
}

void *sender(void *unused) {
    int sent = 0;
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&m);
        if (send) {
            insert(sent);
            sent++;
            send = 0;
            receive = 1;
        }
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *receiver(void *unused) {
    int expected = 0;
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&m);
#ifdef BAD
        if (receive || i == N - 1) {
#else
        if (receive) {
#endif
            assert(remove_one() == expected);
            expected++;
            receive = 0;
            send = 1;
        }
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, sender, 0);
    pthread_create(&t2, 0, receiver, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
