/* A wait on a condition may return although nobody signals: what follows it is reachable. That must
   not hide a deadlock: a run in which only a spurious wake-up could help counts as stuck. With LOOP
   the waiter goes back to sleep until the flag is set, which never happens. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int flag;

int main(void) {
    pthread_mutex_lock(&m);
#ifdef LOOP
    while (!flag)
#endif
        pthread_cond_wait(&c, &m);
    assert(flag);
    pthread_mutex_unlock(&m);
    return 0;
}
