/* One slot runs two threads, one after the other; main ends as a thread, and the second thread, the last to finish, loses memory.
 * GIVE: it gives it back. */
#include <pthread.h>
#include <stdlib.h>

static int count;

static void *worker(void *arg) {
    count++;
    if (count == 2) {
        void *memory = malloc(4);
#ifdef GIVE
        free(memory);
#else
        (void)memory;
#endif
    }
    return arg;
}

int main(void) {
    while (count < 2) {
        pthread_t t;
        pthread_create(&t, 0, worker, 0);
        pthread_join(t, 0);
    }
    pthread_exit(0);
}
