/* A bank account with a deposit and a withdrawal at the same time. With a mutex around each the
   balance is right in the end. With UNLOCKED the two read-modify-writes overlap and one of them is
   lost. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int balance = 10;

static void add(int amount) {
#ifndef UNLOCKED
    pthread_mutex_lock(&m);
#endif
    balance = balance + amount;
#ifndef UNLOCKED
    pthread_mutex_unlock(&m);
#endif
}

static void *deposit(void *arg) {
    (void)arg;
    add(5);
    return 0;
}

static void *withdraw(void *arg) {
    (void)arg;
    add(-3);
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, deposit, 0);
    pthread_create(&t2, 0, withdraw, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(balance == 12);
    return 0;
}
