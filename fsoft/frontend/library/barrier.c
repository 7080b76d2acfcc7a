/* Barriers: a set of waiting threads that the last to arrive empties. A thread looks at its own bit only, so that threads of
   the next generation may arrive while some of this one have not yet left. Any thread of a generation may be the serial one; which one it is
   is kept only if somebody asks. */

#define SERIAL __fsoft_wanted("pthread_barrier_wait")

__fsoft_atomic int pthread_barrier_init(struct __fsoft_barrier *b, const void *attr, unsigned count) {
    __fsoft_tag("init", b);
    if (count == 0 || count > 2147483647) return EINVAL;
    if (fails()) return __VERIFIER_nondet_bool() ? EAGAIN : ENOMEM;
    if (known(b)) __fsoft_check(b->arrived >= b->count, MISUSE, "initialisation of a barrier that is initialised already");
    *(unsigned long long *)b = count; /* count and arrived: glibc may have one scalar there */
    b->waiting = 0;
    if (SERIAL) b->serial = 0;
    return 0;
}

__fsoft_atomic int pthread_barrier_destroy(struct __fsoft_barrier *b) {
    __fsoft_tag("destroy", b);
    __fsoft_check(b->count != 0, MISUSE, "destroy of a barrier that is not initialised");
    __fsoft_check(b->waiting == 0, MISUSE, "destroy of a barrier that a thread waits at");
    if (CHECKED) b->count = 0;
    return 0;
}

static __fsoft_atomic int barrier_arrive(struct __fsoft_barrier *b) {
    unsigned count = b->count, arrived = b->arrived + 1, serial = 0;
    __fsoft_mask waiting = b->waiting;
    __fsoft_tag("arrive", b);
    __fsoft_check(count != 0, MISUSE, "wait at a barrier that is not initialised");
    if (arrived < count) {
        b->arrived = arrived;
        b->waiting = waiting | SELF_BIT;
        return 1;
    }
    b->arrived = 0;
    b->waiting = 0;
    if (BARRIER_DIES) __fsoft_woken = __fsoft_woken | waiting;
    if (!SERIAL) return 0;
    serial = (unsigned)__fsoft_choose(waiting | SELF_BIT) + 1;
    if (serial == (unsigned)__fsoft_self()) return -1;
    if (BARRIER_DIES) {
        __fsoft_serial = __fsoft_serial | (__fsoft_mask)1 << (serial - 1);
        return 0;
    }
    if (b->serial != 0) return -1;
    b->serial = serial;
    return 0;
}

static __fsoft_atomic int barrier_leave(struct __fsoft_barrier *b) {
    __fsoft_mask waiting = b->waiting;
    __fsoft_tag("barrier", b);
    __fsoft_require((waiting & SELF_BIT) == 0);
    if (!SERIAL) return 0;
    if (b->serial != (unsigned)__fsoft_self()) return 0;
    b->serial = 0;
    return -1;
}

static __fsoft_atomic int barrier_left(struct __fsoft_barrier *b) { /* the same, where the barrier may be gone */
    __fsoft_mask serial = 0;
    __fsoft_tag("barrier", b);
    __fsoft_require((__fsoft_woken & SELF_BIT) != 0);
    __fsoft_woken = __fsoft_woken & ~SELF_BIT;
    if (!SERIAL) return 0;
    serial = __fsoft_serial;
    if ((serial & SELF_BIT) == 0) return 0;
    __fsoft_serial = serial & ~SELF_BIT;
    return -1;
}

int pthread_barrier_wait(struct __fsoft_barrier *b) {
    int result = barrier_arrive(b);
    if (result == 1) result = BARRIER_DIES ? barrier_left(b) : barrier_leave(b);
    return result;
}

int pthread_barrierattr_init(int *attr) {
    return fails() ? ENOMEM : 0;
}

int pthread_barrierattr_destroy(int *attr) {
    return 0;
}

int pthread_barrierattr_setpshared(int *attr, int shared) {
    return shared == 0 || shared == 1 ? 0 : EINVAL;
}
