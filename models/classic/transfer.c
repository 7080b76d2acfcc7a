/* Accounts with a lock each, and a transfer in both directions at once. Locking source before
   target makes a cycle: a deadlock. ORDERED locks the account with the smaller number first. Money
   is never lost, in both variants. With ORDERED an auditor that takes both locks always sees the
   whole sum; with CARELESS it takes none and may see money in flight. */
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int number;
    int balance;
};
static struct account a = {PTHREAD_MUTEX_INITIALIZER, 1, 10}, b = {PTHREAD_MUTEX_INITIALIZER, 2, 10};

static void lock_both(struct account *x, struct account *y) {
#ifdef ORDERED
    if (y->number < x->number) {
        struct account *swap = x;
        x = y;
        y = swap;
    }
#endif
    pthread_mutex_lock(&x->lock);
    pthread_mutex_lock(&y->lock);
}

static void unlock_both(struct account *x, struct account *y) {
    pthread_mutex_unlock(&x->lock);
    pthread_mutex_unlock(&y->lock);
}

static void transfer(struct account *from, struct account *to, int amount) {
    lock_both(from, to);
    from->balance -= amount;
    to->balance += amount;
    unlock_both(from, to);
}

static void *there(void *arg) {
    (void)arg;
    transfer(&a, &b, 3);
    return 0;
}

static void *back(void *arg) {
    (void)arg;
    transfer(&b, &a, 4);
    return 0;
}

static void audit(void) {
#ifndef CARELESS
    lock_both(&a, &b);
#endif
    assert(a.balance + b.balance == 20);
#ifndef CARELESS
    unlock_both(&a, &b);
#endif
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, there, 0);
    pthread_create(&t2, 0, back, 0);
    audit();
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(a.balance == 11 && b.balance == 9);
    return 0;
}
