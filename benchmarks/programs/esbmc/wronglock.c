/* wronglock (x, y): RIGHT threads count under one lock and look at the count, WRONG threads count under another. */
#include <assert.h>
#include <pthread.h>
#ifndef RIGHT
#define RIGHT 1
#endif
#ifndef WRONG
#define WRONG 3
#endif
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
int data;

void *right(void *unused) {
    pthread_mutex_lock(&lock);
    int before = data;
    data++;
    assert(data == before + 1);
    pthread_mutex_unlock(&lock);
    return 0;
}

void *wrong(void *unused) {
    pthread_mutex_lock(&other);
    data++;
    pthread_mutex_unlock(&other);
    return 0;
}

int main(void) {
    pthread_t rights[RIGHT], wrongs[WRONG];
    for (int i = 0; i < RIGHT; i++)
        pthread_create(&rights[i], 0, right, 0);
    for (int i = 0; i < WRONG; i++)
        pthread_create(&wrongs[i], 0, wrong, 0);
    for (int i = 0; i < RIGHT; i++)
        pthread_join(rights[i], 0);
    for (int i = 0; i < WRONG; i++)
        pthread_join(wrongs[i], 0);
    return 0;
}
