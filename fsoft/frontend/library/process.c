/* The process has a number: any positive one, the same whenever it is asked. */

int __fsoft_pid;

static __fsoft_atomic int pid(void) {
    int number = __fsoft_pid, any = (int)(__VERIFIER_nondet_uint() >> 1);
    if (number == 0) number = any == 0 ? 1 : any;
    __fsoft_pid = number;
    return number;
}

int getpid(void) {
    return pid();
}
