/* getenv may be called by many threads, unless one of them changes the environment. */
#include <pthread.h>
#include <stdlib.h>

static void *read_it(void *nothing) {
    getenv("HOME");
    return nothing;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, read_it, 0);
#ifdef CHANGED
    setenv("HOME", "/", 1);
#else
    getenv("PATH");
#endif
    pthread_join(t, 0);
#ifndef CHANGED
    setenv("HOME", "/", 1); /* nobody else is left */
#endif
    return 0;
}
