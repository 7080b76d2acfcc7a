/* Leader election in a ring (Chang and Roberts); each link holds one message. */
#include <assert.h>
#include <pthread.h>
_Atomic int box[N];
_Atomic int leaders;
void *worker(void *a) {
    int id = (int)(long)a, next = (id + 1) % N, mine = (id * 2) % N + 1, x = mine;
    while (1) {
        while (box[next]) {}
        box[next] = x;
        do {
            while (!(x = box[id])) {}
            box[id] = 0;
        } while (x < mine);
        if (x == mine) break;
    }
    leaders++;
    assert(leaders == 1);
    return 0;
}
int main(void) {
    pthread_t t[N];
    for (int k = 0; k < N; k++) pthread_create(&t[k], 0, worker, (void *)(long)k);
    return 0;
}
