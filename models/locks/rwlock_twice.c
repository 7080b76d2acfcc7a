/* A writer that asks for its own lock again, to read: POSIX lets the call fail (EDEADLK), and here it
   does. So a writer never waits for itself, not even while main, which touches what the writers touch
   later, is the one to go on. */
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int x, cells[3];

static void *writer(void *arg) {
    (void)arg;
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_rdlock(&lock);
    x = 1;
    cells[0] = 0;
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t t[2];
    for (int n = 0; n < 2; n++)
        pthread_create(&t[n], 0, writer, 0);
    __VERIFIER_atomic_begin();
    if (x < 2)
        x++;
    cells[2]++;
    __VERIFIER_atomic_end();
    for (int n = 0; n < 2; n++)
        pthread_join(t[n], 0);
    return 0;
}
