/* Two threads add each other's variable to their own, ROUNDS times each: the classic that needs many contexts. */
#include <assert.h>
#include <pthread.h>

#ifndef ROUNDS
#define ROUNDS 3
#endif

int i = 1, j = 1;

void *left(void *unused) {
  for (int k = 0; k < ROUNDS; k++)
    i += j;
  return 0;
}

void *right(void *unused) {
  for (int k = 0; k < ROUNDS; k++)
    j += i;
  return 0;
}

int main(void) {
  int a = 1, b = 1;
  for (int k = 0; k < 2 * ROUNDS; k++) {
    int c = a + b;
    a = b;
    b = c;
  }
  pthread_t s, t;
  pthread_create(&s, 0, left, 0);
  pthread_create(&t, 0, right, 0);
  assert(i <= b && j <= b);
  return 0;
}
