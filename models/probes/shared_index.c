/* The index of an array is read before the cell: another thread can change the index in between,
   but the store goes where the old index pointed. No store is ever outside the array. With TOO_FAR
   the other thread sets an index that is out of bounds and the tested index is read again. */
#include <pthread.h>

static int cells[2];
static _Atomic int index_of;

static void *mover(void *arg) {
    (void)arg;
#ifdef TOO_FAR
    index_of = 2;
#else
    index_of = 1;
#endif
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, mover, 0);
    if (index_of < 2)
        cells[index_of] = 5;
    pthread_join(t, 0);
    return cells[0];
}
