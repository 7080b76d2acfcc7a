/* micro: THREADS threads of STATEMENTS statements each, all on one word: up, and down again where it is above one. A statement is atomic,
   as in the paper. */
#include <assert.h>
#include <pthread.h>
#ifndef THREADS
#define THREADS 2
#endif
#ifndef STATEMENTS
#define STATEMENTS 100
#endif
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int x;

void *thread(void *unused) {
    for (int i = 0; i < STATEMENTS; i++) {
        __VERIFIER_atomic_begin();
        x++;
        if (x > 1)
            x--;
        __VERIFIER_atomic_end();
    }
    assert(x == 1);
    return 0;
}

int main(void) {
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], 0, thread, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], 0);
    return 0;
}
