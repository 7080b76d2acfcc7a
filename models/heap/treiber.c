/* Treiber's stack with nodes from malloc. A pop reads the top and its successor and swings the top
   with one compare-and-swap. Between the read and the swap the other thread can pop both nodes,
   free them and push a new one; if malloc returns the old top again, the swap succeeds with a
   successor that is long gone (the ABA problem): in the end the stack is not empty although
   everything was popped. Without reuse of freed objects (--heap fresh) the swap always fails then;
   what remains is that a pop may read a node that was already freed. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
};
static struct node *_Atomic top;

static void push(void) {
    struct node *n = malloc(sizeof *n);
    struct node *old = top;
    do {
        n->next = old;
    } while (!atomic_compare_exchange_strong(&top, &old, n));
}

static struct node *pop(void) {
    struct node *old = top, *next;
    do {
        if (!old)
            return 0;
        next = old->next;
    } while (!atomic_compare_exchange_strong(&top, &old, next));
    return old;
}

static void *slow(void *arg) {
    return arg ? 0 : pop();
}

static void *quick(void *arg) {
    struct node *a = pop(), *b = pop();
    free(a);
    free(b);
    push();
    return a && b ? &top : arg;
}

int main(void) {
    pthread_t t1, t2;
    void *one, *both;
    push();
    push();
    pthread_create(&t1, 0, slow, 0);
    pthread_create(&t2, 0, quick, 0);
    pthread_join(t1, &one);
    pthread_join(t2, &both);
    if (one && both) /* three pushes, three pops */
        assert(top == 0);
    return 0;
}
