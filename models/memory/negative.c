/* Negative offsets are fine as long as the result is inside the object: p points to the middle of
   an array, p[-BACK] is its start for BACK = 2 and outside for 3. */
#include <assert.h>
#ifndef BACK
#define BACK 2
#endif

static short a[4] = {10, 20, 30, 40};

int main(void) {
    short *p = &a[2];
    int back = -BACK;
    assert(p[back] == 10);
    assert(*(p - 1) == 20 && p[1] == 40);
    return 0;
}
