/* The filter lock: Peterson's algorithm generalised to three threads, two levels to climb. On each
   level the last to arrive waits until nobody is as high as itself, so at most N - l threads pass
   level l and one enters. With SHORT the threads climb one level only, which lets two of the three
   in. Each thread enters once. */
#include <assert.h>
#include <pthread.h>
#define N 3
#ifdef SHORT
#define TOP (N - 1)
#else
#define TOP N
#endif

static int level[N], last[N];
static int owner;

static int somebody_as_high(int self, int l) {
    for (int k = 0; k < N; k++)
        if (k != self && level[k] >= l)
            return 1;
    return 0;
}

static void *process(void *arg) {
    int self = (int)(long)arg;
    for (int l = 1; l < TOP; l++) {
        level[self] = l;
        last[l] = self;
        while (last[l] == self && somebody_as_high(self, l)) {
        }
    }
    owner = self;
    assert(owner == self);
    level[self] = 0;
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, process, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
