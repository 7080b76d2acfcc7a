/* A write to a string literal never happens: undefined behaviour, or a violation of valid-deref, and no race with the
   read beside it. With ARRAY the string is an array that can be written, and it is a race. */
#include <pthread.h>

#ifdef ARRAY
static char text[] = "abc";
static char *p = text;
#else
static char *p = "abc";
#endif

static void *worker(void *arg) {
    (void)arg;
    p[0] = 'x';
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    char seen = p[0];
    pthread_join(t, 0);
    return seen;
}
