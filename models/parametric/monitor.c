/* One thread watches what any number of others do in two regions, each with its own lock: up and down again in the one, down and up in the
   other. With both locks the watcher sees 0. LOOSE: it takes only one of them. */
#include <pthread.h>
#include <assert.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int __VERIFIER_nondet_int(void);

int level;
pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void change(int by) {
    __VERIFIER_atomic_begin();
    level += by;
    __VERIFIER_atomic_end();
}

void *worker(void *arg) {
    if (__VERIFIER_nondet_int()) {
        pthread_mutex_lock(&left);
        change(1);
        change(-1);
        pthread_mutex_unlock(&left);
    } else {
        pthread_mutex_lock(&right);
        change(-1);
        change(1);
        pthread_mutex_unlock(&right);
    }
    return arg;
}

void *watcher(void *arg) {
    while (1) {
        pthread_mutex_lock(&left);
#ifndef LOOSE
        pthread_mutex_lock(&right);
#endif
        assert(level == 0);
#ifndef LOOSE
        pthread_mutex_unlock(&right);
#endif
        pthread_mutex_unlock(&left);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, watcher, 0);
    while (1) pthread_create(&t, 0, worker, 0);
}
