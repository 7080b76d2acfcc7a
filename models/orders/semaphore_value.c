/* sem_getvalue is not among the functions that synchronise memory (POSIX, 4.12): who learns from it that a semaphore was posted is not ordered behind
   the post. Under svcomp the two writes are never pending together. -DTAKE: sem_trywait orders if it succeeds. */
#include <pthread.h>
#include <semaphore.h>

int data;
sem_t done;

static void *thread(void *arg) {
    data = 1;
    sem_post(&done);
    return arg;
}

int main(void) {
    pthread_t id;
    int value = 0;
    sem_init(&done, 0, 0);
    pthread_create(&id, 0, thread, 0);
#ifdef TAKE
    value = sem_trywait(&done) == 0;
#else
    sem_getvalue(&done, &value);
#endif
    if (value == 1) data = 2;
    pthread_join(id, 0);
    return 0;
}
