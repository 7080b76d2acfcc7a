/* The filter lock of Peterson for N threads, for ever. */
#include <assert.h>
#include <pthread.h>
_Atomic int level[N], last[N];
int inside;
void *worker(void *a) {
    int id = (int)(long)a;
    while (1) {
        for (int l = 1; l < N; l++) {
            level[id] = l;
            last[l] = id;
            for (int k = 0; k < N; k++)
                if (k != id)
                    while (level[k] >= l && last[l] == id) {}
        }
        inside++;
        assert(inside == 1);
        inside--;
        level[id] = 0;
    }
    return 0;
}
int main(void) {
    pthread_t t[N];
    for (int k = 0; k < N; k++) pthread_create(&t[k], 0, worker, (void *)(long)k);
    pthread_join(t[0], 0);
    return 0;
}
