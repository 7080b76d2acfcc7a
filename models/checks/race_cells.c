/* Neighbouring cells of an array and neighbouring members of a struct are different memory: no
   race, and nothing gets lost. With OVERLAP the second thread's range starts one cell too early. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char cells[4];
static struct {
    char a, b;
} s;

static void *lower(void *arg) {
    (void)arg;
    cells[0] = 1;
    cells[1] = 1;
    s.a = 1;
    return 0;
}

static void *upper(void *arg) {
    (void)arg;
#ifdef OVERLAP
    memset(cells + 1, 2, 3);
#else
    memset(cells + 2, 2, 2);
#endif
    s.b = 1;
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, lower, 0);
    pthread_create(&t2, 0, upper, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(cells[0] == 1 && cells[3] == 2 && s.a && s.b);
    return 0;
}
