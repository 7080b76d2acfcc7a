/* Burns' algorithm needs one shared bit per thread, the least possible. Thread 1 withdraws while
   thread 0 wants to enter, and thread 0 waits until thread 1 has gone. With NO_RECHECK thread 1
   does not look again after it has raised its own bit, so thread 0 may slip in between. */
#include <assert.h>
#include <pthread.h>

static int wants[2];
static int owner;

static void *first(void *arg) {
    (void)arg;
    while (1) {
        wants[0] = 1;
        while (wants[1]) {
        }
        owner = 0;
        assert(owner == 0);
        wants[0] = 0;
    }
    return 0;
}

static void *second(void *arg) {
    (void)arg;
    while (1) {
        do {
            wants[1] = 0;
            while (wants[0]) {
            }
            wants[1] = 1;
#ifdef NO_RECHECK
        } while (0);
#else
        } while (wants[0]);
#endif
        owner = 1;
        assert(owner == 1);
        wants[1] = 0;
    }
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, first, 0);
    pthread_create(&t1, 0, second, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    return 0;
}
