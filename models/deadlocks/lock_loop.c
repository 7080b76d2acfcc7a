/* Locks are taken through pointers, in a loop: who waits for the second lock does not wait for the first. Both threads take them in the
   same order; with CROSSED they do not, and can wait for each other. */
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *taken[2];

static void *first(void *arg) {
    (void)arg;
    for (int i = 0; i < 2; i++)
        pthread_mutex_lock(taken[i]);
    for (int i = 0; i < 2; i++)
        pthread_mutex_unlock(taken[i]);
    return 0;
}

static void *second(void *arg) {
    (void)arg;
#ifdef CROSSED
    for (int i = 1; i >= 0; i--)
#else
    for (int i = 0; i < 2; i++)
#endif
        pthread_mutex_lock(taken[i]);
    for (int i = 0; i < 2; i++)
        pthread_mutex_unlock(taken[i]);
    return 0;
}

int main(void) {
    pthread_t t, u;
    int swapped = __VERIFIER_nondet_int() != 0;
    taken[swapped] = &a;
    taken[1 - swapped] = &b;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    return 0;
}
