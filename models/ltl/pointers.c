/* Atoms that follow pointers and index arrays: a list of two cells is turned round by one thread while another reads it. */
#include <pthread.h>

struct cell {
    struct cell *next;
    int value;
};
struct cell cells[2] = {{&cells[1], 1}, {0, 2}};
struct cell *head = &cells[0];

static void *turn(void *arg) {
    (void)arg;
    struct cell *second = head->next;
    second->next = head;
    head->next = 0;
    head = second;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, turn, 0);
    pthread_join(t, 0);
    return 0;
}
