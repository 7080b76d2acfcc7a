/* Main ends the process while a thread that it does not wait for is at work: what the thread has lost by then is a leak. After main has let it
   go, main has nothing to do that the thread could see, only to end. EXIT: by a call of exit, and the thread goes on with another object that
   it does free. KEPT: main has allocated before, and the thread loses nothing. */
#include <pthread.h>
#include <stdlib.h>

static int go;
static char *held;

static void *thread(void *unused) {
    if (go) {
#ifdef KEPT
        *held = 1;
#else
        held = malloc(2);
        held = 0;
#endif
#ifdef EXIT
        held = malloc(2);
        free(held);
#endif
    }
    return unused;
}

int main(void) {
    pthread_t t;
    int count = 0;
#ifdef KEPT
    held = calloc(2, 1);
    if (!held)
        return 0;
#endif
    pthread_create(&t, 0, thread, 0);
    go = 1;
    for (int i = 0; i < 3; i++)
        count += i;
#ifdef EXIT
    if (count == 3)
        exit(0);
    pthread_join(t, 0);
#endif
    return count == 0;
}
