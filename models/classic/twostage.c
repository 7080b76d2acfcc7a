/* Two values that belong together are written in two stages, each under its own lock; a reader
   takes the locks one after the other as well. Every access is protected, there is no data race,
   and yet the reader can come between the stages: an atomicity violation. With WHOLE the writer
   holds the first lock until the second value is written, and the reader cannot see the gap. */
#include <assert.h>
#include <pthread.h>
#ifndef WRITERS
#define WRITERS 1
#endif

static pthread_mutex_t ma = PTHREAD_MUTEX_INITIALIZER, mb = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void *writer(void *arg) {
    (void)arg;
    pthread_mutex_lock(&ma);
    first = 1;
#ifndef WHOLE
    pthread_mutex_unlock(&ma);
#endif
    pthread_mutex_lock(&mb);
    second = 2;
    pthread_mutex_unlock(&mb);
#ifdef WHOLE
    pthread_mutex_unlock(&ma);
#endif
    return 0;
}

static void *reader(void *arg) {
    (void)arg;
    pthread_mutex_lock(&ma);
    int x = first;
    pthread_mutex_unlock(&ma);
    if (x == 0)
        return 0;
    pthread_mutex_lock(&mb);
    int y = second;
    pthread_mutex_unlock(&mb);
    assert(y == x + 1);
    return 0;
}

int main(void) {
    pthread_t w[WRITERS], r;
    for (int i = 0; i < WRITERS; i++)
        pthread_create(&w[i], 0, writer, 0);
    pthread_create(&r, 0, reader, 0);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(w[i], 0);
    pthread_join(r, 0);
    return 0;
}
