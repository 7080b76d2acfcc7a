/* A thread returns a pointer to what it has made; joining hands it over and orders all that the
   thread did before what the joiner does after. With NO_JOIN main looks without waiting and may
   find nothing yet. A result given to pthread_exit is the same as one returned. */
#include <assert.h>
#include <pthread.h>

struct answer {
    int value;
};
static struct answer answers[2];

static void *by_return(void *arg) {
    struct answer *a = arg;
    a->value = 6;
    return a;
}

static void finish(struct answer *a) {
    a->value = 7;
    pthread_exit(a);
}

static void *by_exit(void *arg) {
    finish(arg);
    assert(0); /* pthread_exit does not come back */
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    void *r1 = &answers[0], *r2 = &answers[1];
    pthread_create(&t1, 0, by_return, &answers[0]);
    pthread_create(&t2, 0, by_exit, &answers[1]);
#ifndef NO_JOIN
    pthread_join(t1, &r1);
    pthread_join(t2, &r2);
#endif
    assert(((struct answer *)r1)->value * ((struct answer *)r2)->value == 42);
    return 0;
}
