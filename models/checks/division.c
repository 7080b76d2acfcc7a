/* A divisor is tested and then used, while another thread may set it to zero in between. A local
   copy (COPY) makes test and use see the same value. */
#include <pthread.h>

static _Atomic int divisor = 4;

static void *spoiler(void *arg) {
    (void)arg;
    divisor = 0;
    return 0;
}

int main(void) {
    pthread_t t;
    int result = 0;
    pthread_create(&t, 0, spoiler, 0);
#ifdef COPY
    int d = divisor;
    if (d != 0)
        result = 100 / d + 100 % d;
#else
    if (divisor != 0)
        result = 100 / divisor;
#endif
    pthread_join(t, 0);
    return result == 0;
}
