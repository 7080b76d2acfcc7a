/* The lock order depends on data: the threads lock left and right in the order of a flag that an
   input decides. If both see the same flag there is no cycle; with FLIP one of them sees the
   opposite, and they can deadlock. */
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);

static pthread_mutex_t fork_of[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int flag;

static void both(int first) {
    pthread_mutex_lock(&fork_of[first]);
    pthread_mutex_lock(&fork_of[1 - first]);
    pthread_mutex_unlock(&fork_of[1 - first]);
    pthread_mutex_unlock(&fork_of[first]);
}

static void *one(void *arg) {
    (void)arg;
    both(flag);
    return 0;
}

static void *two(void *arg) {
    (void)arg;
#ifdef FLIP
    both(!flag);
#else
    both(flag);
#endif
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    flag = __VERIFIER_nondet_bool();
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, two, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
