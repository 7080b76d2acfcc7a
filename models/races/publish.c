/* A value is published through a flag that the reader waits for. The flag is plain: it races itself. ATOMIC: it is atomic, and the value does
   not race. EARLY: the flag is set before the value. UNCHECKED: the reader does not wait. TWICE: the writer writes again afterwards. */
#include <pthread.h>

#ifdef ATOMIC
_Atomic int ready;
#else
int ready;
#endif
int value;

void *writer(void *arg) {
    (void)arg;
#ifdef EARLY
    ready = 1;
    value = 42;
#else
    value = 42;
    ready = 1;
#endif
#ifdef TWICE
    value = 43;
#endif
    return 0;
}

void *reader(void *arg) {
    (void)arg;
#ifndef UNCHECKED
    if (!ready) return 0;
#endif
    return value == 42 ? arg : 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, writer, 0);
    pthread_create(&t, 0, reader, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}
