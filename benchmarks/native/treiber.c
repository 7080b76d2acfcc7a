/* Treiber's stack over an array; each of N threads pushes its node and takes one, R times, with a tag against reuse. */
#include <assert.h>
#include <pthread.h>
_Atomic int top; /* tag * 16 + node + 1 */
_Atomic int below[N];
int taken[N];
int pop(void) {
    while (1) {
        int old = top, node = old % 16;
        if (!node) return -1;
        int under = below[node - 1];
        if (__atomic_compare_exchange_n(&top, &old, (old / 16 + 1) * 16 + under, 0, 5, 5)) return node - 1;
    }
}
void push(int node) {
    while (1) {
        int old = top;
        below[node] = old % 16;
        if (__atomic_compare_exchange_n(&top, &old, (old / 16 + 1) * 16 + node + 1, 0, 5, 5)) return;
    }
}
void *worker(void *a) {
    int node = (int)(long)a;
    for (int r = 0; r < R; r++) {
        taken[node] = 0;
        push(node);
        node = pop();
        assert(node >= 0);
        assert(!taken[node]);
        taken[node] = 1;
    }
    return 0;
}
int main(void) {
    pthread_t t[N];
    for (int k = 0; k < N; k++) pthread_create(&t[k], 0, worker, (void *)(long)k);
    for (int k = 0; k < N; k++) pthread_join(t[k], 0);
    return 0;
}
