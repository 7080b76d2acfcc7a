/* x++ on an _Atomic variable is one step; x = x + 1 on the same variable is a load and a store
   (LOAD_STORE), and so an increment can be lost. Neither is a data race. */
#include <assert.h>
#include <pthread.h>

static _Atomic int x;

static void *worker(void *arg) {
    (void)arg;
    for (int i = 0; i < 2; i++)
#ifdef LOAD_STORE
        x = x + 1;
#else
        x++;
#endif
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, worker, 0);
    pthread_create(&t2, 0, worker, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(x == 4);
    return 0;
}
