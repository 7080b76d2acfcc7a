/* threads.h over the same objects. Results: 0 success, 1 busy, 2 error, 4 timed out. */

int thrd_create(unsigned long *id, int (*start)(void *), void *arg) {
    if (fails()) {
        if (__VERIFIER_nondet_bool()) *id = 0; /* POSIX leaves open what is there */
        return __VERIFIER_nondet_bool() ? 2 : 3;
    }
    __fsoft_create((__SIZE_TYPE__ *)id, (void *(*)(void *))start, arg, 0);
    return 0;
}

__fsoft_plain int thrd_join(unsigned long id, int *result) {
    void *value;
    if (pthread_join(id, result ? &value : 0)) return 2;
    if (result) *result = (int)(long)value;
    return 0;
}

int thrd_detach(unsigned long id) {
    return pthread_detach(id) ? 2 : 0;
}

void thrd_exit(int result) {
    pthread_exit((void *)(long)result);
}

unsigned long thrd_current(void) {
    return (unsigned long)__fsoft_self();
}

int thrd_equal(unsigned long a, unsigned long b) {
    return a == b;
}

void thrd_yield(void) {
}

int thrd_sleep(const struct __fsoft_timespec *duration, struct __fsoft_timespec *rest) {
    if (CANCELS) pthread_testcancel();
    return bad_time(duration) ? -2 : 0;
}

__fsoft_atomic int mtx_init(struct __fsoft_mutex *m, int kind) {
    __fsoft_tag("init", m);
    if (known(m)) __fsoft_check(m->owner == 0, MISUSE, "initialisation of a locked mutex");
    if (fails()) return 2;
    m->owner = 0;
    m->count = 0;
    m->kind16 = sizeof(void *) == 4 ? 0 : kind & 1;
    if (sizeof(void *) == 4) m->kind12 = kind & 1;
    return 0;
}

void mtx_destroy(struct __fsoft_mutex *m) {
    pthread_mutex_destroy(m);
}

int mtx_lock(struct __fsoft_mutex *m) {
    return pthread_mutex_lock(m) ? 2 : 0;
}

int mtx_trylock(struct __fsoft_mutex *m) {
    int error = pthread_mutex_trylock(m);
    return error == EBUSY ? 1 : error ? 2 : 0;
}

int mtx_timedlock(struct __fsoft_mutex *m, const struct __fsoft_timespec *until) {
    int error = pthread_mutex_timedlock(m, until);
    return error == ETIMEDOUT ? 4 : error ? 2 : 0;
}

int mtx_unlock(struct __fsoft_mutex *m) {
    return pthread_mutex_unlock(m) ? 2 : 0;
}

int cnd_init(struct __fsoft_cond *c) {
    int error = pthread_cond_init(c, 0);
    return error == ENOMEM ? 3 : error ? 2 : 0;
}

void cnd_destroy(struct __fsoft_cond *c) {
    pthread_cond_destroy(c);
}

int cnd_wait(struct __fsoft_cond *c, struct __fsoft_mutex *m) {
    return pthread_cond_wait(c, m) ? 2 : 0;
}

int cnd_timedwait(struct __fsoft_cond *c, struct __fsoft_mutex *m, const struct __fsoft_timespec *until) {
    int error = pthread_cond_timedwait(c, m, until);
    return error == ETIMEDOUT ? 4 : error ? 2 : 0;
}

int cnd_signal(struct __fsoft_cond *c) {
    return pthread_cond_signal(c);
}

int cnd_broadcast(struct __fsoft_cond *c) {
    return pthread_cond_broadcast(c);
}

int tss_create(unsigned *key, void (*destructor)(void *)) {
    return pthread_key_create(key, destructor) ? 2 : 0;
}

void tss_delete(unsigned key) {
    pthread_key_delete(key);
}

void *tss_get(unsigned key) {
    return pthread_getspecific(key);
}

int tss_set(unsigned key, void *value) {
    return pthread_setspecific(key, value) ? 2 : 0;
}

void call_once(int *once, void (*routine)(void)) {
    pthread_once(once, routine);
}
