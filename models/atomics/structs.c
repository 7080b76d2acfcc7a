/* An _Atomic struct of three numbers is read and written as a whole, with operators and with the functions of <stdatomic.h>.
     (none)      a thread assigns it while main reads it
     FUNCTIONS   the same with atomic_store and atomic_load
     EXCHANGE    atomic_exchange gives a whole struct back
     COMPARE     compare-and-exchange in a loop: both increments count
     PLAIN_PART  a member is written through a pointer to a plain struct: that tears, and races
     TWICE       read again, the members need not belong together
     PASSED      an argument, a returned value and the value of an assignment are read once */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

typedef struct {
    int first, second, third;
} Numbers;

_Atomic Numbers numbers;

Numbers same(Numbers n) { return n; }

static void *writer(void *arg) {
    (void)arg;
    Numbers ones = {1, 1, 1};
#if defined(FUNCTIONS)
    atomic_store(&numbers, ones);
#elif defined(EXCHANGE)
    Numbers old = atomic_exchange(&numbers, ones);
    assert(old.first == old.second && old.second == old.third);
#elif defined(COMPARE)
    Numbers old = atomic_load(&numbers), more;
    do {
        more = old;
        more.first += ones.first;
        more.second += ones.second;
        more.third += ones.third;
    } while (!atomic_compare_exchange_strong(&numbers, &old, more));
#elif defined(PLAIN_PART)
    ((Numbers *)&numbers)->second = ones.second;
#elif defined(PASSED)
    Numbers twos = {2, 2, 2}, kept = numbers = same(ones);
    assert(kept.first == 1 && kept.third == 1);
    numbers = twos;
#else
    numbers = ones;
#endif
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
#if defined(FUNCTIONS)
    Numbers seen = atomic_load(&numbers);
#elif defined(COMPARE)
    writer(0);
    Numbers seen = numbers;
#elif defined(TWICE)
    Numbers seen = numbers, again = numbers;
    seen.second = again.second;
#elif defined(PASSED)
    Numbers seen = same(numbers);
#else
    Numbers seen = numbers;
#endif
    assert(seen.first == seen.second);
    assert(seen.second == seen.third);
    pthread_join(t, 0);
#ifdef COMPARE
    seen = numbers;
    assert(seen.first == 2 && seen.third == 2);
#endif
    return 0;
}
