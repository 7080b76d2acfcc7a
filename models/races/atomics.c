/* A counter that N threads increase: plain. ATOMIC: _Atomic. BUILTIN: by __sync_fetch_and_add. MIXED: by the builtin, but one thread reads it
   plainly. VOLATILE: volatile is not atomic. SECTION: in an atomic section. HALF: only one of them in an atomic section. */
#include <pthread.h>
#ifndef N
#define N 2
#endif
#if defined ATOMIC
_Atomic int counter;
#elif defined VOLATILE
volatile int counter;
#else
int counter;
#endif

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

void *worker(void *arg) {
    (void)arg;
#if defined BUILTIN
    __sync_fetch_and_add(&counter, 1);
#elif defined MIXED
    if ((long)arg == 0) return counter ? arg : 0;
    __sync_fetch_and_add(&counter, 1);
#elif defined SECTION
    __VERIFIER_atomic_begin();
    counter++;
    __VERIFIER_atomic_end();
#elif defined HALF
    if ((long)arg == 0) {
        __VERIFIER_atomic_begin();
        counter++;
        __VERIFIER_atomic_end();
    } else
        counter++;
#else
    counter++;
#endif
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    return counter;
}
