/* A list that several threads push to; main frees it in the end, so nothing is lost. With TORN the
   push reads and writes the head separately; a node pushed in between is overwritten, nobody can
   reach it any more, and it is never freed. */
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
};
static struct node *head;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *pusher(void *arg) {
    struct node *n = malloc(sizeof *n);
    (void)arg;
#ifndef TORN
    pthread_mutex_lock(&m);
#endif
    n->next = head;
    head = n;
#ifndef TORN
    pthread_mutex_unlock(&m);
#else
    (void)&m;
#endif
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, pusher, 0);
    pthread_create(&t2, 0, pusher, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    return 0;
}
