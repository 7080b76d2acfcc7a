/* The process ends while another thread has lost its memory: main's last write and the end are two
   steps, and the thread comes between them. FREE: the thread frees what main has allocated before, which `kept` leads to until then. */
#include <pthread.h>
#include <stdlib.h>

static int go;
static int *kept;

static void *loser(void *arg) {
    (void)arg;
    if (go) {
#ifdef FREE
        free(kept);
#else
        kept = malloc(4);
#endif
        kept = 0;
    }
    return 0;
}

int main(void) {
    pthread_t t;
#ifdef FREE
    kept = malloc(4);
#endif
    pthread_create(&t, 0, loser, 0);
    go = 1;
    return 0;
}
