/* A stack: one thread pushes N times, another pops N times if there is something. BAD: it looks before it has the lock. */
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 10
#endif
int top;
unsigned cells[N];
unsigned __VERIFIER_nondet_uint(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void push(unsigned value) {
    assert(top < N);
    cells[top] = value;
    top++;
}

unsigned pop(void) {
    assert(top > 0);
    top--;
    return cells[top];
}

void *t1(void *unused) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&m);
        push(__VERIFIER_nondet_uint() % N);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *t2(void *unused) {
    for (int i = 0; i < N; i++) {
#ifdef BAD
        pthread_mutex_lock(&m);
        assert(pop() < N);
        pthread_mutex_unlock(&m);
#else
        pthread_mutex_lock(&m);
        if (top > 0)
            assert(pop() < N);
        pthread_mutex_unlock(&m);
#endif
    }
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
