/* A lock inside an atomic section: as long as the mutex is held by somebody else the section does
   not start, so its first store is not seen by the holder. Without the section (OPEN) the holder
   can see it. */
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *holder(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    assert(x != 1);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, holder, 0);
#ifndef OPEN
    __VERIFIER_atomic_begin();
#endif
    x = 1;
    pthread_mutex_lock(&m);
    x = 2;
    pthread_mutex_unlock(&m);
#ifndef OPEN
    __VERIFIER_atomic_end();
#endif
    pthread_join(t, 0);
    return 0;
}
