/* N threads push a node each on a list. The head is plain: a race. LOCKED: under a lock. CAS: by compare and swap, and all look at it that
   way. PEEK: by compare and swap, but the head is first read plainly. */
#include <pthread.h>
#ifndef N
#define N 2
#endif

struct node {
    struct node *next;
} nodes[N], *head;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *push(void *arg) {
    struct node *n = &nodes[(long)arg];
#if defined LOCKED
    pthread_mutex_lock(&lock);
    n->next = head;
    head = n;
    pthread_mutex_unlock(&lock);
#elif defined CAS || defined PEEK
    struct node *old;
#ifdef CAS
    old = __atomic_load_n(&head, __ATOMIC_SEQ_CST);
#else
    old = head;
#endif
    n->next = old;
    if (!__sync_bool_compare_and_swap(&head, old, n)) return arg;
#else
    n->next = head;
    head = n;
#endif
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, push, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    return head == 0;
}
