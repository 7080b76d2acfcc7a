/* Lamport's bakery: draw a number greater than all others', wait for everybody with a smaller one.
   Two may draw the same number (then the thread number decides), and while one is still choosing
   the others must wait for it. With NO_CHOOSING they do not: thread 1 finds thread 0 without a
   number and enters, then thread 0 writes the same number, wins the tie and enters too. Each thread
   enters ROUNDS times, since numbers can grow without bound. */
#include <assert.h>
#include <pthread.h>
#ifndef ROUNDS
#define ROUNDS 2
#endif

static int choosing[2], number[2];
static int owner;

static void enter(int self) {
    int other = 1 - self;
    choosing[self] = 1;
    number[self] = 1 + number[other];
    choosing[self] = 0;
#ifndef NO_CHOOSING
    while (choosing[other]) {
    }
#endif
    while (1) {
        int theirs = number[other];
        if (theirs == 0 || number[self] < theirs || (number[self] == theirs && self < other))
            break;
    }
}

static void *process(void *arg) {
    int self = (int)(long)arg;
    for (int round = 0; round < ROUNDS; round++) {
        enter(self);
        owner = self;
        assert(owner == self);
        number[self] = 0;
    }
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, process, (void *)0L);
    pthread_create(&t1, 0, process, (void *)1L);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    return 0;
}
