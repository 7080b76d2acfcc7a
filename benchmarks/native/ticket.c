/* Ticket locks: N threads, R rounds each. */
#include <assert.h>
#include <pthread.h>
_Atomic int next, serving;
int inside;
void *worker(void *a) {
    for (int r = 0; r < R; r++) {
        int mine = next++;
        while (serving != mine) {}
        inside++;
        assert(inside == 1);
        inside--;
        serving++;
    }
    return 0;
}
int main(void) {
    pthread_t t[N];
    for (int k = 0; k < N; k++) pthread_create(&t[k], 0, worker, 0);
    for (int k = 0; k < N; k++) pthread_join(t[k], 0);
    assert(serving == N * R);
    return 0;
}
