/* GNU C beyond the standard: typeof, statement expressions, case ranges, the conditional without a
   middle operand, attributes, zero-length arrays, nested designators, __builtin_expect. CLAIM is the
   class of the character '7'. */
#include <assert.h>
#ifndef CLAIM
#define CLAIM 1
#endif

#define MAX(a, b)                     \
    ({                                \
        __typeof__(a) left = (a);     \
        __typeof__(b) right = (b);    \
        left > right ? left : right;  \
    })

struct packet {
    unsigned char length;
    unsigned char data[0];
} __attribute__((packed));

static int class_of(char c) {
    switch (c) {
    case '0' ... '9':
        return 1;
    case 'a' ... 'z':
        return 2;
    default:
        return 0;
    }
}

int main(void) {
    int zero = 0, calls = 0;
    assert(MAX(calls++, 3) == 3 && calls == 1);
    assert((zero ?: 5) == 5);
    assert(sizeof(struct packet) == 1);
    if (__builtin_expect(class_of('7') != CLAIM, 0))
        assert(0);
    assert(class_of('q') == 2 && class_of('!') == 0);
    return 0;
}
