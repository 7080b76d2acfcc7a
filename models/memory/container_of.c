/* From the address of a member back to its struct, as the kernel does: subtract the member's
   offset. The threads get the address of the embedded link and find the whole. With TOO_MUCH the
   offset is subtracted twice, which leaves the first struct of the array. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct link {
    struct link *next;
};
struct item {
    int before;
    int value;
    struct link link;
};
static struct item items[2] = {{1, 10, {0}}, {2, 20, {0}}};

static void *worker(void *arg) {
#ifdef TOO_MUCH
    struct item *item = (struct item *)((char *)arg - 2 * offsetof(struct item, link));
#else
    struct item *item = (struct item *)((char *)arg - offsetof(struct item, link));
#endif
    item->value += item->before;
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, worker, &items[0].link);
    pthread_create(&t2, 0, worker, &items[1].link);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(items[0].value == 11 && items[1].value == 22);
    return 0;
}
