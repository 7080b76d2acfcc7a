/* A worker is started twice where there are arguments: nothing that main looks at has a bound, so TRUE covers any number of them.
   SECOND: the assertion holds without arguments only. ABSENT: not even the name of the program need be there. */
#include <assert.h>
#include <pthread.h>

static int done;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    pthread_mutex_lock(&m);
    done++;
    pthread_mutex_unlock(&m);
    return unused;
}

int main(int argc, char **argv) {
    pthread_t first, second;
    pthread_create(&first, 0, work, 0);
    if (argc > 1)
        pthread_create(&second, 0, work, 0);
    pthread_join(first, 0);
    if (argc > 1)
        pthread_join(second, 0);
    assert(argc >= 0 && done == (argc > 1) + 1);
#ifdef SECOND
    assert(done == 1);
#endif
#ifdef ABSENT
    assert(argv[0]);
#else
    (void)argv;
#endif
    return 0;
}
