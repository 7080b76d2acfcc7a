/* Locks live where the data lives: in structs, in arrays of structs, behind pointers. Two threads
   work on both counters of an array, each under the counter's own lock. With WRONG_ONE a thread
   takes the lock of the other counter. */
#include <assert.h>
#include <pthread.h>
#define N 2

struct counter {
    int value;
    struct {
        pthread_mutex_t mutex;
    } guard;
};
static struct counter counters[N];

static void bump(struct counter *c, struct counter *locked) {
    pthread_mutex_lock(&locked->guard.mutex);
    c->value++;
    pthread_mutex_unlock(&locked->guard.mutex);
}

static void *up(void *arg) {
    (void)arg;
    for (int i = 0; i < N; i++)
        bump(&counters[i], &counters[i]);
    return 0;
}

static void *down(void *arg) {
    (void)arg;
    for (int i = N - 1; i >= 0; i--)
#ifdef WRONG_ONE
        bump(&counters[i], &counters[0]);
#else
        bump(&counters[i], &counters[i]);
#endif
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&counters[i].guard.mutex, 0);
    pthread_create(&t1, 0, up, 0);
    pthread_create(&t2, 0, down, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    for (int i = 0; i < N; i++) {
        assert(counters[i].value == 2);
        pthread_mutex_destroy(&counters[i].guard.mutex);
    }
    return 0;
}
