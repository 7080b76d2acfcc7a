/* A pointer one past the end may be formed and compared but not dereferenced. The loop stops there;
   with TOO_FAR it reads once more. */
#include <assert.h>

static int a[3] = {1, 2, 3};

int main(void) {
    int sum = 0;
#ifdef TOO_FAR
    for (int *p = a; p <= a + 3; p++)
#else
    for (int *p = a; p != a + 3; p++)
#endif
        sum += *p;
    assert(sum == 6);
    return 0;
}
