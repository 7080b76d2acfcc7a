/* Readers and writers by hand: the first reader locks the room, the last one unlocks it, and the
   count of readers has a mutex of its own. With UNCOUNTED that mutex is missing: a reader arriving
   and one leaving work on the same old count, the leaving one takes itself for the last and opens
   the room while the other reads. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t room;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static int readers, writing;

static void change(int by, int edge) {
#ifndef UNCOUNTED
    pthread_mutex_lock(&counting);
#endif
    int now = readers + by;
    readers = now;
    if (now == edge) {
        if (by > 0)
            sem_wait(&room);
        else
            sem_post(&room);
    }
#ifndef UNCOUNTED
    pthread_mutex_unlock(&counting);
#endif
}

static void *reader(void *arg) {
    (void)arg;
    change(1, 1);
    assert(!writing);
    change(-1, 0);
    return 0;
}

static void *writer(void *arg) {
    (void)arg;
    sem_wait(&room);
    writing = 1;
    writing = 0;
    sem_post(&room);
    return 0;
}

int main(void) {
    pthread_t w, r1, r2;
    sem_init(&room, 0, 1);
    pthread_create(&w, 0, writer, 0);
    pthread_create(&r1, 0, reader, 0);
    pthread_create(&r2, 0, reader, 0);
    pthread_join(w, 0);
    pthread_join(r1, 0);
    pthread_join(r2, 0);
    return 0;
}
