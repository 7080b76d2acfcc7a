/* Any number of threads count in a long table under a lock, modulo 3, so that all elements stay below 3. WIDE: they do not, with three
   threads that choose the same element. */
#include <assert.h>
#include <pthread.h>

#define SIZE 20

int table[SIZE];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
unsigned __VERIFIER_nondet_uint(void);

void *worker(void *unused) {
  (void)unused;
  unsigned k = __VERIFIER_nondet_uint() % SIZE;
  pthread_mutex_lock(&m);
#ifdef WIDE
  table[k] = table[k] + 1;
#else
  table[k] = (table[k] + 1) % 3;
#endif
  assert(table[k] < 3);
  pthread_mutex_unlock(&m);
  return 0;
}

int main(void) {
  pthread_t t;
  while (1)
    pthread_create(&t, 0, worker, 0);
}
