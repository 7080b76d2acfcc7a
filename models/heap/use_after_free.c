/* Two users of one heap object count their references; the last one frees it. Counting must be
   atomic: with PLAIN both may find one user left and nobody frees. With EARLY a user drops its
   reference before its last access. */
#include <pthread.h>
#include <stdlib.h>

struct shared {
#ifdef PLAIN
    int users;
#else
    _Atomic int users;
#endif
    int data[2];
};

static void drop(struct shared *s) {
    if (--s->users == 0)
        free(s);
}

static void *user(void *arg) {
    struct shared *s = arg;
#ifdef EARLY
    drop(s);
    s->data[0] = 1;
#else
    s->data[0] = 1;
    drop(s);
#endif
    return 0;
}

static void *other(void *arg) {
    struct shared *s = arg;
    s->data[1] = 1;
    drop(s);
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    struct shared *s = malloc(sizeof *s);
    s->users = 2;
    pthread_create(&t1, 0, user, s);
    pthread_create(&t2, 0, other, s);
    s = 0;
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
