/* A bounded stack in an array with one lock. A pusher and a popper work at the same time; the
   popper tests for an empty stack first. Test and pop must be one critical section: with two
   poppers and SPLIT (the lock is released in between) both see one element and the second pops from
   an empty stack. */
#include <assert.h>
#include <pthread.h>
#define SIZE 2

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int cell[SIZE], top;

static void *pusher(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    assert(top < SIZE);
    cell[top++] = 5;
    pthread_mutex_unlock(&m);
    return 0;
}

static void *popper(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    int empty = top == 0;
#ifdef SPLIT
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
#endif
    if (!empty) {
        assert(top > 0);
        assert(cell[--top] == 5);
    }
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t0, t1, t2;
    pthread_create(&t0, 0, pusher, 0);
    pthread_create(&t1, 0, popper, 0);
    pthread_create(&t2, 0, popper, 0);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
