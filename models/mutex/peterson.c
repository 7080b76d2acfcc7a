/* Peterson's algorithm for two threads that enter their critical section again and again. Raising
   the flag before giving way is what makes it safe: whoever reads last sees the other's flag and
   the turn. With SWAPPED the turn is given away first; then thread 0 can be overtaken between its
   two stores and both enter. The flags are plain ints, so the algorithm is full of data races
   although it is correct under sequential consistency; with ATOMIC they are C11 atomics and the
   protected variable `owner` itself does not race. */
#include <assert.h>
#include <pthread.h>

#ifdef ATOMIC
static _Atomic int flag[2], turn;
#else
static int flag[2], turn;
#endif
static int owner;

static void *process(void *arg) {
    int self = (int)(long)arg, other = 1 - self;
    while (1) {
#ifdef SWAPPED
        turn = other;
        flag[self] = 1;
#else
        flag[self] = 1;
        turn = other;
#endif
        while (flag[other] && turn == other) {
        }
        owner = self;
        assert(owner == self);
        flag[self] = 0;
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
