/* Two threads write different bytes of a local variable. In main, which comes to its end without waiting, that is no data race: the process ends,
   and only then the local would. With LEAVES main ends with pthread_exit, and with CALLED the variable belongs to a function that
   main calls: the end of its lifetime races with the writes. */
#include <pthread.h>

static unsigned char *place;

static void *low(void *unused) {
    place[0] = 1;
    return unused;
}

static void *high(void *unused) {
    place[1] = 1;
    return unused;
}

static void start(int *x) {
    pthread_t t;
    place = (unsigned char *)x;
    pthread_create(&t, 0, low, 0);
    pthread_create(&t, 0, high, 0);
}

#ifdef CALLED
static void call(void) {
    int x = 0;
    start(&x);
}
#endif

int main(void) {
#ifdef CALLED
    call();
#else
    int x = 0;
    start(&x);
#endif
#ifdef LEAVES
    pthread_exit(0);
#endif
}
