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

/* What atexit has registered runs when main returns or somebody calls exit, the last first, beside threads that go on. */

#define EXITS 32

void (*__fsoft_exit_functions[EXITS])(void);

unsigned __fsoft_exit_count;

static __fsoft_atomic int at_exit(void (*function)(void)) {
    unsigned count = __fsoft_exit_count;
    if (count >= EXITS) return 1;
    __fsoft_exit_functions[count] = function;
    __fsoft_exit_count = count + 1;
    return 0;
}

static __fsoft_atomic int take_exit(void (**function)(void)) {
    unsigned count = __fsoft_exit_count;
    if (count == 0) return 0;
    *function = __fsoft_exit_functions[count - 1];
    __fsoft_exit_count = count - 1;
    return 1;
}

void __fsoft_at_process_exit(void) {
    void (*function)(void) = 0;
    while (take_exit(&function)) function();
}

int atexit(void (*function)(void)) {
    if (0) __fsoft_at_process_exit();
    return at_exit(function);
}
