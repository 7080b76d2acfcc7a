/* Two threads and one struct, a field each. SAME: the same field. COPY: one copies the whole struct. BITS: the fields are bit-fields of one
   storage unit. APART: bit-fields, but with a border between them. */
#include <pthread.h>

struct pair {
#if defined APART
    unsigned a : 3;
    unsigned : 0;
    unsigned b : 3;
#elif defined BITS
    unsigned a : 3;
    unsigned b : 3;
#else
    int a, b;
#endif
} shared, copy;

void *one(void *arg) {
    (void)arg;
    shared.a = 1;
    return 0;
}

void *two(void *arg) {
    (void)arg;
#if defined SAME
    shared.a = 2;
#elif defined COPY
    copy = shared;
#else
    shared.b = 2;
#endif
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, one, 0);
    pthread_create(&t, 0, two, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return shared.a + copy.b;
}
