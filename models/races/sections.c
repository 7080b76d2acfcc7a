/* A plain write of main races with the last access of an atomic section, whatever the section does before: it brings a local array to life
   and goes through it, allocates (ALLOC), or reads a byte of a word that it has just written (BYTE). BOTH: main writes in a section, too.
   OTHER: a byte is asked for that the word does not have, so the section does not come to the access. */
#include <pthread.h>
#include <stdlib.h>

extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static long shared;
static union {
    unsigned word;
    unsigned char bytes[4];
} u;

static void *thread(void *unused) {
    unsigned i = __VERIFIER_nondet_bool();
    __VERIFIER_atomic_begin();
#if defined ALLOC
    shared = (long)malloc(4);
#elif defined BYTE
    u.word = 256 * (i + 1);
#ifdef OTHER
    if (u.bytes[1] == 3)
#else
    if (u.bytes[1] == 2)
#endif
        shared = 1;
#else
    int a[2];
    a[i] = 1;
    shared = a[i];
#endif
    (void)&u, (void)i;
    __VERIFIER_atomic_end();
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
#ifdef BOTH
    __VERIFIER_atomic_begin();
#endif
    shared = 2;
#ifdef BOTH
    __VERIFIER_atomic_end();
#endif
    pthread_join(t, 0);
    return 0;
}
