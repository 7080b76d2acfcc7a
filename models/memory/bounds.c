/* Writing past the end of an array is never a write to the variable that happens to lie behind it.
   With the check for valid dereferences on, the index that is one too far is a violation; with it
   off the program has undefined behaviour there and gets no verdict TRUE. INDEX 1 is in bounds. */
#include <assert.h>
#ifndef INDEX
#define INDEX 2
#endif

static int first[2], second[2];

int main(void) {
    int *p = first;
    p[INDEX] = 7;
    assert(second[0] == 0 && second[1] == 0);
    return 0;
}
