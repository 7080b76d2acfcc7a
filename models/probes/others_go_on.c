/* A thread that waits for ever, or ends the run inside an atomic section, keeps nobody from what he could have done before: the checker
   fails when `value` is 0. By default main waits for a semaphore that nobody else can reach, and that an input leaves at 0;
   with SHARED another thread does. With SECTION the other thread's section fails an assumption, with LOOP after a loop, with LOCKED
   it waits inside for a lock that is never free. With CREATED it is the input that decides whether there is another thread: then
   value changes between two reads of main. With SAFE value is not 0. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int value, rounds;
sem_t shared;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_t first, second;

#ifdef CREATED
static void *writer(void *arg) {
    value = 1;
    return arg;
}

int main(void) {
    __VERIFIER_atomic_begin();
    if (__VERIFIER_nondet_int() & 1)
        pthread_create(&first, 0, writer, 0);
    __VERIFIER_atomic_end();
    int before = value, after = value;
    assert(before == after);
    return 0;
}
#else
static void *other(void *arg) {
#if defined(SHARED)
    sem_wait(&shared);
#elif defined(SECTION) || defined(LOOP) || defined(LOCKED)
    __VERIFIER_atomic_begin();
#ifndef SECTION
    while (rounds < 2)
        rounds++;
#endif
#ifdef LOCKED
    pthread_mutex_lock(&lock);
#else
    __VERIFIER_assume(value);
#endif
    rounds = 1;
    __VERIFIER_atomic_end();
#endif
    return arg;
}

static void *checker(void *arg) {
    assert(value != 0);
    return arg;
}

int main(void) {
    sem_t own;
    value = 1;
#if defined(SECTION) || defined(LOOP) || defined(LOCKED)
    value = 0;
#elif !defined(SAFE)
    value = __VERIFIER_nondet_int() & 1;
#endif
    sem_init(&own, 0, value);
    sem_init(&shared, 0, value);
    pthread_mutex_lock(&lock);
    pthread_create(&first, 0, other, 0);
    pthread_create(&second, 0, checker, 0);
#ifndef SHARED
    sem_wait(&own);
#endif
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
#endif
