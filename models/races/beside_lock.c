/* Each thread has a lock and a cell of its own, and takes its lock around both its cell and a word that all share: the cells are safe, the
 * word is not, although every access to it is under some lock. One critical section has both kinds of accesses.
 *
 * ONE_LOCK: all threads take the same lock.
 */
#include <pthread.h>

static pthread_mutex_t lock[2];
static int cell[2], word;

static void *worker(void *argument) {
    int own = *(int *)argument;
#ifdef ONE_LOCK
    pthread_mutex_t *mine = &lock[0];
#else
    pthread_mutex_t *mine = &lock[own];
#endif
    pthread_mutex_lock(mine);
    word = 0;
    if (cell[own] < 2)
        cell[own]++;
    pthread_mutex_unlock(mine);
    return 0;
}

static int number[2];

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        number[i] = i;
        pthread_create(&threads[i], 0, worker, &number[i]);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
