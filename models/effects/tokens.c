/* Two threads cut texts of their own into words; strtok remembers in one place where it is. */
#include <pthread.h>
#include <string.h>

char first[] = "a b", second[] = "c d";

static void *cut(void *text) {
#ifdef REENTRANT
    char *rest;
    strtok_r(text, " ", &rest);
#else
    strtok(text, " ");
#endif
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, cut, first);
    cut(second);
    pthread_join(t, 0);
    return 0;
}
