/* Unnamed semaphores. Where misuse is checked, `destroyed` is LIVE from initialisation to destruction: memory of zeros is no semaphore. */

#define LIVE 2

__fsoft_atomic int sem_init(struct __fsoft_sem *s, int shared, unsigned value) {
    __fsoft_tag("init", s);
    if (value > SEM_MAX) {
        set_errno(EINVAL);
        return -1;
    }
    if (fails()) {
        set_errno(ENOSPC);
        return -1;
    }
    if (known(s)) __fsoft_check(s->destroyed != LIVE, MISUSE, "initialisation of a semaphore that is initialised already");
    s->value = (long)value;
    if (CHECKED) s->destroyed = LIVE;
    return 0;
}

__fsoft_atomic int sem_destroy(struct __fsoft_sem *s) {
    __fsoft_tag("destroy", s);
    __fsoft_check(s->destroyed != 1, MISUSE, "destroy of a destroyed semaphore");
    __fsoft_check(s->destroyed != 0, MISUSE, "destroy of a semaphore that is not initialised");
    if (CHECKED) s->destroyed = 1;
    return 0;
}

static __fsoft_atomic int sem_take(struct __fsoft_sem *s) {
    long value = s->value;
    int stop = cancelled();
    __fsoft_tag("semwait", s);
    __fsoft_check(s->destroyed != 1, MISUSE, "wait on a destroyed semaphore");
    __fsoft_check(s->destroyed != 0, MISUSE, "wait on a semaphore that is not initialised");
    __fsoft_require(value > 0 || stop);
    if (value <= 0) return 1;
    s->value = value - 1;
    return 0;
}

static __fsoft_atomic int sem_try(struct __fsoft_sem *s) {
    long value = s->value;
    __fsoft_tag("try", s);
    __fsoft_check(s->destroyed != 1, MISUSE, "wait on a destroyed semaphore");
    __fsoft_check(s->destroyed != 0, MISUSE, "wait on a semaphore that is not initialised");
    if (value <= 0) return -1;
    s->value = value - 1;
    return 0;
}

int sem_wait(struct __fsoft_sem *s) {
    if (CANCELS) pthread_testcancel();
    if (sem_take(s) && CANCELS) pthread_testcancel();
    return 0;
}

int sem_trywait(struct __fsoft_sem *s) {
    int result = sem_try(s);
    if (result) set_errno(EAGAIN);
    return result;
}

/* A time that is no time is refused, or not looked at if the semaphore is free. */
int sem_timedwait(struct __fsoft_sem *s, const struct __fsoft_timespec *until) {
    if (CANCELS) pthread_testcancel();
    if (bad_time(until)) {
        if (__VERIFIER_nondet_bool() && sem_try(s) == 0) return 0;
        set_errno(EINVAL);
        return -1;
    }
    if (__fsoft_timeout()) {
        if (sem_try(s) == 0) return 0;
        set_errno(ETIMEDOUT);
        return -1;
    }
    if (sem_take(s) && CANCELS) pthread_testcancel();
    return 0;
}

int sem_clockwait(struct __fsoft_sem *s, int clock, const struct __fsoft_timespec *until) {
    if (clock != 0 && clock != 1) {
        set_errno(EINVAL);
        return -1;
    }
    return sem_timedwait(s, until);
}

static __fsoft_atomic int sem_increment(struct __fsoft_sem *s) {
    long value = s->value;
    __fsoft_tag("post", s);
    __fsoft_check(s->destroyed != 1, MISUSE, "post on a destroyed semaphore");
    __fsoft_check(s->destroyed != 0, MISUSE, "post on a semaphore that is not initialised");
    if (value >= SEM_MAX) return -1;
    s->value = value + 1;
    return 0;
}

int sem_post(struct __fsoft_sem *s) {
    int result = sem_increment(s);
    if (result) set_errno(EOVERFLOW);
    return result;
}

static __fsoft_atomic int sem_read(struct __fsoft_sem *s) {
    __fsoft_tag("look", s);
    __fsoft_check(s->destroyed != 1, MISUSE, "use of a destroyed semaphore");
    __fsoft_check(s->destroyed != 0, MISUSE, "use of a semaphore that is not initialised");
    return (int)s->value;
}

__fsoft_plain int sem_getvalue(struct __fsoft_sem *s, int *value) {
    *value = sem_read(s);
    return 0;
}
