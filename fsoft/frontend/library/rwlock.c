/* Readers-writer locks. As in glibc, whoever can have the lock may get it: a reader does not wait for writers that wait. Those of the kind
   PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP (2) have a set of waiting writers that every reader waits for. */

static int prefers_writers(const struct __fsoft_rwlock *l) {
    return (sizeof(void *) == 4 ? l->kind24 : l->kind48) == 2;
}

__fsoft_plain static int kind_of(const long *attr) {
    return (int)*attr;
}

static __fsoft_atomic int rwlock_init(struct __fsoft_rwlock *l, int kind) {
    __fsoft_tag("init", l);
    if (known(l)) __fsoft_check(l->writer == 0 && l->readers == 0, MISUSE, "initialisation of a readers-writer lock that is held");
    if (fails()) return __VERIFIER_nondet_bool() ? EAGAIN : ENOMEM;
    l->writer = 0;
    l->readers = 0;
    l->again = 0;
    l->waiting = 0;
    if (sizeof(void *) == 4)
        l->kind24 = (unsigned char)kind;
    else
        l->kind48 = (unsigned)kind;
    if (CHECKED && sizeof(void *) == 8) l->word24 = 0;
    if (CHECKED) l->destroyed = 0;
    return 0;
}

int pthread_rwlock_init(struct __fsoft_rwlock *l, const long *attr) {
    return rwlock_init(l, attr ? kind_of(attr) : 0);
}

__fsoft_atomic int pthread_rwlock_destroy(struct __fsoft_rwlock *l) {
    __fsoft_tag("destroy", l);
    __fsoft_check(!l->destroyed, MISUSE, "destroy of a destroyed readers-writer lock");
    __fsoft_check(l->writer == 0, MISUSE, "destroy of a readers-writer lock that is held for writing");
    __fsoft_check(l->readers == 0, MISUSE, "destroy of a readers-writer lock that is held for reading");
    if (CHECKED) l->destroyed = 1;
    return 0;
}

static void rwlock_read(struct __fsoft_rwlock *l) {
    __fsoft_mask readers = l->readers;
    __fsoft_tag("shared", &l->readers);
    if (readers & SELF_BIT) {
        __fsoft_mask again = l->again;
        if (again & SELF_BIT) __fsoft_undefined("one thread holds a readers-writer lock more than twice for reading");
        l->again = again | SELF_BIT;
    } else {
        l->readers = readers | SELF_BIT;
        took();
    }
}

static __fsoft_atomic int read_lock(struct __fsoft_rwlock *l) {
    int writer = l->writer;
    __fsoft_tag("rdlock", l);
    __fsoft_tag("owner", &l->writer);
    __fsoft_check(!l->destroyed, MISUSE, "lock of a destroyed readers-writer lock");
    __fsoft_check(writer != __fsoft_self(), MISUSE, "read lock by the thread that holds the lock for writing");
    if (writer == __fsoft_self()) return EDEADLK;
    __fsoft_require(writer == 0);
    rwlock_read(l);
    return 0;
}

static __fsoft_atomic int read_after_writers(struct __fsoft_rwlock *l) {
    int writer = l->writer;
    __fsoft_mask waiting = l->waiting;
    __fsoft_tag("rdlock", l);
    __fsoft_tag("owner", &l->writer);
    __fsoft_tag("readers", &l->waiting);
    __fsoft_tag("apart", &l->waiting);
    __fsoft_check(!l->destroyed, MISUSE, "lock of a destroyed readers-writer lock");
    __fsoft_check(writer != __fsoft_self(), MISUSE, "read lock by the thread that holds the lock for writing");
    if (writer == __fsoft_self()) return EDEADLK;
    __fsoft_require(writer == 0 && waiting == 0);
    rwlock_read(l);
    return 0;
}

int pthread_rwlock_rdlock(struct __fsoft_rwlock *l) {
    if (prefers_writers(l)) return read_after_writers(l);
    if (__fsoft_checks("no-deadlock")) __fsoft_note("a reader does not wait for writers that wait, as with glibc (POSIX leaves it open)");
    return read_lock(l);
}

static __fsoft_atomic int write_lock(struct __fsoft_rwlock *l) {
    int writer = l->writer;
    __fsoft_mask readers = l->readers;
    __fsoft_tag("wrlock", l);
    __fsoft_tag("owner", &l->writer);
    __fsoft_tag("readers", &l->readers);
    __fsoft_tag("shared", &l->readers);
    __fsoft_check(!l->destroyed, MISUSE, "lock of a destroyed readers-writer lock");
    __fsoft_check(writer != __fsoft_self(), MISUSE, "write lock by the thread that holds the lock for writing");
    __fsoft_check((readers & SELF_BIT) == 0, MISUSE, "write lock by a thread that holds the lock for reading");
    if (writer == __fsoft_self()) return EDEADLK;
    __fsoft_require(writer == 0 && readers == 0);
    l->writer = __fsoft_self();
    took();
    return 0;
}

/* A writer that readers wait for: it joins the set, then waits, or gives up. */

static __fsoft_atomic int wait_to_write(struct __fsoft_rwlock *l) {
    __fsoft_mask waiting = l->waiting;
    __fsoft_tag("apart", &l->waiting);
    if (l->writer == __fsoft_self()) return EDEADLK;
    l->waiting = waiting | SELF_BIT;
    return 0;
}

static __fsoft_atomic int write_at_last(struct __fsoft_rwlock *l) {
    int writer = l->writer;
    __fsoft_mask readers = l->readers;
    __fsoft_tag("wrlock", l);
    __fsoft_tag("owner", &l->writer);
    __fsoft_tag("readers", &l->readers);
    __fsoft_tag("shared", &l->readers);
    __fsoft_tag("apart", &l->waiting);
    __fsoft_check(!l->destroyed, MISUSE, "lock of a destroyed readers-writer lock");
    __fsoft_check((readers & SELF_BIT) == 0, MISUSE, "write lock by a thread that holds the lock for reading");
    __fsoft_require(writer == 0 && readers == 0);
    l->waiting = l->waiting & ~SELF_BIT;
    l->writer = __fsoft_self();
    took();
    return 0;
}

static __fsoft_atomic int wait_no_more(struct __fsoft_rwlock *l) {
    __fsoft_tag("apart", &l->waiting);
    l->waiting = l->waiting & ~SELF_BIT;
    return ETIMEDOUT;
}

int pthread_rwlock_wrlock(struct __fsoft_rwlock *l) {
    if (prefers_writers(l)) {
        int error = wait_to_write(l);
        return error ? error : write_at_last(l);
    }
    return write_lock(l);
}

static __fsoft_atomic int rwlock_try_read(struct __fsoft_rwlock *l, int busy) {
    __fsoft_tag("try", l);
    __fsoft_check(!l->destroyed, MISUSE, "lock of a destroyed readers-writer lock");
    if (l->writer == __fsoft_self() && busy != EBUSY) return EDEADLK;
    if (l->writer != 0) return busy;
    rwlock_read(l);
    return 0;
}

static __fsoft_atomic int rwlock_try_write(struct __fsoft_rwlock *l, int busy) {
    int writer = l->writer;
    __fsoft_mask readers = l->readers;
    __fsoft_tag("try", l);
    __fsoft_check(!l->destroyed, MISUSE, "lock of a destroyed readers-writer lock");
    if (writer == __fsoft_self() && busy != EBUSY) return EDEADLK;
    if (writer != 0 || readers != 0) return busy;
    l->writer = __fsoft_self();
    took();
    return 0;
}

static int writers_wait(struct __fsoft_rwlock *l) {
    if (prefers_writers(l)) {
        __fsoft_tag("apart", &l->waiting);
        return l->waiting != 0;
    }
    return 0;
}

int pthread_rwlock_tryrdlock(struct __fsoft_rwlock *l) {
    return writers_wait(l) ? EBUSY : rwlock_try_read(l, EBUSY);
}

int pthread_rwlock_trywrlock(struct __fsoft_rwlock *l) {
    return rwlock_try_write(l, EBUSY);
}

int pthread_rwlock_timedrdlock(struct __fsoft_rwlock *l, const struct __fsoft_timespec *until) {
    if (bad_time(until)) return EINVAL;
    if (__fsoft_timeout()) return writers_wait(l) ? ETIMEDOUT : rwlock_try_read(l, ETIMEDOUT);
    return pthread_rwlock_rdlock(l);
}

int pthread_rwlock_timedwrlock(struct __fsoft_rwlock *l, const struct __fsoft_timespec *until) {
    if (bad_time(until)) return EINVAL;
    if (prefers_writers(l)) {
        int error = wait_to_write(l);
        if (error) return error;
        if (__fsoft_timeout()) return wait_no_more(l);
        return write_at_last(l);
    }
    if (__fsoft_timeout()) return rwlock_try_write(l, ETIMEDOUT);
    return write_lock(l);
}

__fsoft_atomic int pthread_rwlock_unlock(struct __fsoft_rwlock *l) {
    int writer = l->writer;
    __fsoft_mask readers = l->readers, again = l->again;
    __fsoft_tag("rwunlock", l);
    __fsoft_check(!l->destroyed, MISUSE, "unlock of a destroyed readers-writer lock");
    __fsoft_check(writer == __fsoft_self() || (readers & SELF_BIT) != 0, MISUSE,
                  "unlock of a readers-writer lock that this thread does not hold");
    if (writer == __fsoft_self()) {
        l->writer = 0;
        gave();
    } else if (again & SELF_BIT)
        l->again = again & ~SELF_BIT;
    else if (readers & SELF_BIT) {
        l->readers = readers & ~SELF_BIT;
        gave();
    } else
        __fsoft_undefined("unlock of a readers-writer lock that this thread does not hold");
    return 0;
}

__fsoft_plain int pthread_rwlockattr_init(long *attr) {
    if (fails()) return ENOMEM;
    *attr = 0;
    return 0;
}

int pthread_rwlockattr_destroy(long *attr) {
    return 0;
}

int pthread_rwlockattr_setpshared(long *attr, int shared) {
    return shared == 0 || shared == 1 ? 0 : EINVAL;
}

/* The kind PTHREAD_RWLOCK_PREFER_WRITER_NP (1) prefers readers, too. */
__fsoft_plain int pthread_rwlockattr_setkind_np(long *attr, int kind) {
    if (kind < 0 || kind > 2) return EINVAL;
    *attr = kind;
    return 0;
}

__fsoft_plain int pthread_rwlockattr_getkind_np(const long *attr, int *kind) {
    *kind = (int)*attr;
    return 0;
}
