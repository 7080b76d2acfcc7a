/* A writer and somebody who closes the log: what is closed must not be used. */
#include <pthread.h>
#include <stdio.h>

FILE *fopen(const char *path, const char *mode);
int fclose(FILE *stream);
int feof(FILE *stream);

FILE *file;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *look(void *nothing) {
    pthread_mutex_lock(&m);
    if (file) feof(file);
    pthread_mutex_unlock(&m);
    return nothing;
}

int main(void) {
    pthread_t t;
    file = fopen("log", "w");
    if (!file) return 1;
    pthread_create(&t, 0, look, 0);
    pthread_mutex_lock(&m);
    fclose(file);
#ifndef KEPT
    file = 0;
#endif
    pthread_mutex_unlock(&m);
#ifdef TWICE
    fclose(file);
#endif
    pthread_join(t, 0);
    return 0;
}
