/* A file system's allocation of blocks to inodes (after Flanagan and Godefroid). BAD: one thread more than there are inodes' locks for. */
#include <assert.h>
#include <pthread.h>
#ifndef THREADS
#define THREADS 26
#endif
#define NUMBLOCKS 26
#define NUMINODE 32
pthread_mutex_t locki[NUMINODE], lockb[NUMBLOCKS];
int inode[NUMINODE];
_Bool busy[NUMBLOCKS];

void *allocate(void *arg) {
    int i = (int)(long)arg % NUMINODE;
#ifdef BAD
    int start = (int)(long)arg;
#else
    int start = (i * 2) % NUMBLOCKS;
#endif
    pthread_mutex_lock(&locki[i]);
    if (inode[i] == 0) {
        int b = start;
        for (int tries = 0; tries < NUMBLOCKS; tries++) {
            assert(b < NUMBLOCKS);
            pthread_mutex_lock(&lockb[b]);
            if (!busy[b]) {
                busy[b] = 1;
                inode[i] = b + 1;
                pthread_mutex_unlock(&lockb[b]);
                break;
            }
            pthread_mutex_unlock(&lockb[b]);
            b = (b + 1) % NUMBLOCKS;
        }
    }
    pthread_mutex_unlock(&locki[i]);
    return 0;
}

int main(void) {
    pthread_t t[THREADS];
    for (int i = 0; i < NUMINODE; i++)
        pthread_mutex_init(&locki[i], 0);
    for (int i = 0; i < NUMBLOCKS; i++)
        pthread_mutex_init(&lockb[i], 0);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], 0, allocate, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], 0);
    return 0;
}
