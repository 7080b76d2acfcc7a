/* Daisy, defect 1 at the level of blocks. THREADS threads allocate and give back blocks in turn, OPERATIONS operations each: threads 0, 2, ...
 * begin by allocating one, threads 1, 3, ... by giving back the one that they have from the start. In the end the allocation bits must
 * say who has what.
 *
 * FIRST is the first block in question: with two threads, blocks 0 and 1 (the first witness of the F-Soft paper) or, with FIRST=1,
 * blocks 1 and 2 (the second); the blocks before it are taken for good.
 *
 * To change a bit means to read and to write the byte of eight blocks, and threads that change the bits of different blocks do not
 * exclude each other: one change can be lost. With ALLOC_LOCK they do. See config.h for the variants.
 */
#ifndef FIRST
#define FIRST 0
#endif
#define TAKEN (((1u << FIRST) - 1) | ((0xAAu & ((1u << THREADS) - 1)) << FIRST))

#include "blocks.h"
#include <assert.h>

#if FIRST + THREADS > 8 || FIRST + THREADS > BLOCKS
#error "every thread needs a block, in the first allocation byte"
#endif

static int mine[THREADS]; /* the block of each thread, or -1 */

static void *worker(void *argument) {
    int *block = argument;
    for (int done = 0; done < OPERATIONS; done++) {
        if (*block < 0) {
            *block = alloc_block();
        } else {
            free_block((unsigned)*block);
            *block = -1;
        }
    }
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    unsigned expected = (1u << FIRST) - 1;
    for (int i = 0; i < THREADS; i++) {
        mine[i] = i % 2 == 0 ? -1 : FIRST + i;
        pthread_create(&threads[i], 0, worker, &mine[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], 0);
        if (mine[i] >= 0) {
            assert((expected >> mine[i] & 1) == 0);
            expected |= 1u << mine[i];
        }
    }
    for (int i = 0; i < ALLOC_BYTES; i++)
        assert(read_byte(ALLOC_AREA + (unsigned)i) == (expected >> 8 * i & 0xFF));
    return 0;
}
