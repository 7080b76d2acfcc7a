/* The same memory as an int and as bytes. One thread writes the int, the other byte BYTE of it, or the one behind it (AFTER). READ: both
   only read. */
#include <pthread.h>
#ifndef BYTE
#define BYTE 0
#endif

union {
    int word[2];
    char bytes[8];
} u;
int seen;

void *whole(void *arg) {
    (void)arg;
#ifdef READ
    seen = u.word[0];
#else
    u.word[0] = 7;
#endif
    return 0;
}

void *part(void *arg) {
    (void)arg;
#if defined READ
    return u.bytes[BYTE] ? arg : 0;
#elif defined AFTER
    u.bytes[4] = 1;
#else
    u.bytes[BYTE] = 1;
#endif
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, whole, 0);
    pthread_create(&t, 0, part, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return seen;
}
