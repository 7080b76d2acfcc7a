/* What must not be done with a mutex. STRANGER: a thread unlocks a mutex that another holds. TWICE:
   it is unlocked twice. DESTROY: it is destroyed while locked. USE: it is used after its
   destruction. NOT_HELD: a thread waits on a condition without holding the mutex. Without any of
   these the program uses its mutex properly. */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *worker(void *arg) {
    (void)arg;
#ifndef STRANGER
    pthread_mutex_lock(&m);
#endif
    pthread_mutex_unlock(&m);
#ifdef TWICE
    pthread_mutex_unlock(&m);
#endif
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
#ifndef NOT_HELD
    pthread_mutex_lock(&m);
#endif
#if defined NOT_HELD
    pthread_cond_wait(&c, &m);
#else
    pthread_cond_signal(&c);
#endif
#if defined NOT_HELD || defined DESTROY
    pthread_mutex_destroy(&m);
#else
    pthread_mutex_unlock(&m);
#endif
    pthread_join(t, 0);
#if !defined DESTROY && !defined NOT_HELD
    pthread_mutex_destroy(&m);
#endif
#ifdef USE
    pthread_mutex_lock(&m);
#endif
    return 0;
}
