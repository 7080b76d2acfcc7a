/* A linked list on the heap with a lock per node. A walker locks the next node before it releases
   the one it stands on (hand over hand), so the remover, who holds both the predecessor and the
   victim, never frees a node under somebody's feet. With LET_GO the walker releases first and can
   step on a freed node. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    pthread_mutex_t lock;
    int value;
    struct node *next;
};
static struct node *head;

static struct node *make(int value, struct node *next) {
    struct node *n = malloc(sizeof *n);
    pthread_mutex_init(&n->lock, 0);
    n->value = value;
    n->next = next;
    return n;
}

static void *walker(void *arg) {
    struct node *here = head;
    int sum = 0;
    (void)arg;
    pthread_mutex_lock(&here->lock);
    while (here->next) {
        struct node *next = here->next;
#ifdef LET_GO
        pthread_mutex_unlock(&here->lock);
        pthread_mutex_lock(&next->lock);
#else
        pthread_mutex_lock(&next->lock);
        pthread_mutex_unlock(&here->lock);
#endif
        here = next;
        sum += here->value;
    }
    pthread_mutex_unlock(&here->lock);
    assert(sum == 3 || sum == 2);
    return 0;
}

static void *remover(void *arg) {
    (void)arg;
    pthread_mutex_lock(&head->lock);
    struct node *victim = head->next;
    pthread_mutex_lock(&victim->lock);
    head->next = victim->next;
    pthread_mutex_unlock(&victim->lock);
    pthread_mutex_unlock(&head->lock);
    pthread_mutex_destroy(&victim->lock);
    free(victim);
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    head = make(0, make(1, make(2, 0)));
    pthread_create(&t1, 0, walker, 0);
    pthread_create(&t2, 0, remover, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    return 0;
}
