/* Arbitrary ints: the mean of two numbers. Their sum can overflow; with CAREFUL the halves are
   added instead. */
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
#ifdef CAREFUL
    int mean = a / 2 + b / 2;
#else
    int mean = (a + b) / 2;
#endif
    return mean == 0;
}
