/* A producer and a consumer at a ring buffer of SIZE elements without a lock; nobody may overtake. Scales in the array. */
#include <assert.h>
#include <pthread.h>

#ifndef SIZE
#define SIZE 4
#endif

unsigned buffer[SIZE], head, tail;
unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);

void *producer(void *unused) {
  for (int k = 0; k < 2; k++) {
    __VERIFIER_assume(head - tail < SIZE);
    buffer[head % SIZE] = head;
    head++;
  }
  return 0;
}

int main(void) {
  pthread_t t;
  head = tail = __VERIFIER_nondet_uint();
  pthread_create(&t, 0, producer, 0);
  for (int k = 0; k < 2; k++) {
    __VERIFIER_assume(head != tail);
    assert(buffer[tail % SIZE] == tail);
    tail++;
  }
  return 0;
}
