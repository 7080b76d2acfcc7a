/* Builtins evaluate all their arguments, also those that they do not look at, as gcc does. One step of two threads counts
   in an argument of that kind; main's step comes later (TRUE) or at the same time (RACE).
     (none)    the memory order of a store
     EXPECT    what is expected     ALIGNED  an alignment     CHECKED  the size that a checked memset is told
     WEAK      whether a compare-exchange may fail: here it may, and count stays
     NEVER     operands that gcc does not evaluate: of __builtin_constant_p, __builtin_object_size, typeof, sizeof, _Generic, the wrong
               side of __builtin_choose_expr and what __sync builtins are given besides */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, count;

static void step(void) {
#if defined(EXPECT)
    if (__builtin_expect(x, ++count)) x = 0;
#elif defined(ALIGNED)
    (void)__builtin_assume_aligned(&x, 4, (++count, 0));
#elif defined(CHECKED)
    int here;
    __builtin___memset_chk(&here, 0, sizeof here, (++count, sizeof here));
#elif defined(WEAK)
    int zero = 0, weak = count + 1;
    count += __atomic_compare_exchange_n(&x, &zero, 0, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
#elif defined(NEVER)
    (void)__builtin_constant_p(++count);
    (void)__builtin_object_size(&x + ++count, 0);
    __typeof__(++count) y = sizeof(++count) + _Generic(++count, int: 0);
    (void)__builtin_choose_expr(1, y, ++count);
    (void)__sync_fetch_and_add(&x, 1, ++count);
#else
    __atomic_store_n(&x, 1, (++count, __ATOMIC_SEQ_CST));
#endif
}

static void *thread(void *arg) {
    (void)arg;
    step();
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
#ifdef RACE
    step();
#endif
    pthread_join(t, 0);
#ifndef RACE
    step();
#endif
#ifdef NEVER
    assert(count == 0);
#else
    assert(count == 2);
#endif
    return 0;
}
