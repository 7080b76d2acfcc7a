/* x++, ++x, x += 1 and x = x + 1 all read and then write: two threads can both read the same value
   and one increment is lost. With LOCKED they cannot. The form is chosen by FORM, 0 to 3. */
#include <assert.h>
#include <pthread.h>
#ifndef FORM
#define FORM 0
#endif

static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg) {
    (void)arg;
#ifdef LOCKED
    pthread_mutex_lock(&m);
#else
    (void)&m;
#endif
#if FORM == 0
    x++;
#elif FORM == 1
    ++x;
#elif FORM == 2
    x += 1;
#else
    x = x + 1;
#endif
#ifdef LOCKED
    pthread_mutex_unlock(&m);
#endif
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, worker, 0);
    pthread_create(&t2, 0, worker, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(x == 2);
    return 0;
}
