/* Results of which C fixes the sign only, or only whether they are zero. Where a program looks no further, one value stands for all. */

static int any_of_sign(int sign) {
    int size = (int)(__VERIFIER_nondet_uint() >> 1);
    return sign < 0 ? -1 - size : sign > 0 ? size == 0 ? 1 : size : 0;
}

static int any_but_zero(int value) {
    int other = __VERIFIER_nondet_int();
    return value && other ? other : value;
}
