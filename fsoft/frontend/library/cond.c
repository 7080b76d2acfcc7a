/* Condition variables: a set of waiting threads. A waiting thread goes on when it is no longer in the set and the mutex is
   free; a spurious wake-up or a time-out takes it out of the set itself. */

__fsoft_atomic int pthread_cond_init(struct __fsoft_cond *c, const void *attr) {
    __fsoft_tag("init", c);
    if (known(c)) __fsoft_check(c->waiting == 0, MISUSE, "initialisation of a condition that a thread waits for");
    if (fails()) return __VERIFIER_nondet_bool() ? EAGAIN : ENOMEM;
    c->waiting = 0;
    if (CHECKED) {
        c->destroyed = 0;
        c->with.mutex = 0;
    }
    return 0;
}

__fsoft_atomic int pthread_cond_destroy(struct __fsoft_cond *c) {
    __fsoft_tag("destroy", c);
    __fsoft_check(!c->destroyed, MISUSE, "destroy of a destroyed condition");
    __fsoft_check(c->waiting == 0, MISUSE, "destroy of a condition that a thread waits for");
    if (CHECKED) c->destroyed = 1;
    return 0;
}

static int counts(const struct __fsoft_mutex *m) { /* a mutex that knows how often its owner has locked it */
    int kind = m->kind16;
    if (sizeof(void *) == 4) kind = kind | m->kind12;
    return (kind & 3) == RECURSIVE || (kind & 3) == ERRORCHECK;
}

static __fsoft_atomic int cond_denied(struct __fsoft_mutex *m) { /* such a mutex refuses to be given back by others */
    if (!counts(m)) return 0;
    __fsoft_check(m->owner == __fsoft_self(), MISUSE, "wait on a condition without holding the mutex");
    return m->owner != __fsoft_self();
}

/* 1 if the thread still holds the mutex: one that is locked again is unlocked once only, as in glibc. */
static __fsoft_atomic int cond_enter(struct __fsoft_cond *c, struct __fsoft_mutex *m) {
    __fsoft_mask waiting = c->waiting;
    __fsoft_tag("wait", c);
    __fsoft_tag("release", m);
    if (CHECKED) {
        struct __fsoft_mutex *mutex = c->with.mutex;
        __fsoft_check(!c->destroyed, MISUSE, "wait on a destroyed condition");
        __fsoft_check(m->owner == __fsoft_self(), MISUSE, "wait on a condition without holding the mutex");
        __fsoft_check(waiting == 0 || mutex == m, MISUSE, "threads wait on one condition with two mutexes");
        c->with.mutex = m;
    }
    if (counts(m)) {
        unsigned count = m->count;
        if (count > 0) {
            c->waiting = waiting | SELF_BIT;
            m->count = count - 1;
            return 1;
        }
    }
    c->waiting = waiting | SELF_BIT;
    m->owner = 0;
    return 0;
}

/* How a thread goes on: WAITED if nobody has woken it, ALONE if somebody has and nobody waits any more, 0 if others do. */

#define WAITED 1
#define ALONE 2

static int went_on(__fsoft_mask waiting) {
    if (waiting & SELF_BIT) return WAITED;
    return waiting == 0 ? ALONE : 0;
}

/* Who was woken is kept for all conditions and barriers together: threads are put in order by the mutex, not by this word. */
static void looks_at_woken(void) {
    if (COND_DIES) __fsoft_tag("apart", &__fsoft_woken);
}

static __fsoft_mask waiting_at(struct __fsoft_cond *c) { /* as the thread sees it that is about to go on: itself, until it is woken */
    looks_at_woken();
    if (COND_DIES) return ~__fsoft_woken & SELF_BIT;
    return c->waiting;
}

static void waits_no_more(struct __fsoft_cond *c, __fsoft_mask waiting) {
    if (!COND_DIES)
        c->waiting = waiting & ~SELF_BIT;
    else if (waiting)
        c->waiting = c->waiting & ~SELF_BIT;
    else
        __fsoft_woken = __fsoft_woken & ~SELF_BIT;
}

static void wake_up(struct __fsoft_cond *c, __fsoft_mask waiting, __fsoft_mask whom) {
    looks_at_woken();
    c->waiting = waiting & ~whom;
    if (COND_DIES) __fsoft_woken = __fsoft_woken | (waiting & whom);
}

static __fsoft_atomic int cond_wake(struct __fsoft_cond *c, struct __fsoft_mutex *m) {
    __fsoft_mask waiting = waiting_at(c);
    int owner = m->owner, stop = cancelled();
    __fsoft_tag("wake", c);
    __fsoft_tag("acquire", m);
    __fsoft_tag("owner", &m->owner);
    __fsoft_check(m->kind16 >= 0 && (sizeof(void *) == 8 || m->kind12 >= 0), MISUSE, "a thread waits on a condition with a destroyed mutex");
    __fsoft_require(((waiting & SELF_BIT) == 0 || stop) && owner == 0);
    if (CANCELS) c->waiting = waiting & ~SELF_BIT;
    if (COND_DIES) __fsoft_woken = __fsoft_woken & ~SELF_BIT;
    m->owner = __fsoft_self();
    return went_on(waiting);
}

static __fsoft_atomic int cond_leave(struct __fsoft_cond *c, struct __fsoft_mutex *m) {
    __fsoft_mask waiting = waiting_at(c);
    int owner = m->owner;
    __fsoft_tag("wake", c);
    __fsoft_tag("acquire", m);
    __fsoft_tag("owner", &m->owner);
    __fsoft_check(m->kind16 >= 0 && (sizeof(void *) == 8 || m->kind12 >= 0), MISUSE, "a thread waits on a condition with a destroyed mutex");
    __fsoft_require(owner == 0);
    waits_no_more(c, waiting);
    m->owner = __fsoft_self();
    return went_on(waiting);
}

static __fsoft_atomic int cond_go_on(struct __fsoft_cond *c, struct __fsoft_mutex *m, int wait) { /* as these, with the mutex held */
    __fsoft_mask waiting = waiting_at(c);
    int stop = cancelled();
    __fsoft_tag("wake", c);
    __fsoft_tag("acquire", m);
    __fsoft_require((waiting & SELF_BIT) == 0 || stop || !wait);
    waits_no_more(c, waiting);
    m->count = m->count + 1;
    return went_on(waiting);
}

/* A cancelled thread takes no signal away from others; if there are none, it may have been cancelled before the signal or after. */
static void cond_stop(int how) {
    if (how == WAITED || (how == ALONE && __VERIFIER_nondet_bool())) pthread_testcancel();
}

int pthread_cond_wait(struct __fsoft_cond *c, struct __fsoft_mutex *m) {
    int held, how;
    if (CANCELS) pthread_testcancel();
    if (cond_denied(m)) return EPERM;
    held = cond_enter(c, m);
    if (__fsoft_spurious())
        how = held ? cond_go_on(c, m, 0) : cond_leave(c, m);
    else
        how = held ? cond_go_on(c, m, 1) : cond_wake(c, m);
    if (CANCELS) cond_stop(how);
    return 0;
}

int pthread_cond_timedwait(struct __fsoft_cond *c, struct __fsoft_mutex *m, const struct __fsoft_timespec *until) {
    int held, how, result = 0;
    if (bad_time(until)) return EINVAL;
    if (CANCELS) pthread_testcancel();
    if (cond_denied(m)) return EPERM;
    held = cond_enter(c, m);
    if (__fsoft_timeout()) {
        how = held ? cond_go_on(c, m, 0) : cond_leave(c, m);
        if (how == WAITED) result = ETIMEDOUT;
    } else if (__fsoft_spurious())
        how = held ? cond_go_on(c, m, 0) : cond_leave(c, m);
    else
        how = held ? cond_go_on(c, m, 1) : cond_wake(c, m);
    if (CANCELS) cond_stop(how);
    return result;
}

int pthread_cond_clockwait(struct __fsoft_cond *c, struct __fsoft_mutex *m, int clock, const struct __fsoft_timespec *until) {
    if (clock != 0 && clock != 1) return EINVAL;
    return pthread_cond_timedwait(c, m, until);
}

__fsoft_atomic int pthread_cond_signal(struct __fsoft_cond *c) {
    __fsoft_mask waiting = c->waiting;
    __fsoft_tag("signal", c);
    __fsoft_check(!c->destroyed, MISUSE, "signal on a destroyed condition");
    wake_up(c, waiting, (__fsoft_mask)1 << __fsoft_choose(waiting));
    return 0;
}

__fsoft_atomic int pthread_cond_broadcast(struct __fsoft_cond *c) {
    __fsoft_tag("broadcast", c);
    __fsoft_check(!c->destroyed, MISUSE, "broadcast on a destroyed condition");
    looks_at_woken();
    if (COND_DIES) __fsoft_woken = __fsoft_woken | c->waiting;
    c->waiting = 0;
    return 0;
}

int pthread_condattr_init(int *attr) {
    return fails() ? ENOMEM : 0;
}

int pthread_condattr_destroy(int *attr) {
    return 0;
}

int pthread_condattr_setclock(int *attr, int clock) {
    return clock == 0 || clock == 1 ? 0 : EINVAL;
}

int pthread_condattr_setpshared(int *attr, int shared) {
    return shared == 0 || shared == 1 ? 0 : EINVAL;
}
