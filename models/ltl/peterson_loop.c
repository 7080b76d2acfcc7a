/* Peterson's algorithm in an endless loop: mutual exclusion holds whatever the scheduler does, nobody
   starves as long as every thread that can move does so now and then (weak fairness). Without fairness the
   scheduler may simply forget a thread. With RUDE the turn is not given away: then one thread can keep the other out. */
#include <pthread.h>

int want[2], turn, in[2];

static void *process(void *arg) {
    int self = (int)(long)arg, other = 1 - self;
    while (1) {
        want[self] = 1;
#ifndef RUDE
        turn = other;
#endif
        while (want[other] && turn == other) {
        }
    critical: __attribute__((unused));
        in[self] = 1;
        in[self] = 0;
        want[self] = 0;
    }
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, process, (void *)0L);
    pthread_create(&t1, 0, process, (void *)1L);
    pthread_join(t0, 0);
    return 0;
}
