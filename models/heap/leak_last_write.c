/* The process ends while another thread has lost its memory: main's last write and the end are two
   steps, and the thread comes between them. */
#include <pthread.h>
#include <stdlib.h>

static int go;
static int *kept;

static void *loser(void *arg) {
    (void)arg;
    if (go) {
        kept = malloc(4);
#ifdef FREE
        free(kept);
#endif
        kept = 0;
    }
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, loser, 0);
    go = 1;
    return 0;
}
