/* Two functions that call each other, each with a local whose address is taken: every activation
   has its own object. */
#include <assert.h>
#ifndef N
#define N 3
#endif

static int odd(int n, int *trail);

static int even(int n, int *trail) {
    int mine = 2 * n;
    if (n == 0)
        return 1;
    int result = odd(n - 1, &mine);
    *trail += mine;
    return result;
}

static int odd(int n, int *trail) {
    int mine = n;
    if (n == 0)
        return 0;
    int result = even(n - 1, &mine);
    *trail += mine;
    return result;
}

int main(void) {
    int trail = 0;
    int result = even(N, &trail);
#ifdef WRONG
    assert(result == 1);
#else
    assert(result == (N % 2 == 0));
#endif
    assert(trail >= N);
    return 0;
}
