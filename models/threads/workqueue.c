/* Workers in an array of threads draw tasks from a common queue until it is empty. Each task must
   be done once. Drawing the next index is a critical section; with UNLOCKED two workers can draw
   the same task. */
#include <assert.h>
#include <pthread.h>
#define WORKERS 2
#define TASKS 3

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int next;
static int done[TASKS];

static int draw(void) {
#ifndef UNLOCKED
    pthread_mutex_lock(&m);
#endif
    int task = next;
    if (task < TASKS)
        next = task + 1;
#ifndef UNLOCKED
    pthread_mutex_unlock(&m);
#else
    (void)&m;
#endif
    return task;
}

static void *worker(void *arg) {
    int task;
    (void)arg;
    while ((task = draw()) < TASKS)
        done[task]++;
    return 0;
}

int main(void) {
    pthread_t t[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], 0);
    for (int i = 0; i < TASKS; i++)
        assert(done[i] == 1);
    return 0;
}
