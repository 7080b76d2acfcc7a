/* Readers-writer locks without preference: whoever can have the lock may get it. */

__fsoft_atomic int pthread_rwlock_init(struct __fsoft_rwlock *l, const void *attr) {
    __fsoft_tag("init", l);
    if (known(l)) __fsoft_check(l->writer == 0 && l->readers == 0, MISUSE, "initialisation of a readers-writer lock that is held");
    l->writer = 0;
    l->readers = 0;
    l->again = 0;
    if (CHECKED) l->destroyed = 0;
    return 0;
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

__fsoft_atomic int pthread_rwlock_rdlock(struct __fsoft_rwlock *l) {
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

__fsoft_atomic int pthread_rwlock_wrlock(struct __fsoft_rwlock *l) {
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

static __fsoft_atomic int rwlock_try_read(struct __fsoft_rwlock *l, int busy) {
    __fsoft_tag("try", l);
    __fsoft_check(!l->destroyed, MISUSE, "lock of a destroyed readers-writer lock");
    if (l->writer != 0) return busy;
    rwlock_read(l);
    return 0;
}

static __fsoft_atomic int rwlock_try_write(struct __fsoft_rwlock *l, int busy) {
    int writer = l->writer;
    __fsoft_mask readers = l->readers;
    __fsoft_tag("try", l);
    __fsoft_check(!l->destroyed, MISUSE, "lock of a destroyed readers-writer lock");
    if (writer != 0 || readers != 0) return busy;
    l->writer = __fsoft_self();
    took();
    return 0;
}

int pthread_rwlock_tryrdlock(struct __fsoft_rwlock *l) {
    return rwlock_try_read(l, EBUSY);
}

int pthread_rwlock_trywrlock(struct __fsoft_rwlock *l) {
    return rwlock_try_write(l, EBUSY);
}

int pthread_rwlock_timedrdlock(struct __fsoft_rwlock *l, const void *until) {
    if (__fsoft_timeout()) return rwlock_try_read(l, ETIMEDOUT);
    return pthread_rwlock_rdlock(l);
}

int pthread_rwlock_timedwrlock(struct __fsoft_rwlock *l, const void *until) {
    if (__fsoft_timeout()) return rwlock_try_write(l, ETIMEDOUT);
    return pthread_rwlock_wrlock(l);
}

__fsoft_atomic int pthread_rwlock_unlock(struct __fsoft_rwlock *l) {
    int writer = l->writer;
    __fsoft_mask readers = l->readers, again = l->again;
    __fsoft_tag("rwunlock", l);
    __fsoft_check(!l->destroyed, MISUSE, "unlock of a destroyed readers-writer lock");
    __fsoft_check(writer == __fsoft_self() || (readers & SELF_BIT) != 0, MISUSE,
                  "unlock of a readers-writer lock that this thread does not hold");
    if (writer != 0) {
        l->writer = 0;
        if (writer == __fsoft_self()) gave();
    } else if (again & SELF_BIT)
        l->again = again & ~SELF_BIT;
    else if (readers & SELF_BIT) {
        l->readers = readers & ~SELF_BIT;
        gave();
    } else
        __fsoft_undefined("unlock of a readers-writer lock that this thread does not hold");
    return 0;
}

int pthread_rwlockattr_init(long *attr) {
    return 0;
}

int pthread_rwlockattr_destroy(long *attr) {
    return 0;
}

int pthread_rwlockattr_setpshared(long *attr, int shared) {
    return 0;
}

int pthread_rwlockattr_setkind_np(long *attr, int kind) {
    return 0;
}
