/* Where valid-deref is asked for, an access must be aligned as its size demands: one that is not is a violation of its own when it is
   made, and no race before. Where it is not asked for, the two threads race for the bytes. */
#include <pthread.h>

static char buffer[16];
static char *p = buffer + 1;

static void *worker(void *arg) {
    (void)arg;
    *(int *)p = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    int seen = *(int *)p;
    pthread_join(t, 0);
    return seen;
}
