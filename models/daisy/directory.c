/* Daisy by name. Thread i creates a file named 'a' + i, writes a byte to it, reads it back and unlinks the file, OPERATIONS times. Nobody
 * else uses that name, so every operation succeeds, and in the end only the directory has a block.
 *
 * All this happens under the lock of the directory, which hides both defects. With BY_NUMBER a thread writes and reads its file by the
 * number that the directory gave it, as a program with an open file does: then two threads move the head at the same time.
 */
#ifndef THREADS
#define THREADS 2
#endif
#ifndef INODES
#define INODES (THREADS + 1)
#endif
#ifndef BLOCKS
#define BLOCKS (THREADS + 1)
#endif
#ifndef BLOCK_SIZE
#define BLOCK_SIZE (2 * THREADS)
#endif

#include "directory.h"
#include <assert.h>

static unsigned char names[THREADS][NAME_BYTES];

static void *worker(void *argument) {
    const unsigned char *name = argument;
    for (int done = 0; done < OPERATIONS; done++) {
        unsigned char byte = name[0], back = 0;
        int number = directory_create(name), wrote = 0, read = 0;
        assert(number > 0);
#ifdef BY_NUMBER
        wrote = daisy_write(number, 0, 1, &byte);
        read = daisy_read(number, 0, 1, &back);
#else
        wrote = directory_write(name, 0, 1, &byte);
        read = directory_read(name, 0, 1, &back);
#endif
        assert(wrote == 1 && read == 1 && back == byte);
        assert(directory_unlink(name) == 0);
    }
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    assert(directory_make() == 0);
    for (int i = 0; i < THREADS; i++) {
        names[i][0] = (unsigned char)('a' + i);
        pthread_create(&threads[i], 0, worker, names[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(read_byte(ALLOC_AREA) == 1);
    return 0;
}
