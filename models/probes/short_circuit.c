/* The right operand of && is read only if the left one holds. The writer fills `data` before it
   raises the atomic `ready`, so the reader's test does not race; with BITWISE both operands are
   always read, and it does. */
#include <assert.h>
#include <pthread.h>

static int data;
static _Atomic int ready;

static void *writer(void *arg) {
    (void)arg;
    data = 1;
    ready = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
#ifdef BITWISE
    int go = ready & data;
#else
    int go = ready && data;
#endif
    assert(go == 0 || go == 1);
    pthread_join(t, 0);
    return 0;
}
