/* Two philosophers and two sticks. Taken in the same order they always eat; with CROSSED each takes its left stick first, and they
   may wait for each other for ever: a run that does not terminate although nobody loops. */
#include <pthread.h>

pthread_mutex_t stick[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int eaten[2];

static void *philosopher(void *arg) {
    int self = (int)(long)arg;
#ifdef CROSSED
    int first = self;
#else
    int first = 0;
#endif
    pthread_mutex_lock(&stick[first]);
    pthread_mutex_lock(&stick[1 - first]);
    eaten[self] = 1;
    pthread_mutex_unlock(&stick[1 - first]);
    pthread_mutex_unlock(&stick[first]);
    return 0;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, philosopher, (void *)0L);
    pthread_create(&t1, 0, philosopher, (void *)1L);
    pthread_join(t0, 0);
    pthread_join(t1, 0);
    return 0;
}
