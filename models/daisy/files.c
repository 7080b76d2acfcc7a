/* Daisy, defect 1 at the level of files. THREADS threads create and unlink a file in turn, OPERATIONS operations each. In the end a file
 * that is there has a block of its own, and the bits of these blocks are set and no others.
 *
 * The bits of two files' blocks share a byte: while one thread sets the bit of its new file's block, another clears that of the file
 * that it unlinks, and one of the changes is lost. See config.h for the variants.
 */
#ifndef OPERATIONS
#define OPERATIONS 2
#endif

#include "files.h"
#include <assert.h>

static int mine[THREADS]; /* the file of each thread, or -1 */

static void *worker(void *argument) {
    int *file = argument;
    for (int done = 0; done < OPERATIONS; done++) {
        if (*file < 0) {
            *file = daisy_creat();
        } else {
            daisy_unlink(*file);
            *file = -1;
        }
    }
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    unsigned expected = 0;
    for (int i = 0; i < THREADS; i++) {
        mine[i] = -1;
        pthread_create(&threads[i], 0, worker, &mine[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], 0);
        if (mine[i] >= 0) {
            struct inode inode;
            read_inode((unsigned)mine[i], &inode);
            assert(inode.used && inode.block < BLOCKS);
            assert((expected >> inode.block & 1) == 0);
            expected |= 1u << inode.block;
        }
    }
    for (int i = 0; i < ALLOC_BYTES; i++)
        assert(read_byte(ALLOC_AREA + (unsigned)i) == (expected >> 8 * i & 0xFF));
    return 0;
}
