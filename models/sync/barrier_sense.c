/* A sense-reversing barrier without locks: the last to arrive flips the shared sense, the others
   spin until they see it flipped. With RESET_LATE the last one flips the sense before it resets the
   count: the other thread can then arrive at the next meeting while the count is still zero, and
   the count becomes negative. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define N 2

static atomic_int count = N, sense;
static atomic_int phase[N];

static void meet(int *my_sense) {
    *my_sense = !*my_sense;
    int left = atomic_fetch_sub(&count, 1) - 1;
    assert(left >= 0);
    if (left == 0) {
#ifdef RESET_LATE
        sense = *my_sense;
        count = N;
#else
        count = N;
        sense = *my_sense;
#endif
    } else {
        while (sense != *my_sense) {
        }
    }
}

static void *worker(void *arg) {
    int self = (int)(long)arg;
    int my_sense = 0;
    for (int i = 1; i <= 2; i++) {
        phase[self] = i;
        meet(&my_sense);
        assert(phase[1 - self] >= i);
    }
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, worker, (void *)0L);
    pthread_create(&t1, 0, worker, (void *)1L);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    return 0;
}
