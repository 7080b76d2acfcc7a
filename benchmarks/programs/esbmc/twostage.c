/* twostage (x, y): TWOS threads set two words under two locks, one after the other; READS threads see the first stage alone. */
#include <assert.h>
#include <pthread.h>
#ifndef TWOS
#define TWOS 2
#endif
#ifndef READS
#define READS 1
#endif
pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
int one, two;

void *twostage(void *unused) {
    pthread_mutex_lock(&first);
    one = 1;
    pthread_mutex_unlock(&first);
    pthread_mutex_lock(&second);
    two = one + 1;
    pthread_mutex_unlock(&second);
    return 0;
}

void *reader(void *unused) {
    int t1, t2;
    pthread_mutex_lock(&first);
    t1 = one;
    pthread_mutex_unlock(&first);
    if (t1 == 0)
        return 0;
    pthread_mutex_lock(&second);
    t2 = two;
    pthread_mutex_unlock(&second);
    assert(t2 == t1 + 1);
    return 0;
}

int main(void) {
    pthread_t writers[TWOS], readers[READS];
    for (int i = 0; i < TWOS; i++)
        pthread_create(&writers[i], 0, twostage, 0);
    for (int i = 0; i < READS; i++)
        pthread_create(&readers[i], 0, reader, 0);
    for (int i = 0; i < TWOS; i++)
        pthread_join(writers[i], 0);
    for (int i = 0; i < READS; i++)
        pthread_join(readers[i], 0);
    return 0;
}
