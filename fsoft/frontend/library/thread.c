/* Threads. A pthread_t is the id. */

/* The state of a slot whose thread is gone: free, unless a lock still names it. */
static __fsoft_word reaped(struct __fsoft_thread *thread) {
    if (__fsoft_reuses()) return thread->held ? 3 : 0;
    return 0;
}

/* The thread itself, which nobody can return, if the one that waits has to end instead. */
static __fsoft_atomic void *take_result(struct __fsoft_thread *thread) {
    __fsoft_word state = thread->state, detached = thread->detached;
    int stop = cancelled();
    void *result = 0;
    __fsoft_tag("join", thread);
    __fsoft_require(state != 1 || detached || stop);
    if (stop) return thread;
    __fsoft_check(!detached, MISUSE, "join of a detached thread");
    __fsoft_check(state == 1 || state == 2, MISUSE, "join of a thread that has been joined, or was never created");
    if (detached || state == 0 || state == 3) __fsoft_undefined("join of a thread that is not joinable");
    result = thread->result;
    thread->state = reaped(thread);
    return result;
}

/* Of one of any number of threads: whether it has ended is not known, nor with which result. */
static int end_of_any(void **result) {
    if (__VERIFIER_nondet_bool()) return ESRCH;
    if (__VERIFIER_nondet_bool()) return EDEADLK;
    if (__VERIFIER_nondet_bool()) return EINVAL;
    if (result) *result = (void *)__VERIFIER_nondet_ulong();
    return 0;
}

__fsoft_plain int pthread_join(unsigned long id, void **result) {
    void *value = 0;
    if (__fsoft_unnumbered() && !CHECKED && !CANCELS) return end_of_any(result);
    __fsoft_check(id - 1 < (unsigned long)__fsoft_thread_count(), MISUSE, "join of something that is no thread");
    if (id - 1 >= (unsigned long)__fsoft_thread_count()) return ESRCH;
    __fsoft_check(id != (unsigned long)__fsoft_self(), MISUSE, "join of a thread by itself");
    if (id == (unsigned long)__fsoft_self()) return EDEADLK;
    if (CANCELS) pthread_testcancel();
    value = take_result(&__fsoft_threads[id - 1]);
    if (CANCELS && value == &__fsoft_threads[id - 1]) pthread_testcancel();
    if (result) *result = value;
    return 0;
}

__fsoft_plain static int is_detached(const struct __fsoft_attr *attr) {
    return attr->detached;
}

int pthread_create(unsigned long *id, const struct __fsoft_attr *attr, void *(*start)(void *), void *arg) {
    int detached = attr ? is_detached(attr) : 0;
    if (fails()) {
        if (__VERIFIER_nondet_bool()) *id = 0; /* POSIX leaves open what is there */
        return attr && __VERIFIER_nondet_bool() ? EPERM : EAGAIN;
    }
    return __fsoft_create((__SIZE_TYPE__ *)id, start, arg, detached);
}

static __fsoft_atomic int detach(struct __fsoft_thread *thread) {
    __fsoft_word state = thread->state, detached = thread->detached;
    __fsoft_tag("detach", thread);
    __fsoft_check(state == 1 || state == 2, MISUSE, "detach of a thread that has been joined, or was never created");
    __fsoft_check(!detached, MISUSE, "detach of a detached thread");
    if (state == 0 || state == 3) return ESRCH;
    if (detached) return EINVAL;
    if (state == 2)
        thread->state = reaped(thread);
    else
        thread->detached = 1;
    return 0;
}

int pthread_detach(unsigned long id) {
    if (__fsoft_unnumbered() && !CHECKED) return end_of_any(0);
    __fsoft_check(id - 1 < (unsigned long)__fsoft_thread_count(), MISUSE, "detach of something that is no thread");
    if (id - 1 >= (unsigned long)__fsoft_thread_count()) return ESRCH;
    return detach(&__fsoft_threads[id - 1]);
}

/* A thread that ends is not cancelled any more, whatever its handlers call. */
static __fsoft_atomic void begin_to_end(void) {
    struct __fsoft_thread *self = &__fsoft_threads[__fsoft_self() - 1];
    self->cancel = self->cancel | 4;
}

/* glibc's pthread_cleanup_push in preprocessed files: a buffer of setjmp, to which the end of the thread jumps. */

__thread struct __fsoft_unwind *__fsoft_unwinds;

__thread void *__fsoft_exit_value;

static void unwind(void) {
    if (__fsoft_unwinds) __fsoft_longjmp(__fsoft_unwinds, 1);
}

void __pthread_register_cancel(struct __fsoft_unwind *buffer) {
    buffer->rest[0] = __fsoft_unwinds;
    __fsoft_unwinds = buffer;
}

void __pthread_unregister_cancel(struct __fsoft_unwind *buffer) {
    __fsoft_unwinds = (struct __fsoft_unwind *)buffer->rest[0];
}

void __pthread_unwind_next(struct __fsoft_unwind *buffer) {
    __fsoft_unwinds = (struct __fsoft_unwind *)buffer->rest[0];
    unwind();
    __fsoft_exit_thread(__fsoft_exit_value);
}

void pthread_exit(void *result) {
    if (CANCELS) begin_to_end();
    if (__fsoft_uses("__fsoft_cleanup_push") || __fsoft_uses("pthread_once") || __fsoft_uses("call_once"))
        while (__fsoft_cleanups) {
            struct __fsoft_cleanup *top = __fsoft_cleanups;
            __fsoft_cleanups = top->next;
            top->routine(top->arg);
        }
    if (__fsoft_uses("__pthread_register_cancel")) {
        __fsoft_exit_value = result;
        unwind();
    }
    if (__fsoft_uses("atexit") && __fsoft_self() == 1) __fsoft_undefined("main ends before the process: what atexit registered runs with the last thread");
    __fsoft_exit_thread(result);
}

void __fsoft_cleanup_push(struct __fsoft_cleanup *frame, void (*routine)(void *), void *arg) {
    frame->routine = routine;
    frame->arg = arg;
    frame->next = __fsoft_cleanups;
    __fsoft_cleanups = frame;
}

void __fsoft_cleanup_pop(struct __fsoft_cleanup *frame, int execute) {
    __fsoft_cleanups = frame->next;
    if (execute) frame->routine(frame->arg);
}

unsigned long pthread_self(void) {
    return (unsigned long)__fsoft_self();
}

int pthread_equal(unsigned long a, unsigned long b) {
    return a == b;
}

/* Cancellation is deferred. Field cancel: bit 0 a request is pending, bit 1 cancellation is disabled, bit 2 the thread ends already. */

static __fsoft_atomic int request_end(struct __fsoft_thread *thread) {
    __fsoft_tag("cancel", thread);
    if (thread->state == 0 || thread->state == 3) return ESRCH;
    thread->cancel = thread->cancel | 1;
    return 0;
}

int pthread_cancel(unsigned long id) {
    if (id - 1 >= (unsigned long)__fsoft_thread_count()) return ESRCH;
    return request_end(&__fsoft_threads[id - 1]);
}

void pthread_testcancel(void) {
    if (cancelled()) pthread_exit((void *)-1L);
}

__thread int __fsoft_cancel_state; /* where nobody is cancelled */

__thread int __fsoft_cancel_type;

static __fsoft_atomic void set_cancel_state(int state) {
    struct __fsoft_thread *self = &__fsoft_threads[__fsoft_self() - 1];
    self->cancel = (self->cancel & ~(__fsoft_word)2) | ((__fsoft_word)state << 1);
}

static int cancel_state(void) {
    if (CANCELS) return (int)(__fsoft_threads[__fsoft_self() - 1].cancel >> 1 & 1);
    return __fsoft_cancel_state;
}

__fsoft_plain int pthread_setcancelstate(int state, int *old) {
    if (state != 0 && state != 1) return EINVAL;
    if (old) *old = cancel_state();
    if (CANCELS)
        set_cancel_state(state);
    else
        __fsoft_cancel_state = state;
    return 0;
}

__fsoft_plain int pthread_setcanceltype(int type, int *old) {
    if (type != 0 && type != 1) return EINVAL;
    if (CANCELS && type == 1) __fsoft_undefined("asynchronous cancellation is not modelled");
    if (old) *old = __fsoft_cancel_type;
    __fsoft_cancel_type = type;
    return 0;
}

/* Once: 0 not yet, 1 running, 2 done. If the thread ends in the routine, somebody else begins again. */

#define ENDS_INSIDE (CANCELS || __fsoft_uses("pthread_exit") || __fsoft_uses("thrd_exit"))

static __fsoft_atomic int claim_once(int *once) {
    int state = *once;
    __fsoft_tag("once", once);
    __fsoft_require(state != 1);
    if (state == 2) return 0;
    *once = 1;
    return 1;
}

static __fsoft_atomic void finish_once(int *once) {
    __fsoft_tag("once", once);
    *once = 2;
}

static __fsoft_atomic void forget_once(void *once) {
    __fsoft_tag("once", once);
    *(int *)once = 0;
}

int pthread_once(int *once, void (*routine)(void)) {
    struct __fsoft_cleanup frame;
    if (claim_once(once)) {
        if (ENDS_INSIDE) __fsoft_cleanup_push(&frame, forget_once, once);
        routine();
        if (ENDS_INSIDE) __fsoft_cleanup_pop(&frame, 0);
        finish_once(once);
    }
    return 0;
}

/* Attributes: only detachstate matters; what glibc refuses is refused. */

__fsoft_plain int pthread_attr_init(struct __fsoft_attr *attr) {
    if (fails()) return ENOMEM;
    attr->detached = 0;
    return 0;
}

int pthread_attr_destroy(struct __fsoft_attr *attr) {
    return 0;
}

__fsoft_plain int pthread_attr_setdetachstate(struct __fsoft_attr *attr, int state) {
    if (state != 0 && state != 1) return EINVAL;
    attr->detached = state;
    return 0;
}

__fsoft_plain int pthread_attr_getdetachstate(const struct __fsoft_attr *attr, int *state) {
    *state = attr->detached;
    return 0;
}

int pthread_attr_setstacksize(struct __fsoft_attr *attr, __SIZE_TYPE__ size) {
    return size < 16384 ? EINVAL : 0;
}

int pthread_attr_setstack(struct __fsoft_attr *attr, void *stack, __SIZE_TYPE__ size) {
    return size < 16384 ? EINVAL : 0;
}

int pthread_attr_setguardsize(struct __fsoft_attr *attr, __SIZE_TYPE__ size) {
    return 0;
}

int pthread_attr_setscope(struct __fsoft_attr *attr, int scope) {
    return scope == 0 ? 0 : scope == 1 ? ENOTSUP : EINVAL;
}

/* Whether a priority other than 0 fits, and who may ask for it, is the system's business. */

__fsoft_plain static int priority(const int *parameters) {
    return *parameters;
}

static int any_error(int error) {
    return __VERIFIER_nondet_bool() ? error : 0;
}

int pthread_attr_setschedpolicy(struct __fsoft_attr *attr, int policy) {
    return policy >= 0 && policy <= 2 ? 0 : EINVAL;
}

int pthread_attr_setschedparam(struct __fsoft_attr *attr, const int *parameters) {
    return priority(parameters) == 0 ? 0 : any_error(EINVAL);
}

int pthread_attr_setinheritsched(struct __fsoft_attr *attr, int inherit) {
    return inherit == 0 || inherit == 1 ? 0 : EINVAL;
}

int pthread_setschedparam(unsigned long id, int policy, const int *parameters) {
    priority(parameters);
    return any_error(__VERIFIER_nondet_bool() ? EINVAL : EPERM);
}

int pthread_setschedprio(unsigned long id, int wanted) {
    return any_error(__VERIFIER_nondet_bool() ? EINVAL : EPERM);
}

int pthread_setconcurrency(int level) {
    return level < 0 ? EINVAL : 0;
}

__fsoft_plain int pthread_setname_np(unsigned long id, const char *name) {
    int i = 0;
    while (i < 16 && name[i]) i++;
    return i == 16 ? ERANGE : 0;
}

int pthread_yield(void) {
    return 0;
}

int sched_yield(void) {
    return 0;
}

/* Thread-specific data. Keys are never used again. Every thread calls __fsoft_at_thread_exit when it ends, if that function is part
   of the program: naming it in pthread_key_create makes it so. */

static __fsoft_atomic unsigned new_key(void (*destructor)(void *)) {
    unsigned key = __fsoft_key_count;
    if (key >= KEYS) __fsoft_undefined("more than 8 thread-specific keys");
    __fsoft_key_count = key + 1;
    __fsoft_key_destructors[key] = destructor;
    __fsoft_keys[key] = 1;
    return key;
}

__fsoft_plain int pthread_key_create(unsigned *key, void (*destructor)(void *)) {
    if (fails()) return __VERIFIER_nondet_bool() ? EAGAIN : ENOMEM;
    *key = new_key(destructor);
    if (0) __fsoft_at_thread_exit();
    return 0;
}

__fsoft_atomic int pthread_key_delete(unsigned key) {
    if (key >= KEYS || !__fsoft_keys[key]) return EINVAL;
    __fsoft_keys[key] = 0;
    __fsoft_key_destructors[key] = 0;
    return 0;
}

void *pthread_getspecific(unsigned key) {
    return key < KEYS && __fsoft_keys[key] ? __fsoft_key_values[key] : 0;
}

int pthread_setspecific(unsigned key, const void *value) {
    if (key >= KEYS || !__fsoft_keys[key]) return EINVAL;
    if (value && fails()) return ENOMEM;
    __fsoft_key_values[key] = (void *)value;
    return 0;
}

/* The keys of this thread whose destructors are to be called. */
static __fsoft_mask to_destroy(void) {
    __fsoft_mask keys = 0;
    unsigned key;
    for (key = 0; key < __fsoft_key_count; key++)
        if (__fsoft_key_values[key] && __fsoft_key_destructors[key]) keys = keys | (__fsoft_mask)1 << key;
    return keys;
}

static void destroy_value(unsigned key) {
    void *value = __fsoft_key_values[key];
    void (*destructor)(void *) = __fsoft_key_destructors[key];
    __fsoft_key_values[key] = 0;
    if (value && destructor) destructor(value);
}

/* In each round the destructors are called in any order. */
void __fsoft_at_thread_exit(void) {
    int round;
    __fsoft_mask keys;
    for (round = 0; round < 4 && (keys = to_destroy()); round++)
        while (keys) {
            unsigned key = (unsigned)__fsoft_choose(keys);
            keys = keys & ~((__fsoft_mask)1 << key);
            destroy_value(key);
        }
}
