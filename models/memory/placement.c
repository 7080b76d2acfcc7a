/* Addresses as numbers: where objects lie is open, but they do not overlap and are aligned. FORM picks a claim that holds for some placements
   only (nothing is proved of it, and one that this placement breaks is shown), or, without it, uses that do not depend on the placement. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct node { struct node *next; int value; };

int a, b;
char characters[3];
int items[8];
struct node first, second;
static pthread_mutex_t low = PTHREAD_MUTEX_INITIALIZER, high = PTHREAD_MUTEX_INITIALIZER;

static uintptr_t kept;

int bucket(const void *pointer) { return (int)((uintptr_t)pointer >> 4) % 7; }
void keep(uintptr_t number) { kept = number; }

static void *worker(void *argument) {
    int number = (int)(intptr_t)argument;
    assert(number == 3);
    pthread_mutex_lock(&low);
    pthread_mutex_lock(&high);
    pthread_mutex_unlock(&high);
    pthread_mutex_unlock(&low);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, (void *)3);
#if FORM == 1
    assert((uintptr_t)&a < (uintptr_t)&b);
#elif FORM == 2
    assert((uintptr_t)&a > (uintptr_t)&b);
#elif FORM == 3
    assert(((uintptr_t)characters & 15) == 0);
#elif FORM == 4
    assert(bucket(&a) == bucket(&b) || a == b);
#elif FORM == 5
    pthread_mutex_t *one = &low, *other = &high;
    if (one > other) one = &high, other = &low;
    pthread_mutex_lock(one);
    pthread_mutex_lock(other);
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(one);
#elif FORM == 6
    keep((uintptr_t)&a);
    uintptr_t distance = (uintptr_t)&b - kept;
    assert(distance != 12345);
#elif FORM == 7
    int *old = malloc(sizeof *old), *new = realloc(old, 2 * sizeof *old);
    assert(new != old);
    free(new);
#else
    int sum = 0;
    for (int *p = items; p < items + 8; p++) sum += *p;
    assert(sum == 0 && &items[5] - &items[2] == 3);
    assert((uintptr_t)&a != (uintptr_t)&b && &first != &second);
    uintptr_t tagged = (uintptr_t)&first | 1;
    assert((tagged & 1) && (struct node *)(tagged & ~(uintptr_t)1) == &first);
    uintptr_t both = (uintptr_t)&first ^ (uintptr_t)&second;
    assert((struct node *)(both ^ (uintptr_t)&second) == &first);
    keep((uintptr_t)&items[6]);
    assert(kept - (uintptr_t)items == 6 * sizeof(int) && kept > (uintptr_t)items);
#endif
    pthread_join(thread, 0);
    return 0;
}
