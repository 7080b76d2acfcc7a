/* No pointer to the freed block is left, but its address is, with all bits turned. The next block may be the same one or another: the assertion
   fails in the second case. -DORDER: a block that comes back has a lower address than one that was never freed, a new one a higher address;
   -DPIECES: the address is kept in bytes. -DSAME is right: nobody compares. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int turn;

static void *thread(void *arg) {
    turn = turn + 1;
    return arg;
}

int main(void) {
    pthread_t id;
    char *kept, *block;
    uintptr_t address;
    unsigned char bytes[sizeof(char *) + 1];
    pthread_create(&id, 0, thread, 0);
    block = malloc(4);
    kept = malloc(4);
    address = ~(uintptr_t)block;
    memcpy(bytes + 1, &block, sizeof block);
    free(block);
    block = 0;
    turn = 5;
    block = malloc(4);
#if defined(ORDER)
    assert((uintptr_t)block < (uintptr_t)kept);
#elif defined(PIECES)
    assert(memcmp(bytes + 1, &block, sizeof block) == 0);
#elif !defined(SAME)
    assert(~(uintptr_t)block == address);
#endif
    (void)address;
    free(block);
    free(kept);
    pthread_join(id, 0);
    return 0;
}
