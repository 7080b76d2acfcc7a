/* Message passing: data, then a flag with release; the reader acquires the flag and then may read
   the data. With FLAG_FIRST the flag goes up before the data is there. With PLAIN_FLAG the flag is
   an ordinary int: still correct under sequential consistency, but a data race. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
#ifdef PLAIN_FLAG
static int flag;
#define RAISE() (flag = 1)
#define RAISED() (flag)
#else
static atomic_int flag;
#define RAISE() atomic_store_explicit(&flag, 1, memory_order_release)
#define RAISED() atomic_load_explicit(&flag, memory_order_acquire)
#endif

static void *sender(void *arg) {
    (void)arg;
#ifdef FLAG_FIRST
    RAISE();
    data = 42;
#else
    data = 42;
    RAISE();
#endif
    return 0;
}

static void *receiver(void *arg) {
    (void)arg;
    if (RAISED())
        assert(data == 42);
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, sender, 0);
    pthread_create(&t2, 0, receiver, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
