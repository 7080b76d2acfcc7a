/* N threads meet R times at a barrier that is made of a counter and a sense. */
#include <assert.h>
#include <pthread.h>
_Atomic int count, sense;
int phase[N];
void *worker(void *a) {
    int id = (int)(long)a, mine = 0;
    for (int r = 0; r < R; r++) {
        mine = !mine;
        phase[id]++;
        if (++count == N) {
            count = 0;
            sense = mine;
        } else
            while (sense != mine) {}
        for (int k = 0; k < N; k++) assert(phase[k] >= r + 1);
    }
    return 0;
}
int main(void) {
    pthread_t t[N];
    for (int k = 0; k < N; k++) pthread_create(&t[k], 0, worker, (void *)(long)k);
    for (int k = 0; k < N; k++) pthread_join(t[k], 0);
    return 0;
}
