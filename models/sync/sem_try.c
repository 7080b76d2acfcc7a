/* Non-blocking and timed semaphore operations. A pool of one permit: sem_trywait takes it or says
   EAGAIN, sem_timedwait may give up, and the permit count never leaves 0..1. With IGNORED the
   program works on although it got no permit. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t permit;
static int inside;

static void work(void) {
    inside++;
    assert(inside == 1);
    inside--;
}

static void *hasty(void *arg) {
    (void)arg;
#ifdef IGNORED
    sem_trywait(&permit);
    work();
    sem_post(&permit);
#else
    if (sem_trywait(&permit) == 0) {
        work();
        sem_post(&permit);
    }
#endif
    return 0;
}

static void *patient(void *arg) {
    struct timespec limit = {1, 0};
    (void)arg;
    if (sem_timedwait(&permit, &limit) == 0) {
        work();
        sem_post(&permit);
    }
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    int left;
    sem_init(&permit, 0, 1);
    pthread_create(&t1, 0, hasty, 0);
    pthread_create(&t2, 0, patient, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    sem_getvalue(&permit, &left);
    assert(left == 1);
    sem_destroy(&permit);
    return 0;
}
