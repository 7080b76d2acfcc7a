/* Assertions, assumptions, the end of the process. */

void __VERIFIER_assume(int condition) {
    __fsoft_assume(condition);
}

void assume_abort_if_not(int condition) {
    __fsoft_assume(condition);
}

void __VERIFIER_assert(int condition) {
    if (!condition) __fsoft_fail("__VERIFIER_assert fails");
}

void __VERIFIER_error(void) {
    __fsoft_fail("__VERIFIER_error is called");
}

void reach_error(void) {
    __fsoft_fail("reach_error is called");
}

void __assert_fail(const char *condition, const char *file, unsigned line, const char *function) {
    __fsoft_fail("an assertion fails");
}

void __assert(const char *condition, const char *file, int line) {
    __fsoft_fail("an assertion fails");
}

void __assert_perror_fail(int error, const char *file, unsigned line, const char *function) {
    __fsoft_fail("an assertion fails");
}

void abort(void) {
    __fsoft_end();
}

void exit(int status) {
    if (__fsoft_uses("atexit")) __fsoft_at_process_exit();
    __fsoft_destructors();
    __fsoft_end();
}

void _exit(int status) {
    __fsoft_end();
}

void _Exit(int status) {
    __fsoft_end();
}

void quick_exit(int status) {
    __fsoft_end();
}
