/* A thread gets the address of a variable of a block through a global. When the block is left the variable is dead, and the thread uses it
   before abort() ends the process. With JOIN main waits for the thread inside the block. */
#include <pthread.h>
#include <stdlib.h>

static int *shared;

static void *worker(void *unused) {
    int *p = shared;
    if (p)
        *p = 1;
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    {
        int local;
        shared = &local;
#ifdef JOIN
        pthread_join(t, 0);
#endif
    }
    abort();
}
