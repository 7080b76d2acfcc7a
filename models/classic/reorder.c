/* Setters write a pair in two steps, a checker looks at it in between. The pair is always (0, 0) or
   (1, -1) for whoever holds the lock (LOCKED); without the lock the checker can see one half
   written. SETTERS setters and one checker. */
#include <assert.h>
#include <pthread.h>
#ifndef SETTERS
#define SETTERS 2
#endif

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int a, b;

static void lock(void) {
#ifdef LOCKED
    pthread_mutex_lock(&m);
#endif
}

static void unlock(void) {
#ifdef LOCKED
    pthread_mutex_unlock(&m);
#endif
}

static void *set(void *arg) {
    (void)arg;
    lock();
    a = 1;
    b = -1;
    unlock();
    return 0;
}

static void *check(void *arg) {
    (void)arg;
    lock();
    int x = a, y = b;
    unlock();
    assert((x == 0 && y == 0) || (x == 1 && y == -1));
    (void)&m;
    return 0;
}

int main(void) {
    pthread_t t[SETTERS], c;
    for (int i = 0; i < SETTERS; i++)
        pthread_create(&t[i], 0, set, 0);
    pthread_create(&c, 0, check, 0);
    for (int i = 0; i < SETTERS; i++)
        pthread_join(t[i], 0);
    pthread_join(c, 0);
    return 0;
}
