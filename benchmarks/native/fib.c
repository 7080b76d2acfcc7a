/* Two threads add two numbers to each other, N times each. */
#include <assert.h>
#include <pthread.h>
int i = 1, j = 1;
void *first(void *a) {
    for (int k = 0; k < N; k++) i += j;
    return 0;
}
void *second(void *a) {
    for (int k = 0; k < N; k++) j += i;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    int x = i, y = j;
    assert(x < 1000000 && y < 1000000);
    return 0;
}
