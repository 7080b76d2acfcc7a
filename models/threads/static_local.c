/* A static variable inside a function is one object for all threads and all calls. Two threads draw
   numbers from it; with a mutex (also static and local) they are different, with UNLOCKED they may
   be the same. */
#include <assert.h>
#include <pthread.h>

static int draw(void) {
    static int next = 1;
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#ifndef UNLOCKED
    pthread_mutex_lock(&m);
#endif
    int mine = next++;
#ifndef UNLOCKED
    pthread_mutex_unlock(&m);
#else
    (void)&m;
#endif
    return mine;
}

static void *worker(void *arg) {
    *(int *)arg = draw();
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    int a, b;
    pthread_create(&t1, 0, worker, &a);
    pthread_create(&t2, 0, worker, &b);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(a != b);
    return 0;
}
