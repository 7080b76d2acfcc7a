/* Mutexes, spin locks, readers-writer locks: the runtime's own, with glibc's types and results. */
#define _GNU_SOURCE
#include "runtime.h"
#include <errno.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>

enum { TIMED = 1 };

static int ours(void) {
    return self && !self->inside;
}

/* ---------------------------------------------------------------- mutexes */

static int is_free(void *object) {
    return !((struct object *)object)->owner;
}

static void took(struct object *o) {
    o->owner = self->id + 1;
    o->depth = 1;
    acquire(self, o->clock);
    acquire(self, o->readers_clock);
    self->waits_for = NULL;
}

/* A circle of threads, each waiting for a lock that the next one holds, never comes apart. */
static void look_for_circle(struct object *wanted, uintptr_t pc) {
    struct thread *me = self, *t = me;
    char text[TEXT];
    int at = snprintf(text, sizeof text, "threads wait for each other's locks: %d", me->id);
    for (int k = 0; k <= thread_count; k++) {
        struct object *o = t == me ? wanted : t->waits_for;
        if (!o || !o->owner) return;
        t = threads[o->owner - 1];
        if (t->state == FINISHED) return;
        if (at < (int)sizeof text - 16) at += snprintf(text + at, sizeof text - (size_t)at, " -> %d", t->id);
        if (t == me) {
            report(DEADLOCK, "no-deadlock", 0, pc, "%s", text);
            return;
        }
    }
}

static int kind_of(const pthread_mutex_t *m) {
    return m->__data.__kind & 3;
}

static int lock(pthread_mutex_t *m, int64_t deadline, uintptr_t pc) {
    struct object *o = object_at(m);
    if (!ours()) return 0;
    misuse(o->destroyed, pc, "lock of a destroyed mutex");
    if (o->owner == self->id + 1) {
        if (kind_of(m) == PTHREAD_MUTEX_RECURSIVE) {
            point_at(LOCK, m, pc);
            o->depth++;
            return 0;
        }
        if (kind_of(m) == PTHREAD_MUTEX_ERRORCHECK) return point_at(LOCK, m, pc), EDEADLK;
        misuse(!deadline, pc, "lock of a mutex that this thread holds already");
    }
    self->waits_for = deadline ? NULL : o;
    if (o->owner && !deadline && !self->section) look_for_circle(o, pc);
    if (!block_until(LOCK, m, pc, is_free, o, deadline)) return ETIMEDOUT;
    took(o);
    return 0;
}

static int try_lock(pthread_mutex_t *m, uintptr_t pc) {
    struct object *o = object_at(m);
    if (!ours()) return 0;
    point_at(TRYLOCK, m, pc);
    misuse(o->destroyed, pc, "lock of a destroyed mutex");
    if (o->owner == self->id + 1 && kind_of(m) == PTHREAD_MUTEX_RECURSIVE) return o->depth++, 0;
    if (o->owner) return EBUSY;
    took(o);
    return 0;
}

static int unlock(pthread_mutex_t *m, uintptr_t pc) {
    struct object *o = object_at(m);
    if (!ours()) return 0;
    point_at(UNLOCK, m, pc);
    misuse(o->destroyed, pc, "unlock of a destroyed mutex");
    misuse(!o->owner, pc, "unlock of a mutex that is not locked");
    misuse(o->owner && o->owner != self->id + 1, pc, "unlock of a mutex that another thread holds");
    if (kind_of(m) && o->owner != self->id + 1) return EPERM;
    if (o->depth > 1) return o->depth--, 0;
    release(self, &o->clock);
    o->owner = o->depth = 0;
    return 0;
}

static int destroy(pthread_mutex_t *m, uintptr_t pc) {
    struct object *o = object_at(m);
    if (!ours()) return 0;
    point_at(DESTROY, m, pc);
    misuse(o->destroyed, pc, "destroy of a destroyed mutex");
    misuse(o->owner, pc, "destroy of a locked mutex");
    if (o->owner) return EBUSY;
    o->destroyed = 1;
    return 0;
}

/* Locks of the heap and of static memory may still be in use; one in a frame of the stack is a new one. */
static void made(struct object *o, uintptr_t pc, int held, const char *message) {
    extern int in_static_memory(uintptr_t);
    misuse(held && in_static_memory(o->address), pc, message);
    o->owner = o->depth = o->destroyed = o->arrived = 0;
    for (int k = 0; k < thread_count; k++) o->readers[k] = 0;
}

static int some_readers(const struct object *o) {
    for (int k = 0; k < thread_count; k++)
        if (o->readers[k]) return 1;
    return 0;
}

PUBLIC int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attributes) {
    int kind = PTHREAD_MUTEX_NORMAL;
    if (ours()) {
        point_at(INIT, m, HERE);
        made(object_at(m), HERE, object_at(m)->owner, "initialisation of a locked mutex");
    }
    if (attributes) pthread_mutexattr_gettype(attributes, &kind);
    *m = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    m->__data.__kind = kind;
    return 0;
}

PUBLIC int pthread_mutex_destroy(pthread_mutex_t *m) {
    return destroy(m, HERE);
}

PUBLIC int pthread_mutex_lock(pthread_mutex_t *m) {
    return lock(m, 0, HERE);
}

PUBLIC int pthread_mutex_trylock(pthread_mutex_t *m) {
    return try_lock(m, HERE);
}

PUBLIC int pthread_mutex_unlock(pthread_mutex_t *m) {
    return unlock(m, HERE);
}

int64_t until_virtual(const struct timespec *until, clockid_t clock);

PUBLIC int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until) {
    return lock(m, until_virtual(until, CLOCK_REALTIME), HERE);
}

PUBLIC int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until) {
    return lock(m, until_virtual(until, clock), HERE);
}

static int thrd_result(int error) {
    return error == EBUSY ? thrd_busy : error == ETIMEDOUT ? thrd_timedout : error ? thrd_error : thrd_success;
}

PUBLIC int mtx_init(mtx_t *m, int kind) {
    pthread_mutex_t *mutex = (pthread_mutex_t *)m;
    if (ours()) {
        point_at(INIT, m, HERE);
        made(object_at(m), HERE, object_at(m)->owner, "initialisation of a locked mutex");
    }
    *mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    mutex->__data.__kind = kind & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL;
    return thrd_success;
}

PUBLIC void mtx_destroy(mtx_t *m) {
    destroy((pthread_mutex_t *)m, HERE);
}

PUBLIC int mtx_lock(mtx_t *m) {
    return thrd_result(lock((pthread_mutex_t *)m, 0, HERE));
}

PUBLIC int mtx_trylock(mtx_t *m) {
    return thrd_result(try_lock((pthread_mutex_t *)m, HERE));
}

PUBLIC int mtx_timedlock(mtx_t *m, const struct timespec *until) {
    return thrd_result(lock((pthread_mutex_t *)m, until_virtual(until, CLOCK_REALTIME), HERE));
}

PUBLIC int mtx_unlock(mtx_t *m) {
    return thrd_result(unlock((pthread_mutex_t *)m, HERE));
}

/* ---------------------------------------------------------------- spin locks */

PUBLIC int pthread_spin_init(pthread_spinlock_t *l, int shared) {
    (void)shared;
    if (ours()) {
        point_at(INIT, l, HERE);
        made(object_at(l), HERE, object_at(l)->owner, "initialisation of a locked spin lock");
    }
    return 0;
}

PUBLIC int pthread_spin_destroy(pthread_spinlock_t *l) {
    struct object *o = object_at(l);
    if (!ours()) return 0;
    point_at(DESTROY, l, HERE);
    misuse(o->destroyed, HERE, "destroy of a destroyed spin lock");
    misuse(o->owner, HERE, "destroy of a locked spin lock");
    o->destroyed = 1;
    return 0;
}

PUBLIC int pthread_spin_lock(pthread_spinlock_t *l) {
    struct object *o = object_at(l);
    if (!ours()) return 0;
    misuse(o->destroyed, HERE, "lock of a destroyed spin lock");
    misuse(o->owner == self->id + 1, HERE, "lock of a spin lock that this thread holds already");
    self->waits_for = o;
    if (o->owner && !self->section) look_for_circle(o, HERE);
    block_at(LOCK, l, HERE, is_free, o);
    took(o);
    return 0;
}

PUBLIC int pthread_spin_trylock(pthread_spinlock_t *l) {
    struct object *o = object_at(l);
    if (!ours()) return 0;
    point_at(TRYLOCK, l, HERE);
    if (o->owner) return EBUSY;
    took(o);
    return 0;
}

PUBLIC int pthread_spin_unlock(pthread_spinlock_t *l) {
    struct object *o = object_at(l);
    if (!ours()) return 0;
    point_at(UNLOCK, l, HERE);
    misuse(o->destroyed, HERE, "unlock of a destroyed spin lock");
    misuse(!o->owner, HERE, "unlock of a spin lock that is not locked");
    misuse(o->owner && o->owner != self->id + 1, HERE, "unlock of a spin lock that another thread holds");
    release(self, &o->clock);
    o->owner = o->depth = 0;
    return 0;
}

/* ---------------------------------------------------------------- readers-writer locks */

static int is_unread(void *object) {
    return is_free(object) && !some_readers(object);
}

static int may_read(void *object) {
    const struct object *o = object;
    if (o->owner) return 0;
    if (o->kind != PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) return 1;
    for (int k = 0; k < thread_count; k++)
        if ((threads[k]->state == READY || threads[k]->state == RUNNING) && threads[k]->at.kind == WRLOCK && threads[k]->about == object) return 0;
    return 1;
}

static int lock_reading(pthread_rwlock_t *l, int64_t deadline, uintptr_t pc) {
    struct object *o = object_at(l);
    if (!ours()) return 0;
    o->kind = (int)l->__data.__flags;
    misuse(o->destroyed, pc, "lock of a destroyed readers-writer lock");
    misuse(o->owner == self->id + 1, pc, "read lock by the thread that holds the lock for writing");
    if (o->owner == self->id + 1) return EDEADLK;
    self->waits_for = NULL;
    if (!block_until(RDLOCK, l, pc, may_read, o, deadline)) return ETIMEDOUT;
    o->readers[self->id]++;
    acquire(self, o->clock);
    return 0;
}

static int lock_writing(pthread_rwlock_t *l, int64_t deadline, uintptr_t pc) {
    struct object *o = object_at(l);
    if (!ours()) return 0;
    misuse(o->destroyed, pc, "lock of a destroyed readers-writer lock");
    misuse(o->owner == self->id + 1, pc, "write lock by the thread that holds the lock for writing");
    misuse(o->readers[self->id], pc, "write lock by a thread that holds the lock for reading");
    if (o->owner == self->id + 1) return EDEADLK;
    self->waits_for = deadline ? NULL : o;
    if (o->owner && !deadline && !self->section) look_for_circle(o, pc);
    if (!block_until(WRLOCK, l, pc, is_unread, o, deadline)) return ETIMEDOUT;
    took(o);
    return 0;
}

PUBLIC int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attributes) {
    int kind = 0;
    if (ours()) {
        struct object *o = object_at(l);
        point_at(INIT, l, HERE);
        made(o, HERE, o->owner || some_readers(o), "initialisation of a readers-writer lock that is held");
    }
    if (attributes) pthread_rwlockattr_getkind_np(attributes, &kind);
    *l = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    l->__data.__flags = (unsigned)kind;
    return 0;
}

PUBLIC int pthread_rwlock_destroy(pthread_rwlock_t *l) {
    struct object *o = object_at(l);
    if (!ours()) return 0;
    point_at(DESTROY, l, HERE);
    misuse(o->destroyed, HERE, "destroy of a destroyed readers-writer lock");
    misuse(o->owner, HERE, "destroy of a readers-writer lock that is held for writing");
    misuse(some_readers(o), HERE, "destroy of a readers-writer lock that is held for reading");
    o->destroyed = 1;
    return 0;
}

PUBLIC int pthread_rwlock_rdlock(pthread_rwlock_t *l) {
    return lock_reading(l, 0, HERE);
}

PUBLIC int pthread_rwlock_wrlock(pthread_rwlock_t *l) {
    return lock_writing(l, 0, HERE);
}

PUBLIC int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *until) {
    return lock_reading(l, until_virtual(until, CLOCK_REALTIME), HERE);
}

PUBLIC int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *until) {
    return lock_writing(l, until_virtual(until, CLOCK_REALTIME), HERE);
}

PUBLIC int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until) {
    return lock_reading(l, until_virtual(until, clock), HERE);
}

PUBLIC int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until) {
    return lock_writing(l, until_virtual(until, clock), HERE);
}

PUBLIC int pthread_rwlock_tryrdlock(pthread_rwlock_t *l) {
    struct object *o = object_at(l);
    if (!ours()) return 0;
    point_at(TRYLOCK, l, HERE);
    if (!may_read(o)) return EBUSY;
    o->readers[self->id]++;
    acquire(self, o->clock);
    return 0;
}

PUBLIC int pthread_rwlock_trywrlock(pthread_rwlock_t *l) {
    struct object *o = object_at(l);
    if (!ours()) return 0;
    point_at(TRYLOCK, l, HERE);
    if (!is_unread(o)) return EBUSY;
    took(o);
    return 0;
}

PUBLIC int pthread_rwlock_unlock(pthread_rwlock_t *l) {
    struct object *o = object_at(l);
    if (!ours()) return 0;
    point_at(RWUNLOCK, l, HERE);
    misuse(o->destroyed, HERE, "unlock of a destroyed readers-writer lock");
    misuse(o->owner != self->id + 1 && !o->readers[self->id], HERE, "unlock of a readers-writer lock that this thread does not hold");
    if (o->owner == self->id + 1) {
        o->owner = o->depth = 0;
        release(self, &o->clock);
    } else if (o->readers[self->id]) {
        o->readers[self->id]--;
        release(self, &o->readers_clock);
    }
    return 0;
}
