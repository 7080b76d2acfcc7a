/* Mutexes, spin locks, readers-writer locks: the real calls, when their turn comes. */
#define _GNU_SOURCE
#include "shadow.h"
#include <errno.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>


/* ---------------------------------------------------------------- mutexes */

static void took(struct shadow *s, int error) {
    if (error) return;
    s->owner = self->slot + 1;
    s->depth++;
}

static void gave(struct shadow *s, int error) {
    if (error) return;
    if (s->depth > 0) s->depth--;
    if (s->depth == 0) s->owner = 0;
}

static void check_lock(struct shadow *s, const void *pc, const char *destroyed) {
    misuse(s->destroyed, pc, destroyed);
}

static int lock(pthread_mutex_t *m, const char *name, const void *pc) {
    struct shadow *s = shadow_of(m);
    int kind = PTHREAD_MUTEX_NORMAL;
    arrive_at(ACQUIRE, 0, m, pc);
    check_lock(s, pc, "lock of a destroyed mutex");
    if (s->owner == self->slot + 1 && s->depth) kind = ((m->__data.__kind) & 3);
    misuse(s->owner == self->slot + 1 && kind == PTHREAD_MUTEX_NORMAL, pc, "lock of a mutex that this thread holds already");
    enter_call(name);
    int error = pthread_mutex_lock(m);
    leave_call();
    took(s, error);
    return error;
}

static int try_lock(pthread_mutex_t *m, int busy) {
    struct shadow *s = shadow_of(m);
    int error = pthread_mutex_trylock(m);
    took(s, error);
    return error == EBUSY ? busy : error;
}

/* With a time-out: the run says whether the time is up. */
static int timed_lock(pthread_mutex_t *m, const void *pc) {
    struct event *e = arrive_at(ACQUIRE, ALSO(TRY), m, pc);
    if (e && e->kind == TRY) return try_lock(m, ETIMEDOUT);
    enter_call("pthread_mutex_timedlock");
    int error = pthread_mutex_lock(m);
    leave_call();
    took(shadow_of(m), error);
    return error;
}

static int unlock(pthread_mutex_t *m, const void *pc) {
    struct shadow *s = shadow_of(m);
    arrive_at(RELEASE, 0, m, pc);
    misuse(s->destroyed, pc, "unlock of a destroyed mutex");
    misuse(!s->owner, pc, "unlock of a mutex that is not locked");
    misuse(s->owner != self->slot + 1, pc, "unlock of a mutex that another thread holds");
    int error = pthread_mutex_unlock(m);
    gave(s, error);
    return error;
}

static int destroy(pthread_mutex_t *m, const void *pc) {
    struct shadow *s = shadow_of(m);
    arrive_at(DESTROY, 0, m, pc);
    misuse(s->destroyed, pc, "destroy of a destroyed mutex");
    misuse(s->owner, pc, "destroy of a locked mutex");
    int error = pthread_mutex_destroy(m);
    if (!error) s->destroyed = 1;
    return error;
}

static void initialised(struct shadow *s, const void *pc, const char *held) {
    misuse_static(s->owner || readers(s), s->address, pc, held);
    s->owner = s->depth = s->destroyed = 0;
}

int replay_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attributes) {
    arrive_at(INIT, 0, m, HERE);
    initialised(shadow_of(m), HERE, "initialisation of a locked mutex");
    return pthread_mutex_init(m, attributes);
}

int replay_pthread_mutex_destroy(pthread_mutex_t *m) {
    return destroy(m, HERE);
}

int replay_pthread_mutex_lock(pthread_mutex_t *m) {
    return lock(m, "pthread_mutex_lock", HERE);
}

int replay_pthread_mutex_trylock(pthread_mutex_t *m) {
    arrive_at(TRY, 0, m, HERE);
    check_lock(shadow_of(m), HERE, "lock of a destroyed mutex");
    return try_lock(m, EBUSY);
}

int replay_pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until) {
    (void)until;
    return timed_lock(m, HERE);
}

int replay_pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until) {
    (void)clock, (void)until;
    return timed_lock(m, HERE);
}

int replay_pthread_mutex_unlock(pthread_mutex_t *m) {
    return unlock(m, HERE);
}

/* C11: the same objects. */

static int thrd_result(int error) {
    return error == EBUSY ? thrd_busy : error == ETIMEDOUT ? thrd_timedout : error ? thrd_error : thrd_success;
}

int replay_mtx_init(mtx_t *m, int kind) {
    arrive_at(INIT, 0, m, HERE);
    initialised(shadow_of(m), HERE, "initialisation of a locked mutex");
    return mtx_init(m, kind);
}

void replay_mtx_destroy(mtx_t *m) {
    destroy((pthread_mutex_t *)m, HERE);
}

int replay_mtx_lock(mtx_t *m) {
    return thrd_result(lock((pthread_mutex_t *)m, "mtx_lock", HERE));
}

int replay_mtx_trylock(mtx_t *m) {
    arrive_at(TRY, 0, m, HERE);
    return thrd_result(try_lock((pthread_mutex_t *)m, EBUSY));
}

int replay_mtx_timedlock(mtx_t *m, const struct timespec *until) {
    (void)until;
    return thrd_result(timed_lock((pthread_mutex_t *)m, HERE));
}

int replay_mtx_unlock(mtx_t *m) {
    return thrd_result(unlock((pthread_mutex_t *)m, HERE));
}

/* ---------------------------------------------------------------- spin locks */

int replay_pthread_spin_init(pthread_spinlock_t *l, int shared) {
    arrive_at(INIT, 0, (void *)l, HERE);
    initialised(shadow_of((void *)l), HERE, "initialisation of a locked spin lock");
    return pthread_spin_init(l, shared);
}

int replay_pthread_spin_destroy(pthread_spinlock_t *l) {
    struct shadow *s = shadow_of((void *)l);
    arrive_at(DESTROY, 0, (void *)l, HERE);
    misuse(s->destroyed, HERE, "destroy of a destroyed spin lock");
    misuse(s->owner, HERE, "destroy of a locked spin lock");
    s->destroyed = 1;
    return pthread_spin_destroy(l);
}

int replay_pthread_spin_lock(pthread_spinlock_t *l) {
    struct shadow *s = shadow_of((void *)l);
    arrive_at(ACQUIRE, 0, (void *)l, HERE);
    check_lock(s, HERE, "lock of a destroyed spin lock");
    misuse(s->owner == self->slot + 1, HERE, "lock of a spin lock that this thread holds already");
    enter_call("pthread_spin_lock");
    int error = pthread_spin_lock(l);
    leave_call();
    took(s, error);
    return error;
}

int replay_pthread_spin_trylock(pthread_spinlock_t *l) {
    arrive_at(TRY, 0, (void *)l, HERE);
    int error = pthread_spin_trylock(l);
    took(shadow_of((void *)l), error);
    return error;
}

int replay_pthread_spin_unlock(pthread_spinlock_t *l) {
    struct shadow *s = shadow_of((void *)l);
    arrive_at(RELEASE, 0, (void *)l, HERE);
    misuse(s->destroyed, HERE, "unlock of a destroyed spin lock");
    misuse(!s->owner, HERE, "unlock of a spin lock that is not locked");
    misuse(s->owner != self->slot + 1, HERE, "unlock of a spin lock that another thread holds");
    gave(s, 0);
    return pthread_spin_unlock(l);
}

/* ---------------------------------------------------------------- readers-writer locks */

static int for_reading(struct shadow *s, int error) {
    if (!error) s->readers[self->slot]++;
    return error;
}

static int for_writing(struct shadow *s, int error) {
    took(s, error);
    return error;
}

#define WRITERS_COME 200000 /* microseconds that a writer takes to begin to wait */

static int lock_reading(pthread_rwlock_t *l, unsigned also, const void *pc) {
    struct shadow *s = shadow_of(l);
    struct event *e = arrive_at(RDLOCK, also, l, pc);
    check_lock(s, pc, "lock of a destroyed readers-writer lock");
    misuse(s->owner == self->slot + 1, pc, "read lock by the thread that holds the lock for writing");
    if (!e && l->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) usleep(WRITERS_COME); /* that a writer waits is no event */
    int error = pthread_rwlock_tryrdlock(l);
    if (e && e->kind == TRY) return for_reading(s, error) ? ETIMEDOUT : 0;
    if (error == EBUSY) {
        enter_call("pthread_rwlock_rdlock");
        error = pthread_rwlock_rdlock(l);
        leave_call();
    }
    return for_reading(s, error);
}

static int lock_writing(pthread_rwlock_t *l, unsigned also, const void *pc) {
    struct shadow *s = shadow_of(l);
    struct event *e = arrive_at(WRLOCK, also, l, pc);
    check_lock(s, pc, "lock of a destroyed readers-writer lock");
    misuse(s->owner == self->slot + 1, pc, "write lock by the thread that holds the lock for writing");
    misuse(s->readers[self->slot], pc, "write lock by a thread that holds the lock for reading");
    if (e && e->kind == TRY) return for_writing(s, pthread_rwlock_trywrlock(l)) ? ETIMEDOUT : 0;
    enter_call("pthread_rwlock_wrlock");
    int error = pthread_rwlock_wrlock(l);
    leave_call();
    return for_writing(s, error);
}

int replay_pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attributes) {
    struct shadow *s = shadow_of(l);
    arrive_at(INIT, 0, l, HERE);
    initialised(s, HERE, "initialisation of a readers-writer lock that is held");
    return pthread_rwlock_init(l, attributes);
}

int replay_pthread_rwlock_destroy(pthread_rwlock_t *l) {
    struct shadow *s = shadow_of(l);
    arrive_at(DESTROY, 0, l, HERE);
    misuse(s->destroyed, HERE, "destroy of a destroyed readers-writer lock");
    misuse(s->owner, HERE, "destroy of a readers-writer lock that is held for writing");
    misuse(readers(s), HERE, "destroy of a readers-writer lock that is held for reading");
    s->destroyed = 1;
    return pthread_rwlock_destroy(l);
}

int replay_pthread_rwlock_rdlock(pthread_rwlock_t *l) {
    return lock_reading(l, 0, HERE);
}

int replay_pthread_rwlock_wrlock(pthread_rwlock_t *l) {
    return lock_writing(l, 0, HERE);
}

int replay_pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *until) {
    (void)until;
    return lock_reading(l, ALSO(TRY), HERE);
}

int replay_pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *until) {
    (void)until;
    return lock_writing(l, ALSO(TRY), HERE);
}

int replay_pthread_rwlock_tryrdlock(pthread_rwlock_t *l) {
    arrive_at(TRY, 0, l, HERE);
    return for_reading(shadow_of(l), pthread_rwlock_tryrdlock(l));
}

int replay_pthread_rwlock_trywrlock(pthread_rwlock_t *l) {
    arrive_at(TRY, 0, l, HERE);
    return for_writing(shadow_of(l), pthread_rwlock_trywrlock(l));
}

int replay_pthread_rwlock_unlock(pthread_rwlock_t *l) {
    struct shadow *s = shadow_of(l);
    arrive_at(RWUNLOCK, 0, l, HERE);
    misuse(s->destroyed, HERE, "unlock of a destroyed readers-writer lock");
    misuse(s->owner != self->slot + 1 && !s->readers[self->slot], HERE, "unlock of a readers-writer lock that this thread does not hold");
    if (s->owner)
        gave(s, 0);
    else if (s->readers[self->slot])
        s->readers[self->slot]--;
    return pthread_rwlock_unlock(l);
}
