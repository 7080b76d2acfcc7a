/* A lock-free queue after Michael and Scott (PODC 1996): a linked list with a dummy node, a head and a tail that may lag behind. Two threads
   enqueue, main dequeues. With LOST an enqueue links its node by a plain store instead of a compare-and-swap. With FREED a dequeue
   gives the old dummy back to malloc, although an enqueuer may still look at it. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};

static _Atomic(struct node *) head, tail;

static struct node *fresh(int value) {
    struct node *n = malloc(sizeof *n);
    n->value = value;
    atomic_store(&n->next, 0);
    return n;
}

static void enqueue(int value) {
    struct node *n = fresh(value);
    while (1) {
        struct node *last = atomic_load(&tail);
        struct node *next = atomic_load(&last->next);
        if (next) {
            atomic_compare_exchange_strong(&tail, &last, next); /* help the one who has linked but not yet moved the tail */
            continue;
        }
#ifdef LOST
        atomic_store(&last->next, n);
        atomic_store(&tail, n);
        return;
#else
        if (atomic_compare_exchange_strong(&last->next, &next, n)) {
            atomic_compare_exchange_strong(&tail, &last, n);
            return;
        }
#endif
    }
}

/* One consumer: nobody else moves the head. The value, or -1 if the queue is empty. */
static int dequeue(void) {
    struct node *first = atomic_load(&head);
    struct node *next = atomic_load(&first->next);
    if (!next)
        return -1;
    struct node *last = atomic_load(&tail);
    if (first == last)
        atomic_compare_exchange_strong(&tail, &last, next);
    atomic_store(&head, next);
    int value = next->value;
#ifdef FREED
    free(first);
#endif
    return value;
}

static void *producer(void *arg) {
    enqueue(*(int *)arg);
    return 0;
}

int main(void) {
    static int one = 1, two = 2;
    pthread_t a, b;
    struct node *dummy = fresh(0);
    atomic_store(&head, dummy);
    atomic_store(&tail, dummy);
    pthread_create(&a, 0, producer, &one);
    pthread_create(&b, 0, producer, &two);
    int early = dequeue();
    pthread_join(a, 0);
    pthread_join(b, 0);
    int got = (early != -1) + (dequeue() != -1) + (dequeue() != -1);
    assert(got == 2);
    assert(dequeue() == -1);
    return 0;
}
