/* Lamport's bakery with R rounds for each of N threads. */
#include <assert.h>
#include <pthread.h>
_Atomic int choosing[N], ticket[N];
int inside;
void *worker(void *a) {
    int id = (int)(long)a;
    for (int r = 0; r < R; r++) {
        int most = 0;
        choosing[id] = 1;
        for (int k = 0; k < N; k++) {
            int seen = ticket[k];
            if (seen > most) most = seen;
        }
        ticket[id] = most + 1;
        choosing[id] = 0;
        for (int k = 0; k < N; k++) {
            while (choosing[k]) {}
            while (1) {
                int seen = ticket[k], mine = most + 1;
                if (!seen || seen > mine || (seen == mine && k >= id)) break;
            }
        }
        inside++;
        assert(inside == 1);
        inside--;
        ticket[id] = 0;
    }
    return 0;
}
int main(void) {
    pthread_t t[N];
    for (int k = 0; k < N; k++) pthread_create(&t[k], 0, worker, (void *)(long)k);
    pthread_join(t[0], 0);
    return 0;
}
