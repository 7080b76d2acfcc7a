/* A POSIX semaphore lets two of any number of threads into a section in which they count themselves. EARLY: a thread gives its place back
   before it has counted itself out. */
#include <pthread.h>
#include <semaphore.h>
#include <assert.h>

sem_t places;
_Atomic int inside;

void *worker(void *arg) {
    sem_wait(&places);
    inside++;
    assert(inside <= 2);
#ifdef EARLY
    sem_post(&places);
    inside--;
#else
    inside--;
    sem_post(&places);
#endif
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&places, 0, 2);
    while (1) pthread_create(&t, 0, worker, 0);
}
