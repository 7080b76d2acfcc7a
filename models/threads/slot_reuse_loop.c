/* One thread after the other from the same place, each joined before the next. The first leaves a recursive mutex locked: the
   second is another thread, not the owner, and must wait for ever. With RELEASED every thread unlocks what it locked. */
#include <pthread.h>

pthread_mutex_t m;
int v;

static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    if (arg)
        pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    int rounds = 2;
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &recursive);
    while (rounds > 0) {
        pthread_t t;
#ifdef RELEASED
        pthread_create(&t, 0, worker, &v);
#else
        pthread_create(&t, 0, worker, rounds == 2 ? 0 : &v);
#endif
        pthread_join(t, 0);
        rounds--;
    }
    return 0;
}
