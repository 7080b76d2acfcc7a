/* Szymanski's mutual exclusion, for ever. */
#include <assert.h>
#include <pthread.h>
_Atomic int flag[N];
int inside;
void *worker(void *a) {
    int id = (int)(long)a, k;
    while (1) {
        flag[id] = 1;
        for (k = 0; k < N; k++)
            while (flag[k] >= 3) {}
        flag[id] = 3;
        for (k = 0; k < N; k++)
            if (flag[k] == 1) {
                int open = 0;
                flag[id] = 2;
                while (!open)
                    for (int m = 0; m < N; m++)
                        if (flag[m] == 4) open = 1;
                break;
            }
        flag[id] = 4;
        for (k = 0; k < id; k++)
            while (flag[k] >= 2) {}
        inside++;
        assert(inside == 1);
        inside--;
        for (k = id + 1; k < N; k++) {
            int seen;
            do seen = flag[k];
            while (seen == 2 || seen == 3);
        }
        flag[id] = 0;
    }
    return 0;
}
int main(void) {
    pthread_t t[N];
    for (int k = 0; k < N; k++) pthread_create(&t[k], 0, worker, (void *)(long)k);
    pthread_join(t[0], 0);
    return 0;
}
