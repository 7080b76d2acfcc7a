/* The file system benchmark of Flanagan and Godefroid (POPL'05): each thread looks whether its inode
   has a block and, if not, searches the first free one, starting at a place of its own. Every inode and
   every block has a lock of its own. UNLOCKED: blocks are taken without their locks, and two inodes can
   get the same block. */
#include <assert.h>
#include <pthread.h>
#ifndef THREADS
#define THREADS 3
#endif
#define INODES 2
#define BLOCKS 4

static pthread_mutex_t inode_lock[INODES], block_lock[BLOCKS];
static int inode[INODES], busy[BLOCKS];

static int take(int block) {
    int taken = 0;
#ifndef UNLOCKED
    pthread_mutex_lock(&block_lock[block]);
#endif
    if (!busy[block]) {
        busy[block] = 1;
        taken = 1;
    }
#ifndef UNLOCKED
    pthread_mutex_unlock(&block_lock[block]);
#endif
    return taken;
}

static void *thread(void *arg) {
    int i = (int)(long)arg % INODES;
    pthread_mutex_lock(&inode_lock[i]);
    if (inode[i] == 0) {
        int block = 1;
        while (!take(block))
            block = (block + 1) % BLOCKS;
        inode[i] = block + 1;
    }
    pthread_mutex_unlock(&inode_lock[i]);
    return 0;
}

int main(void) {
    pthread_t t[THREADS];
    for (long k = 0; k < THREADS; k++)
        pthread_create(&t[k], 0, thread, (void *)k);
    for (int k = 0; k < THREADS; k++)
        pthread_join(t[k], 0);
    assert(inode[0] != inode[1]);
    return 0;
}
