/* N threads fill the rows of a matrix. COLUMNS: they fill columns, which are disjoint, too. DIAGONAL: each also writes the diagonal of the
   next row. MEMSET: each clears its row with memset. WIDE: and one byte more. */
#include <pthread.h>
#include <string.h>
#ifndef N
#define N 2
#endif

char m[N + 1][N + 1];

void *worker(void *arg) {
    long me = (long)arg;
#if defined COLUMNS
    for (int i = 0; i < N; i++) m[i][me] = 1;
#elif defined MEMSET
    memset(m[me], 0, N + 1);
#elif defined WIDE
    memset(m[me], 0, N + 2);
#else
    for (int i = 0; i < N; i++) m[me][i] = 1;
#endif
#ifdef DIAGONAL
    m[me + 1][me + 1] = 2;
#endif
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    return m[0][0];
}
