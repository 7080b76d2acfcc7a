/* A spin lock in inline assembly. TORN: the exchange is two moves, and both threads may come in. */
#include <assert.h>
#include <pthread.h>

static int locked, inside;

static int take(void) {
    int old = 1;
#ifdef TORN
    __asm__ __volatile__("movl %1, %0" : "=r"(old) : "m"(locked) : "memory");
    __asm__ __volatile__("movl $1, %0" : "=m"(locked) : : "memory");
#else
    __asm__ __volatile__("xchgl %0, %1" : "+r"(old), "+m"(locked) : : "memory");
#endif
    return old;
}

static void *worker(void *argument) {
    while (take()) __asm__ __volatile__("pause");
    inside++;
    assert(inside == 1);
    inside--;
    __asm__ __volatile__("movl $0, %0" : "=m"(locked) : : "memory");
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    worker(NULL);
    pthread_join(thread, NULL);
    return 0;
}
