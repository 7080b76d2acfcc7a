/* A union looks at the same bytes in two ways (little-endian). Two threads write different bytes:
   nothing gets lost and there is no race. With WHOLE one of them writes the whole word, which
   overlaps the other's byte. */
#include <assert.h>
#include <pthread.h>

static union {
    unsigned word;
    unsigned char byte[4];
} u;

static void *low(void *arg) {
    (void)arg;
#ifdef WHOLE
    u.word = 0x11;
#else
    u.byte[0] = 0x11;
#endif
    return 0;
}

static void *high(void *arg) {
    (void)arg;
    u.byte[1] = 0x22;
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, low, 0);
    pthread_create(&t2, 0, high, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(u.word == 0x2211);
    return 0;
}
