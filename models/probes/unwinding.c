/* Loops need no bound: this one counts an input byte down to zero, whatever it is, and then the
   thread has added it up. WRONG claims something that fails for one byte only. */
#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned char n = __VERIFIER_nondet_uchar();
    unsigned count = 0;
    for (unsigned char i = n; i != 0; i--)
        count++;
#ifdef WRONG
    assert(count != 200);
#else
    assert(count == n);
#endif
    return 0;
}
