/* Condition variables: a set of waiting threads. A waiting thread goes on when it is no longer in the set and the mutex is
   free; a spurious wake-up or a time-out takes it out of the set itself. */

__fsoft_atomic int pthread_cond_init(struct __fsoft_cond *c, const void *attr) {
    __fsoft_tag("init", c);
    if (known(c)) __fsoft_check(c->waiting == 0, MISUSE, "initialisation of a condition that a thread waits for");
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

static __fsoft_atomic int cond_enter(struct __fsoft_cond *c, struct __fsoft_mutex *m) {
    __fsoft_mask waiting = c->waiting;
    int kind = m->kind16, depth = 0;
    if (sizeof(void *) == 4) kind = kind | m->kind12;
    __fsoft_tag("wait", c);
    __fsoft_tag("release", m);
    if (CHECKED) {
        struct __fsoft_mutex *mutex = c->with.mutex;
        __fsoft_check(!c->destroyed, MISUSE, "wait on a destroyed condition");
        __fsoft_check(m->owner == __fsoft_self(), MISUSE, "wait on a condition without holding the mutex");
        __fsoft_check(waiting == 0 || mutex == m, MISUSE, "threads wait on one condition with two mutexes");
        c->with.mutex = m;
    }
    if ((kind & 3) == RECURSIVE || (kind & 3) == ERRORCHECK) {
        if (m->owner != __fsoft_self()) return -1;
        depth = (int)m->count;
        m->count = 0;
    }
    c->waiting = waiting | SELF_BIT;
    m->owner = 0;
    return depth;
}

static __fsoft_atomic void cond_wake(struct __fsoft_cond *c, struct __fsoft_mutex *m, int depth) {
    __fsoft_mask waiting = c->waiting;
    int owner = m->owner, stop = cancelled();
    __fsoft_tag("wake", c);
    __fsoft_tag("acquire", m);
    __fsoft_tag("owner", &m->owner);
    __fsoft_check(m->kind16 >= 0 && (sizeof(void *) == 8 || m->kind12 >= 0), MISUSE, "a thread waits on a condition with a destroyed mutex");
    __fsoft_require(((waiting & SELF_BIT) == 0 || stop) && owner == 0);
    if (CANCELS) c->waiting = waiting & ~SELF_BIT;
    m->owner = __fsoft_self();
    if (depth > 0) m->count = (unsigned)depth;
}

static __fsoft_atomic int cond_leave(struct __fsoft_cond *c, struct __fsoft_mutex *m, int depth) {
    __fsoft_mask waiting = c->waiting;
    int owner = m->owner;
    __fsoft_tag("wake", c);
    __fsoft_tag("acquire", m);
    __fsoft_tag("owner", &m->owner);
    __fsoft_check(m->kind16 >= 0 && (sizeof(void *) == 8 || m->kind12 >= 0), MISUSE, "a thread waits on a condition with a destroyed mutex");
    __fsoft_require(owner == 0);
    c->waiting = waiting & ~SELF_BIT;
    m->owner = __fsoft_self();
    if (depth > 0) m->count = (unsigned)depth;
    return (waiting & SELF_BIT) != 0;
}

int pthread_cond_wait(struct __fsoft_cond *c, struct __fsoft_mutex *m) {
    int depth;
    if (CANCELS) pthread_testcancel();
    depth = cond_enter(c, m);
    if (depth < 0) return EPERM;
    if (__fsoft_spurious())
        cond_leave(c, m, depth);
    else
        cond_wake(c, m, depth);
    if (CANCELS) pthread_testcancel();
    return 0;
}

int pthread_cond_timedwait(struct __fsoft_cond *c, struct __fsoft_mutex *m, const void *until) {
    int depth, result = 0;
    if (CANCELS) pthread_testcancel();
    depth = cond_enter(c, m);
    if (depth < 0) return EPERM;
    if (__fsoft_timeout())
        result = cond_leave(c, m, depth) ? ETIMEDOUT : 0;
    else if (__fsoft_spurious())
        cond_leave(c, m, depth);
    else
        cond_wake(c, m, depth);
    if (CANCELS) pthread_testcancel();
    return result;
}

int pthread_cond_clockwait(struct __fsoft_cond *c, struct __fsoft_mutex *m, int clock, const void *until) {
    return pthread_cond_timedwait(c, m, until);
}

__fsoft_atomic int pthread_cond_signal(struct __fsoft_cond *c) {
    __fsoft_mask waiting = c->waiting;
    __fsoft_tag("signal", c);
    __fsoft_check(!c->destroyed, MISUSE, "signal on a destroyed condition");
    c->waiting = waiting & ~((__fsoft_mask)1 << __fsoft_choose(waiting));
    return 0;
}

__fsoft_atomic int pthread_cond_broadcast(struct __fsoft_cond *c) {
    __fsoft_tag("broadcast", c);
    __fsoft_check(!c->destroyed, MISUSE, "broadcast on a destroyed condition");
    c->waiting = 0;
    return 0;
}

int pthread_condattr_init(int *attr) {
    return 0;
}

int pthread_condattr_destroy(int *attr) {
    return 0;
}

int pthread_condattr_setclock(int *attr, int clock) {
    return 0;
}

int pthread_condattr_setpshared(int *attr, int shared) {
    return 0;
}
