/* Mutexes, spin locks. */

static int mutex_kind(const struct __fsoft_mutex *m) {
    int kind = m->kind16;
    if (sizeof(void *) == 4) kind = kind | m->kind12;
    return kind < 0 ? kind : kind & 3;
}

static void mutex_set_kind(struct __fsoft_mutex *m, int kind) {
    m->kind16 = sizeof(void *) == 4 ? 0 : kind;
    if (sizeof(void *) == 4) m->kind12 = kind;
}

/* Locks that know their owner count in the owner's descriptor, where a slot may run another thread later. */
static void took(void) {
    if (__fsoft_reuses()) __fsoft_threads[__fsoft_self() - 1].held = __fsoft_threads[__fsoft_self() - 1].held + 1;
}

static void gave(void) {
    if (__fsoft_reuses()) __fsoft_threads[__fsoft_self() - 1].held = __fsoft_threads[__fsoft_self() - 1].held - 1;
}

__fsoft_atomic int pthread_mutex_init(struct __fsoft_mutex *m, const struct __fsoft_mutexattr *attr) {
    __fsoft_tag("init", m);
    if (known(m)) __fsoft_check(m->owner == 0, MISUSE, "initialisation of a locked mutex");
    if (fails()) return __VERIFIER_nondet_bool() ? EAGAIN : ENOMEM;
    m->owner = 0;
    m->count = 0;
    mutex_set_kind(m, attr ? attr->kind & 3 : 0);
    return 0;
}

__fsoft_atomic int pthread_mutex_destroy(struct __fsoft_mutex *m) {
    int owner = m->owner;
    __fsoft_tag("destroy", m);
    __fsoft_check(mutex_kind(m) >= 0, MISUSE, "destroy of a destroyed mutex");
    __fsoft_check(owner == 0, MISUSE, "destroy of a locked mutex");
    if (owner != 0) return EBUSY;
    mutex_set_kind(m, DESTROYED);
    return 0;
}

__fsoft_atomic int pthread_mutex_lock(struct __fsoft_mutex *m) {
    int kind = mutex_kind(m), owner = m->owner;
    __fsoft_tag("acquire", m);
    __fsoft_tag("owner", &m->owner);
    __fsoft_check(kind >= 0, MISUSE, "lock of a destroyed mutex");
    if (kind < 0) return EINVAL;
    if (kind == RECURSIVE && owner == __fsoft_self()) {
        m->count = m->count + 1;
        return 0;
    }
    if (kind == ERRORCHECK && owner == __fsoft_self()) return EDEADLK;
    __fsoft_check(owner != __fsoft_self(), MISUSE, "lock of a mutex that this thread holds already");
    __fsoft_require(owner == 0);
    m->owner = __fsoft_self();
    if (kind != 0 || CHECKED) took();
    return 0;
}

static __fsoft_atomic int mutex_try(struct __fsoft_mutex *m, int busy) {
    int kind = mutex_kind(m), owner = m->owner;
    __fsoft_tag("try", m);
    __fsoft_check(kind >= 0, MISUSE, "lock of a destroyed mutex");
    if (kind < 0) return EINVAL;
    if (kind == RECURSIVE && owner == __fsoft_self()) {
        m->count = m->count + 1;
        return 0;
    }
    if (kind == ERRORCHECK && owner == __fsoft_self() && busy != EBUSY) return EDEADLK;
    if (owner != 0) return busy;
    m->owner = __fsoft_self();
    if (kind != 0 || CHECKED) took();
    return 0;
}

int pthread_mutex_trylock(struct __fsoft_mutex *m) {
    return mutex_try(m, EBUSY);
}

/* A time that is no time matters only if the thread would have to wait. */
int pthread_mutex_timedlock(struct __fsoft_mutex *m, const struct __fsoft_timespec *until) {
    if (bad_time(until)) return mutex_try(m, EINVAL);
    if (__fsoft_timeout()) return mutex_try(m, ETIMEDOUT);
    return pthread_mutex_lock(m);
}

int pthread_mutex_clocklock(struct __fsoft_mutex *m, int clock, const struct __fsoft_timespec *until) {
    if (clock != 0 && clock != 1) return EINVAL;
    return pthread_mutex_timedlock(m, until);
}

__fsoft_atomic int pthread_mutex_unlock(struct __fsoft_mutex *m) {
    int kind = mutex_kind(m), owner = m->owner;
    __fsoft_tag("release", m);
    __fsoft_check(kind >= 0, MISUSE, "unlock of a destroyed mutex");
    __fsoft_check(owner != 0, MISUSE, "unlock of a mutex that is not locked");
    __fsoft_check(owner == __fsoft_self(), MISUSE, "unlock of a mutex that another thread holds");
    if (kind < 0) return EINVAL;
    if (kind == RECURSIVE || kind == ERRORCHECK) {
        if (owner != __fsoft_self()) return EPERM;
        if (m->count > 0) {
            m->count = m->count - 1;
            return 0;
        }
    }
    m->owner = 0;
    if ((kind != 0 || CHECKED) && owner == __fsoft_self()) gave();
    return 0;
}

__fsoft_plain int pthread_mutexattr_init(struct __fsoft_mutexattr *attr) {
    if (fails()) return ENOMEM;
    attr->kind = 0;
    return 0;
}

int pthread_mutexattr_destroy(struct __fsoft_mutexattr *attr) {
    return 0;
}

__fsoft_plain int pthread_mutexattr_settype(struct __fsoft_mutexattr *attr, int kind) {
    if (kind < 0 || kind > 3) return EINVAL;
    attr->kind = kind;
    return 0;
}

__fsoft_plain int pthread_mutexattr_gettype(const struct __fsoft_mutexattr *attr, int *kind) {
    *kind = attr->kind;
    return 0;
}

int pthread_mutexattr_setpshared(struct __fsoft_mutexattr *attr, int shared) {
    return shared == 0 || shared == 1 ? 0 : EINVAL;
}

int pthread_mutexattr_setprotocol(struct __fsoft_mutexattr *attr, int protocol) {
    if (protocol == 2) __fsoft_undefined("priority ceilings are not modelled");
    return protocol == 0 || protocol == 1 ? 0 : EINVAL;
}

/* A spin lock is an int: the owner's id, 0 = free, -1 = destroyed. */

__fsoft_atomic int pthread_spin_init(int *lock, int shared) {
    __fsoft_tag("init", lock);
    if (known(lock)) __fsoft_check(*lock <= 0, MISUSE, "initialisation of a locked spin lock");
    if (fails()) return __VERIFIER_nondet_bool() ? EAGAIN : ENOMEM;
    *lock = 0;
    return 0;
}

__fsoft_atomic int pthread_spin_destroy(int *lock) {
    int owner = *lock;
    __fsoft_tag("destroy", lock);
    __fsoft_check(owner >= 0, MISUSE, "destroy of a destroyed spin lock");
    __fsoft_check(owner == 0, MISUSE, "destroy of a locked spin lock");
    if (CHECKED) *lock = DESTROYED;
    return 0;
}

__fsoft_atomic int pthread_spin_lock(int *lock) {
    int owner = *lock;
    __fsoft_tag("acquire", lock);
    __fsoft_tag("owner", lock);
    __fsoft_check(owner >= 0, MISUSE, "lock of a destroyed spin lock");
    __fsoft_check(owner != __fsoft_self(), MISUSE, "lock of a spin lock that this thread holds already");
    __fsoft_require(owner == 0);
    *lock = __fsoft_self();
    return 0;
}

__fsoft_atomic int pthread_spin_trylock(int *lock) {
    int owner = *lock;
    __fsoft_tag("try", lock);
    __fsoft_check(owner >= 0, MISUSE, "lock of a destroyed spin lock");
    if (owner != 0) return EBUSY;
    *lock = __fsoft_self();
    return 0;
}

__fsoft_atomic int pthread_spin_unlock(int *lock) {
    int owner = *lock;
    __fsoft_tag("release", lock);
    __fsoft_check(owner >= 0, MISUSE, "unlock of a destroyed spin lock");
    __fsoft_check(owner != 0, MISUSE, "unlock of a spin lock that is not locked");
    __fsoft_check(owner == __fsoft_self(), MISUSE, "unlock of a spin lock that another thread holds");
    *lock = 0;
    return 0;
}
