/* Freeing an object is a write to all of it: a thread that reads it at the same time races with the
   free. With JOINED main frees after the reader is done. */
#include <pthread.h>
#include <stdlib.h>

static void *reader(void *arg) {
    return *(char *)arg ? arg : 0;
}

int main(void) {
    pthread_t t;
    char *p = calloc(1, 1);
    pthread_create(&t, 0, reader, p);
#ifdef JOINED
    pthread_join(t, 0);
    free(p);
#else
    free(p);
    pthread_join(t, 0);
#endif
    return 0;
}
