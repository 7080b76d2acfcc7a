/* Daisy, defect 2. Thread i writes its number to address i and reads it back, OPERATIONS times: no one else writes there. Without
 * HEAD_LOCK (or HEAD_PER_THREAD) another thread's seek may come between a seek and its transfer, and the byte of another address is read.
 */
#include "disk.h"
#include <assert.h>

#if DISK_SIZE < THREADS
#error "the disk has fewer bytes than there are threads"
#endif

static void *worker(void *argument) {
    unsigned address = *(unsigned *)argument;
    for (int done = 0; done < OPERATIONS; done++) {
        write_byte(address, (unsigned char)(address + 1));
        assert(read_byte(address) == address + 1);
    }
    return 0;
}

static unsigned addresses[THREADS];

int main(void) {
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        addresses[i] = i;
        pthread_create(&threads[i], 0, worker, &addresses[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
