/* The control flow of C in one place: switch with fall-through and default in the middle, do-while,
   continue, goto out of nested loops, the comma and the conditional operator. CLAIM is what the
   program expects for the input 2. */
#include <assert.h>
#ifndef CLAIM
#define CLAIM 32
#endif

extern unsigned char __VERIFIER_nondet_uchar(void);

static int route(unsigned char input) {
    int result = 0;
    switch (input & 3) {
    case 0:
        result = 1;
        break;
    default:
        result += 10;
        /* fall through */
    case 1:
        result += 20;
        break;
    case 3:
        result = 7;
    }
    do {
        if (result % 2 == 0)
            continue;
        result *= 2;
    } while (result < 2);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (i * j == 1)
                goto out;
            result += i == j ? ((void)i, j) : 0;
        }
    }
out:
    return result + ((void)(input > 3), 2);
}

int main(void) {
    unsigned char input = __VERIFIER_nondet_uchar();
    int r = route(input);
    assert((input & 3) != 2 || r == CLAIM);
    assert(r > 0);
    return 0;
}
