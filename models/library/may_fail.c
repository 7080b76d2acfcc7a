/* Creating a thread, a lock or a key takes resources that the system may not have: with --library-may-fail each of these calls may fail, and a
   program must look at the result. Without it they succeed, and the answer names that assumption. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

pthread_mutex_t lock;
int counter;

void *work(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t t;
    sem_t done;
    int error = pthread_mutex_init(&lock, 0);
#ifdef CAREFUL
    if (error) return 1;
#endif
    error = pthread_create(&t, 0, work, 0);
#ifdef CAREFUL
    if (error) {
        assert(error == EAGAIN || error == EPERM);
        return 1;
    }
#endif
    assert(!error);
    error = sem_init(&done, 0, 1);
#ifdef CAREFUL
    if (error) {
        assert(error == -1 && errno == ENOSPC);
        return 1;
    }
#endif
    pthread_join(t, 0);
    assert(counter == 1 && error == 0);
    return 0;
}
