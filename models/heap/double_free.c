/* Handing over ownership: whoever takes the pointer out of the shared slot frees the object. Taking
   it out with an exchange is one step. With TWO_STEPS the slot is read and cleared separately: both
   threads may take the same pointer and free it twice. free(NULL) does nothing. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static char *_Atomic slot;

static void *taker(void *arg) {
    (void)arg;
#ifdef TWO_STEPS
    char *mine = slot;
    slot = 0;
#else
    char *mine = atomic_exchange(&slot, 0);
#endif
    free(mine);
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    slot = malloc(3);
    pthread_create(&t1, 0, taker, 0);
    pthread_create(&t2, 0, taker, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
