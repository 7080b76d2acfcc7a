/* Everybody locks, but not the same lock: the first thread protects the value with `right`, the
   others with `wrong`. Each remembers the value, writes it and checks that nobody else touched it.
   With RIGHT all use one lock and no check fails. */
#include <assert.h>
#include <pthread.h>
#ifndef OTHERS
#define OTHERS 2
#endif

static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
#ifdef RIGHT
#define wrong right
#else
static pthread_mutex_t wrong = PTHREAD_MUTEX_INITIALIZER;
#endif
static int value;

static void *careful(void *arg) {
    (void)arg;
    pthread_mutex_lock(&right);
    int x = value;
    value = x + 1;
    assert(value == x + 1);
    pthread_mutex_unlock(&right);
    return 0;
}

static void *mistaken(void *arg) {
    (void)arg;
    pthread_mutex_lock(&wrong);
    value++;
    pthread_mutex_unlock(&wrong);
    return 0;
}

int main(void) {
    pthread_t c, t[OTHERS];
    pthread_create(&c, 0, careful, 0);
    for (int i = 0; i < OTHERS; i++)
        pthread_create(&t[i], 0, mistaken, 0);
    pthread_join(c, 0);
    for (int i = 0; i < OTHERS; i++)
        pthread_join(t[i], 0);
    return 0;
}
