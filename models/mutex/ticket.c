/* A ticket lock: take the next number, wait until it is served. Taking a number must be one atomic
   step. With TORN it is an ordinary x++ that reads and writes separately: two threads can draw the
   same number and enter together. The counters are unsigned chars that wrap around, so the threads
   may go on for ever in finitely many states. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef TORN
static unsigned char next;
#else
static atomic_uchar next;
#endif
static atomic_uchar serving;
static int owner;

static void *process(void *arg) {
    int self = (int)(long)arg;
    while (1) {
        unsigned char ticket = next++;
        while (serving != ticket) {
        }
        owner = self;
        assert(owner == self);
        serving++;
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
