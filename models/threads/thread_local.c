/* Thread-local variables: each thread has its own copy with its own initial value, so nobody
   disturbs anybody. With GLOBAL the variable is shared and the increments get mixed. A pointer to a
   thread-local variable may be handed to another thread and then names the owner's copy. */
#include <assert.h>
#include <pthread.h>

#ifdef GLOBAL
static int mine = 5;
#else
static __thread int mine = 5;
#endif
static _Thread_local int also_mine;

static void bump(void) {
    mine++;
    also_mine += 2;
}

static void *worker(void *arg) {
    bump();
    assert(mine == 6);
    assert(also_mine == 2);
    *(int *)arg += 1;
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    int count[2] = {0, 0};
    also_mine = 40;
    pthread_create(&t1, 0, worker, &count[0]);
    pthread_create(&t2, 0, worker, &also_mine);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(count[0] == 1 && also_mine == 41);
    return 0;
}
