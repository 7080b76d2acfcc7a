/* The routine of pthread_once runs pthread_once again, on the same flag: it waits for itself. OTHER: on another flag. CROSSED: two routines
   run each other's. */
#include <pthread.h>

pthread_once_t first = PTHREAD_ONCE_INIT, second = PTHREAD_ONCE_INIT;
int done;

void leaf(void) {
    done = 1;
}

void run_first(void) {
#ifdef CROSSED
    pthread_once(&second, leaf);
#elif defined OTHER
    pthread_once(&second, leaf);
#else
    pthread_once(&first, leaf);
#endif
}

void run_second(void) {
    pthread_once(&first, leaf);
}

void *one(void *arg) {
    (void)arg;
    pthread_once(&first, run_first);
    return 0;
}

void *two(void *arg) {
    (void)arg;
#ifdef CROSSED
    pthread_once(&second, run_second);
#else
    pthread_once(&first, run_first);
#endif
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
