/* Two threads bubble-sort the same array of three cells at once. If each compare-and-exchange is
   one critical section, the array ends up sorted whatever the interleaving (an exchange of
   neighbours never undoes order) and no element is lost. With UNLOCKED two overlapping exchanges
   can duplicate an element. The cells are arbitrary zeros and ones, which is general enough for
   networks of exchanges; the defect depends on both the data and the interleaving. */
#include <assert.h>
#include <pthread.h>
#define SIZE 3

extern _Bool __VERIFIER_nondet_bool(void);

static unsigned char cell[SIZE];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void exchange(int k) {
#ifndef UNLOCKED
    pthread_mutex_lock(&m);
#endif
    unsigned char left = cell[k], right = cell[k + 1];
    if (left > right) {
        cell[k] = right;
        cell[k + 1] = left;
    }
#ifndef UNLOCKED
    pthread_mutex_unlock(&m);
#endif
}

static void *sort(void *arg) {
    (void)arg;
    for (int end = SIZE - 1; end > 0; end--)
        for (int k = 0; k < end; k++)
            exchange(k);
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    int ones = 0;
    for (int k = 0; k < SIZE; k++) {
        cell[k] = __VERIFIER_nondet_bool();
        ones += cell[k];
    }
    pthread_create(&t1, 0, sort, 0);
    pthread_create(&t2, 0, sort, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    for (int k = 0; k < SIZE; k++)
        ones -= cell[k];
    assert(ones == 0);
    assert(cell[0] <= cell[1] && cell[1] <= cell[2]);
    return 0;
}
