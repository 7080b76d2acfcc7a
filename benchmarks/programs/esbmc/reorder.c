/* reorder (x, y): SETS threads write a, then b; CHECKS threads see both writes, none, or one without the other. */
#include <assert.h>
#include <pthread.h>
#ifndef SETS
#define SETS 2
#endif
#ifndef CHECKS
#define CHECKS 1
#endif
int a, b;

void *set(void *unused) {
    a = 1;
    b = -1;
    return 0;
}

void *check(void *unused) {
    assert((a == 0 && b == 0) || (a == 1 && b == -1));
    return 0;
}

int main(void) {
    pthread_t setter[SETS], checker[CHECKS];
    for (int i = 0; i < SETS; i++)
        pthread_create(&setter[i], 0, set, 0);
    for (int i = 0; i < CHECKS; i++)
        pthread_create(&checker[i], 0, check, 0);
    for (int i = 0; i < SETS; i++)
        pthread_join(setter[i], 0);
    for (int i = 0; i < CHECKS; i++)
        pthread_join(checker[i], 0);
    return 0;
}
