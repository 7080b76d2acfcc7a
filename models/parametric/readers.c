/* Readers and writers by a counter of readers: a writer goes in when nobody is inside, a reader when no writer is. While a reader is inside
   the data stay as they are. HASTY: a writer looks at the readers in one step and goes in with another. */
#include <pthread.h>
#include <assert.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int);

int readers, writing, data;

void *reader(void *arg) {
    int first;
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(!writing && readers < 3);
    readers++;
    __VERIFIER_atomic_end();
    first = data;
    assert(data == first);
    __VERIFIER_atomic_begin();
    readers--;
    __VERIFIER_atomic_end();
    return arg;
}

void *writer(void *arg) {
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(!writing && readers == 0);
#ifdef HASTY
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
#endif
    writing = 1;
    __VERIFIER_atomic_end();
    data = !data;
    writing = 0;
    return arg;
}

int main(void) {
    pthread_t t;
    while (1) {
        pthread_create(&t, 0, reader, 0);
        pthread_create(&t, 0, writer, 0);
    }
}
