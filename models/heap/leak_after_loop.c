/* What is lost in a loop, found where the process ends, in a step that no other thread sees. With LOSE the second object is not freed. */
#include <pthread.h>
#include <stdlib.h>

static char *kept, *other;

static void *thread(void *unused) {
    other = malloc(2);
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    pthread_join(t, 0);
    free(other);
    for (int i = 0; i < 3; i++) {
        kept = malloc(2);
#ifdef LOSE
        if (i != 1)
#endif
            free(kept);
    }
    kept = 0;
    exit(0);
}
