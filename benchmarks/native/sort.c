/* Each of N threads keeps two neighbours of N + 1 numbers in order, R times, with a lock for each number. */
#include <assert.h>
#include <pthread.h>
_Bool __VERIFIER_nondet_bool(void);
int a[N + 1], before, after;
pthread_mutex_t m[N + 1];
void *worker(void *p) {
    int id = (int)(long)p;
    for (int r = 0; r < R; r++) {
        pthread_mutex_lock(&m[id]);
        pthread_mutex_lock(&m[id + 1]);
        int x = a[id], y = a[id + 1];
        if (x > y) {
            a[id] = y;
            a[id + 1] = x;
        }
        pthread_mutex_unlock(&m[id + 1]);
        pthread_mutex_unlock(&m[id]);
    }
    return 0;
}
int main(void) {
    pthread_t t[N];
    for (int k = 0; k <= N; k++) {
        a[k] = __VERIFIER_nondet_bool() + 2 * __VERIFIER_nondet_bool();
        before += a[k];
    }
    for (int k = 0; k < N; k++) pthread_create(&t[k], 0, worker, (void *)(long)k);
    for (int k = 0; k < N; k++) pthread_join(t[k], 0);
    for (int k = 0; k <= N; k++) after += a[k];
    assert(before == after);
    return 0;
}
