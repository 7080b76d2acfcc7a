/* Threads created in a loop get their argument by pointer. Each has its own struct (BY_VARIABLE:
   all get the address of the loop variable, which main keeps changing, so two threads can read the
   same number). */
#include <assert.h>
#include <pthread.h>
#define N 2

struct job {
    int number;
    int result;
};
static int seen[N + 1];

static void *worker(void *arg) {
#ifdef BY_VARIABLE
    int number = *(int *)arg;
    if (number < N)
        seen[number] = 1;
#else
    struct job *job = arg;
    seen[job->number] = 1;
    job->result = job->number * 10;
#endif
    return 0;
}

int main(void) {
    pthread_t t[N];
#ifdef BY_VARIABLE
    int i;
    for (i = 0; i < N; i++)
        pthread_create(&t[i], 0, worker, &i);
    for (int k = 0; k < N; k++)
        pthread_join(t[k], 0);
#else
    struct job job[N];
    for (int i = 0; i < N; i++) {
        job[i].number = i;
        pthread_create(&t[i], 0, worker, &job[i]);
    }
    for (int i = 0; i < N; i++) {
        pthread_join(t[i], 0);
        assert(job[i].result == 10 * i);
    }
#endif
    for (int i = 0; i < N; i++)
        assert(seen[i]);
    return 0;
}
