/* pthread_once runs its function once, and nobody returns from it before the function is done. With
   HANDMADE a flag stands in for it: a second thread that finds the flag set goes on although the
   set-up is still under way. */
#include <assert.h>
#include <pthread.h>

static int table, runs;

static void set_up(void) {
    runs++;
    table = 42;
}

#ifdef HANDMADE
static int begun;
static void ensure(void) {
    if (!__atomic_exchange_n(&begun, 1, __ATOMIC_SEQ_CST))
        set_up();
}
#else
static pthread_once_t control = PTHREAD_ONCE_INIT;
static void ensure(void) {
    pthread_once(&control, set_up);
}
#endif

static void *user(void *arg) {
    (void)arg;
    ensure();
    assert(table == 42);
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, user, 0);
    pthread_create(&t2, 0, user, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(runs == 1);
    return 0;
}
