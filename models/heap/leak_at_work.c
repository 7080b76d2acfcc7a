/* Main ends the process while a thread that it does not wait for has memory that no object with static storage leads to. Nobody else touches
   what the thread works with, but the end of the process looks at all of it. By default the address is in a local variable until the thread
   frees the object; with GLOBAL and OWN (a thread-local) it is nowhere else between malloc and the assignment. JOINED: main waits. */
#include <pthread.h>
#include <stdlib.h>

#if defined(GLOBAL)
static int *held;
#elif defined(OWN)
static _Thread_local int *held;
#endif
static int seen;

static void *thread(void *unused) {
#if !defined(GLOBAL) && !defined(OWN)
    int *held;
#endif
    held = malloc(sizeof *held);
    if (held) {
        *held = 1;
        seen = *held;
    }
    free(held);
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
#ifdef JOINED
    pthread_join(t, 0);
#endif
    return 0;
}
