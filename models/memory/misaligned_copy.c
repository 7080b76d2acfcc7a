/* memcpy takes a number out of the middle of a buffer, where it is not aligned: that is what memcpy is for. With CAST the number is read through
   a pointer to int instead. */
#include <assert.h>
#include <string.h>

static int take(const void *from) {
    int x;
#ifdef CAST
    x = *(const int *)from;
#else
    memcpy(&x, from, sizeof x);
#endif
    return x;
}

int main(void) {
    unsigned char buffer[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    int x;
    memcpy(&x, buffer + 1, sizeof x);
    assert(x == 0x04030201 && take(buffer + 2) == 0x05040302 && take(&x) == x);
    return 0;
}
