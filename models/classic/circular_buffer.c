/* A ring for one producer and one consumer without locks: only the producer moves head, only the
   consumer moves tail. Storing the item before moving head is what makes it safe under sequential
   consistency. With INDEX_FIRST head moves first and the consumer may take a cell that is not yet
   filled. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define SIZE 2
#define ITEMS 3

static int ring[SIZE];
static atomic_int head, tail;

static void *producer(void *arg) {
    (void)arg;
    for (int i = 1; i <= ITEMS; i++) {
        int h = head;
        while (h - tail == SIZE) {
        }
#ifdef INDEX_FIRST
        head = h + 1;
        ring[h % SIZE] = i;
#else
        ring[h % SIZE] = i;
        head = h + 1;
#endif
    }
    return 0;
}

static void *consumer(void *arg) {
    (void)arg;
    for (int i = 1; i <= ITEMS; i++) {
        int t = tail;
        while (head == t) {
        }
        assert(ring[t % SIZE] == i);
        tail = t + 1;
    }
    return 0;
}

int main(void) {
    pthread_t p, c;
    pthread_create(&p, 0, producer, 0);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(p, 0);
    pthread_join(c, 0);
    return 0;
}
