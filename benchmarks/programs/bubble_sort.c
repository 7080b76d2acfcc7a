/* Two threads sort one array by bubble sort, each swapping neighbours that are out of order, without any lock. A swap reads both
   elements and writes them back in two stores: another thread in between loses an element. N elements of BITS bits. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif
#if BITS == 8
typedef signed char T;
#define NONDET __VERIFIER_nondet_char
#elif BITS == 16
typedef short T;
#define NONDET __VERIFIER_nondet_short
#else
typedef int T;
#define NONDET __VERIFIER_nondet_int
#endif
T NONDET(void);

T a[N];

static void sort(void) {
  for (int last = N - 1; last > 0; last--)
    for (int i = 0; i < last; i++)
      if (a[i] > a[i + 1]) {
        T t = a[i];
        a[i] = a[i + 1];
        a[i + 1] = t;
      }
}

static void *helper(void *unused) {
  sort();
  return 0;
}

int main(void) {
  pthread_t t;
  T sum = 0, after = 0;
  for (int i = 0; i < N; i++) {
    a[i] = NONDET();
    sum = (T)(sum ^ a[i]);
  }
  pthread_create(&t, 0, helper, 0);
  sort();
  pthread_join(t, 0);
  for (int i = 0; i < N; i++)
    after = (T)(after ^ a[i]);
  assert(sum == after);
  return 0;
}
