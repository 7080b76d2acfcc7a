/* Threads one after the other: the second is created when the first has been joined. OVERLAP: both at once. PARENT: the first creates the
   second and goes on writing. CHILD: it writes only before. */
#include <pthread.h>

int data;
pthread_t second_thread;

void *second(void *arg) {
    (void)arg;
    data += 2;
    return 0;
}

void *first(void *arg) {
    (void)arg;
    data = 1;
#if defined PARENT || defined CHILD
    pthread_create(&second_thread, 0, second, 0);
#endif
#ifdef PARENT
    data = 3;
#endif
#if defined PARENT || defined CHILD
    pthread_join(second_thread, 0);
#endif
    return 0;
}

int main(void) {
    pthread_t s;
    pthread_create(&s, 0, first, 0);
#ifdef OVERLAP
    pthread_t t;
    pthread_create(&t, 0, second, 0);
    pthread_join(t, 0);
#endif
    pthread_join(s, 0);
#if !defined OVERLAP && !defined PARENT && !defined CHILD
    pthread_create(&s, 0, second, 0);
    pthread_join(s, 0);
#endif
    return data;
}
