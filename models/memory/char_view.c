/* An object may be looked at byte by byte through a char pointer, and a short can be assembled from
   the middle of an int with memcpy. CLAIM is the second byte of 0x01020304, little-endian. */
#include <assert.h>
#include <string.h>
#ifndef CLAIM
#define CLAIM 3
#endif

static int word = 0x01020304;

int main(void) {
    unsigned char *p = (unsigned char *)&word;
    short middle;
    assert(p[1] == CLAIM);
    memcpy(&middle, p + 1, sizeof middle);
    assert(middle == 0x0203);
    memset(p, 0xff, 2);
    assert(word == 0x0102ffff);
    return 0;
}
