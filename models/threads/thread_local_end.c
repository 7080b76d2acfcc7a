/* A thread-local variable lives as long as its thread. A pointer to it that another thread keeps dangles when the thread has ended, and memory
   that only the variable led to is lost (main's variables are there until main's thread ends). With JOINED_LATE main reads while the
   thread is still there; with FREED the thread gives back what its variable leads to; with AGAIN main creates a second thread, whose
   variable is as new; with MAIN_LEAVES main ends with pthread_exit, and the thread reads main's variable. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static __thread int mine = 5;
static __thread int *held;
static int *volatile seen;
static pthread_mutex_t go = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused) {
    assert(mine == 5 && held == 0);
    mine++;
#ifndef MAIN_LEAVES
    held = malloc(sizeof *held);
#endif
#ifdef FREED
    free(held);
#endif
#ifdef MAIN_LEAVES
    assert(*seen == 7);
#else
    seen = &mine;
#endif
    pthread_mutex_lock(&go);
    pthread_mutex_unlock(&go);
    return unused;
}

int main(void) {
    pthread_t t;
#ifdef MAIN_LEAVES
    mine = 7;
    seen = &mine;
#endif
    pthread_mutex_lock(&go);
    pthread_create(&t, 0, worker, 0);
#ifdef JOINED_LATE
    if (seen)
        assert(*seen == 6);
#endif
    pthread_mutex_unlock(&go);
#ifdef MAIN_LEAVES
    pthread_exit(0);
#endif
    pthread_join(t, 0);
#ifdef AGAIN
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
#endif
#if !defined(JOINED_LATE) && !defined(AGAIN) && !defined(FREED)
    assert(*seen == 6);
#endif
    return 0;
}
