/* THREADS threads add to one counter, ROUNDS times each, under a lock. Scales in threads and in loops. */
#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int count;

void *adder(void *unused) {
  for (int i = 0; i < ROUNDS; i++) {
    pthread_mutex_lock(&m);
    count++;
    pthread_mutex_unlock(&m);
  }
  return 0;
}

int main(void) {
  pthread_t t[THREADS];
  for (int i = 0; i < THREADS; i++)
    pthread_create(&t[i], 0, adder, 0);
  for (int i = 0; i < THREADS; i++)
    pthread_join(t[i], 0);
  assert(count == THREADS * ROUNDS);
  return 0;
}
