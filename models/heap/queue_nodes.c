/* A two-lock queue: one lock for the head, one for the tail, a dummy node between them so that both
   ends never touch the same node at the same time except through `next`. Items come out in order,
   every node is freed. With ONE_STEP_LATE the enqueuer moves the tail before it links the new node,
   so that an item can be missed: the dequeuer finds the queue empty although the tail has moved on. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *_Atomic next;
};
static struct node *head, *tail;
static pthread_mutex_t head_lock = PTHREAD_MUTEX_INITIALIZER, tail_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int enqueued;

static struct node *make(int value) {
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = 0;
    return n;
}

static void enqueue(int value) {
    struct node *n = make(value), *old;
    pthread_mutex_lock(&tail_lock);
    old = tail;
    tail = n;
#ifdef ONE_STEP_LATE
    enqueued++;
    old->next = n;
#else
    old->next = n;
    enqueued++;
#endif
    pthread_mutex_unlock(&tail_lock);
}

static int dequeue(void) {
    int value = 0;
    pthread_mutex_lock(&head_lock);
    struct node *first = head, *next = first->next;
    if (next) {
        value = next->value;
        head = next;
        free(first);
    }
    pthread_mutex_unlock(&head_lock);
    return value;
}

static void *producer(void *arg) {
    (void)arg;
    enqueue(1);
    enqueue(2);
    return 0;
}

int main(void) {
    pthread_t t;
    int promised, got;
    head = tail = make(0);
    pthread_create(&t, 0, producer, 0);
    promised = enqueued;
    got = dequeue();
    assert(got == 0 || got == 1);
    assert(!(promised > 0 && got == 0));
    pthread_join(t, 0);
    while ((got = dequeue()) != 0)
        assert(got == 1 || got == 2);
    assert(head == tail);
    free(head);
    return 0;
}
