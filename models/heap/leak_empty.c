/* An object of no bytes is an object, and can be lost. With FREED it is freed first. */
#include <pthread.h>
#include <stdlib.h>

static void *kept;

static void *thread(void *unused) {
    kept = malloc(0);
#ifdef FREED
    free(kept);
#endif
    kept = 0;
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    pthread_join(t, 0);
    return 0;
}
