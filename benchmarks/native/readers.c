/* Readers and writers with a lock for the readers' count, for ever. */
#include <assert.h>
#include <pthread.h>
pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
int readers, writing;
_Atomic int busy;
void take(void) {
    int free = 0;
    while (!__atomic_compare_exchange_n(&busy, &free, 1, 0, 5, 5)) free = 0;
}
void *reader(void *a) {
    while (1) {
        pthread_mutex_lock(&counting);
        if (++readers == 1) take();
        pthread_mutex_unlock(&counting);
        assert(!writing);
        pthread_mutex_lock(&counting);
        if (--readers == 0) busy = 0;
        pthread_mutex_unlock(&counting);
    }
    return 0;
}
void *writer(void *a) {
    while (1) {
        take();
        writing = 1;
        writing = 0;
        busy = 0;
    }
    return 0;
}
int main(void) {
    pthread_t r[N], w[N];
    for (int k = 0; k < N; k++) {
        pthread_create(&r[k], 0, reader, 0);
        pthread_create(&w[k], 0, writer, 0);
    }
    pthread_join(r[0], 0);
    return 0;
}
