/* The same lessons in C11's threads.h: thrd_create and thrd_join with an int result, mtx_t, cnd_t,
   call_once. A worker waits for the go-ahead and reports how often it has seen the set-up run. With
   UNLOCKED the counter is not protected. */
#include <assert.h>
#include <threads.h>

static mtx_t m;
static cnd_t c;
static once_flag once = ONCE_FLAG_INIT;
static int go, set_ups, counter;

static void set_up(void) {
    set_ups++;
}

static int worker(void *arg) {
    int *amount = arg;
    call_once(&once, set_up);
    mtx_lock(&m);
    while (!go)
        cnd_wait(&c, &m);
    mtx_unlock(&m);
#ifndef UNLOCKED
    mtx_lock(&m);
#endif
    counter += *amount;
#ifndef UNLOCKED
    mtx_unlock(&m);
#endif
    return set_ups;
}

int main(void) {
    thrd_t t1, t2;
    int one = 1, two = 2, r1, r2;
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
    thrd_create(&t1, worker, &one);
    thrd_create(&t2, worker, &two);
    mtx_lock(&m);
    go = 1;
    cnd_broadcast(&c);
    mtx_unlock(&m);
    thrd_join(t1, &r1);
    thrd_join(t2, &r2);
    assert(r1 == 1 && r2 == 1);
    assert(counter == 3);
    return 0;
}
