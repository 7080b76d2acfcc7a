/* Conditions, barriers, semaphores, once: the runtime's own. Conditions wake up for no reason now and then, as POSIX allows. */
#define _GNU_SOURCE
#include "runtime.h"
#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

enum { SPURIOUSLY = 24 };
int64_t until_virtual(const struct timespec *until, clockid_t clock);
unsigned toss(unsigned among);

static int ours(void) {
    return self && !self->inside;
}

/* ---------------------------------------------------------------- conditions */

struct waiting {
    struct thread *thread;
    struct object *condition, *mutex;
    int woken, spurious;
    struct waiting *next;
};
static struct waiting *all_waiting;

static int may_wake(void *about) {
    const struct waiting *w = about;
    int free = !w->mutex->owner || w->mutex->owner == w->thread->id + 1;
    return (w->woken || w->spurious || (w->thread->cancelled && !w->thread->cancel_off)) && free;
}

static int mutex_free(void *object) {
    return !((struct object *)object)->owner;
}

static int waiters(const struct object *condition) {
    int count = 0;
    for (const struct waiting *w = all_waiting; w; w = w->next) count += w->condition == condition && !w->woken;
    return count;
}

static void stop_waiting(const struct waiting *mine) {
    struct waiting **link = &all_waiting;
    while (*link && *link != mine) link = &(*link)->next;
    if (*link) *link = mine->next;
}

static void take_back(struct object *mutex, int depth) {
    mutex->owner = self->id + 1;
    mutex->depth = depth;
    acquire(self, mutex->clock);
}

static int wait(pthread_cond_t *c, pthread_mutex_t *m, int64_t deadline, uintptr_t pc) {
    struct object *o = object_at(c), *lock = object_at(m);
    struct waiting mine = {self, o, lock, 0, 0, NULL};
    int depth = lock->depth ? lock->depth : 1, late;
    if (!ours()) return 0;
    test_cancel();
    point_at(WAIT, c, pc);
    misuse(o->destroyed, pc, "wait on a destroyed condition");
    misuse(lock->owner != self->id + 1, pc, "wait on a condition without holding the mutex");
    misuse(waiters(o) && o->mutex != m, pc, "threads wait on one condition with two mutexes");
    o->mutex = m;
    mine.spurious = toss(SPURIOUSLY) == 1;
    mine.next = all_waiting;
    all_waiting = &mine;
    if (lock->owner == self->id + 1 && --lock->depth == 0) { /* a recursive mutex is unlocked once only */
        release(self, &lock->clock);
        lock->owner = 0;
    }
    self->waits_for = NULL;
    late = !block_until(WAKE, c, pc, may_wake, &mine, deadline);
    stop_waiting(&mine);
    if (!mine.woken) check_object(self, &(struct op){WAKE, 0, (uintptr_t)c, site(pc), 1});
    if (late && lock->owner && lock->owner != self->id + 1) block_at(LOCK, m, pc, mutex_free, lock);
    misuse(lock->destroyed, pc, "a thread waits on a condition with a destroyed mutex");
    take_back(lock, depth);
    test_cancel();
    return late && !mine.woken ? ETIMEDOUT : 0;
}

static int wake(pthread_cond_t *c, int everyone, uintptr_t pc) {
    struct object *o = object_at(c);
    if (!ours()) return 0;
    point_at(everyone ? BROADCAST : SIGNAL, c, pc);
    misuse(o->destroyed, pc, everyone ? "broadcast on a destroyed condition" : "signal on a destroyed condition");
    int count = waiters(o), chosen = count && !everyone ? (int)toss((unsigned)count) : 0;
    for (struct waiting *w = all_waiting; w; w = w->next) {
        if (w->condition != o || w->woken) continue;
        if (everyone || chosen-- == 0) w->woken = 1;
    }
    return 0;
}

static int make(pthread_cond_t *c, uintptr_t pc) {
    extern int in_static_memory(uintptr_t);
    if (!ours()) return 0;
    point_at(INIT, c, pc);
    misuse(waiters(object_at(c)) && in_static_memory((uintptr_t)c), pc, "initialisation of a condition that a thread waits for");
    object_at(c)->destroyed = 0;
    return 0;
}

static int unmake(pthread_cond_t *c, uintptr_t pc) {
    struct object *o = object_at(c);
    if (!ours()) return 0;
    point_at(DESTROY, c, pc);
    misuse(o->destroyed, pc, "destroy of a destroyed condition");
    misuse(waiters(o), pc, "destroy of a condition that a thread waits for");
    o->destroyed = 1;
    return 0;
}

PUBLIC int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attributes) {
    clockid_t clock = CLOCK_REALTIME;
    if (attributes) pthread_condattr_getclock(attributes, &clock);
    *c = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    make(c, HERE);
    object_at(c)->kind = clock;
    return 0;
}

PUBLIC int pthread_cond_destroy(pthread_cond_t *c) {
    return unmake(c, HERE);
}

PUBLIC int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
    return wait(c, m, 0, HERE);
}

PUBLIC int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until) {
    return wait(c, m, until_virtual(until, object_at(c)->kind), HERE);
}

PUBLIC int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *until) {
    return wait(c, m, until_virtual(until, clock), HERE);
}

PUBLIC int pthread_cond_signal(pthread_cond_t *c) {
    return wake(c, 0, HERE);
}

PUBLIC int pthread_cond_broadcast(pthread_cond_t *c) {
    return wake(c, 1, HERE);
}

PUBLIC int cnd_init(cnd_t *c) {
    *(pthread_cond_t *)c = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    return make((pthread_cond_t *)c, HERE);
}

PUBLIC void cnd_destroy(cnd_t *c) {
    unmake((pthread_cond_t *)c, HERE);
}

PUBLIC int cnd_wait(cnd_t *c, mtx_t *m) {
    return wait((pthread_cond_t *)c, (pthread_mutex_t *)m, 0, HERE) ? thrd_error : thrd_success;
}

PUBLIC int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *until) {
    int late = wait((pthread_cond_t *)c, (pthread_mutex_t *)m, until_virtual(until, CLOCK_REALTIME), HERE) == ETIMEDOUT;
    return late ? thrd_timedout : thrd_success;
}

PUBLIC int cnd_signal(cnd_t *c) {
    return wake((pthread_cond_t *)c, 0, HERE);
}

PUBLIC int cnd_broadcast(cnd_t *c) {
    return wake((pthread_cond_t *)c, 1, HERE);
}

/* ---------------------------------------------------------------- barriers */

struct meeting {
    const struct object *barrier;
    unsigned generation;
};

static int met(void *about) {
    const struct meeting *m = about;
    return m->barrier->generation != m->generation;
}

PUBLIC int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attributes, unsigned count) {
    extern int in_static_memory(uintptr_t);
    struct object *o = object_at(b);
    (void)attributes;
    if (!ours()) return 0;
    point_at(INIT, b, HERE);
    if (!count) return EINVAL;
    misuse(o->ready && in_static_memory((uintptr_t)b), HERE, "initialisation of a barrier that is initialised already");
    o->count = (int)count;
    o->arrived = o->destroyed = 0;
    o->ready = 1;
    return 0;
}

PUBLIC int pthread_barrier_destroy(pthread_barrier_t *b) {
    struct object *o = object_at(b);
    if (!ours()) return 0;
    point_at(DESTROY, b, HERE);
    misuse(!o->ready, HERE, "destroy of a barrier that is not initialised");
    misuse(o->arrived, HERE, "destroy of a barrier that a thread waits at");
    o->ready = 0;
    return 0;
}

PUBLIC int pthread_barrier_wait(pthread_barrier_t *b) {
    struct object *o = object_at(b);
    if (!ours()) return 0;
    point_at(BARRIER, b, HERE);
    misuse(!o->ready, HERE, "wait at a barrier that is not initialised");
    struct meeting mine = {o, o->generation};
    release(self, &o->clock);
    if (++o->arrived >= o->count) {
        o->serial_thread = self->id;
        o->arrived = 0;
        o->generation++;
    } else {
        block_at(BARRIER, b, HERE, met, &mine);
    }
    acquire(self, o->clock);
    return o->serial_thread == self->id ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* ---------------------------------------------------------------- semaphores */

static int is_positive(void *about) {
    const struct object *o = about;
    if (o->value > 0) return 1;
    for (int k = 0; k < thread_count; k++)
        if (threads[k]->about == about && threads[k]->state == READY && threads[k]->cancelled && !threads[k]->cancel_off) return 1;
    return 0;
}

static void usable(const struct object *o, uintptr_t pc, const char *destroyed, const char *unready) {
    misuse(o->destroyed, pc, destroyed);
    misuse(!o->ready, pc, unready);
}

static int take(sem_t *s, int64_t deadline, uintptr_t pc) {
    struct object *o = object_at(s);
    if (!ours()) return 0;
    test_cancel();
    usable(o, pc, "wait on a destroyed semaphore", "wait on a semaphore that is not initialised");
    self->waits_for = NULL;
    if (!block_until(SEMWAIT, s, pc, is_positive, o, deadline)) {
        errno = ETIMEDOUT;
        return -1;
    }
    test_cancel();
    o->value--;
    acquire(self, o->clock);
    return 0;
}

PUBLIC int sem_init(sem_t *s, int shared, unsigned value) {
    extern int in_static_memory(uintptr_t);
    struct object *o = object_at(s);
    (void)shared;
    if (!ours()) return 0;
    point_at(INIT, s, HERE);
    misuse(o->ready && !o->destroyed && in_static_memory((uintptr_t)s), HERE, "initialisation of a semaphore that is initialised already");
    o->ready = 1;
    o->destroyed = 0;
    o->value = (int)value;
    return 0;
}

PUBLIC int sem_destroy(sem_t *s) {
    if (!ours()) return 0;
    point_at(DESTROY, s, HERE);
    usable(object_at(s), HERE, "destroy of a destroyed semaphore", "destroy of a semaphore that is not initialised");
    object_at(s)->destroyed = 1;
    return 0;
}

/* Named semaphores of one process. */
PUBLIC sem_t *sem_open(const char *name, int flags, ...) {
    static struct { char name[64]; sem_t semaphore; } named[64];
    va_list rest;
    unsigned k = 0;
    while (k < 63 && named[k].name[0] && __builtin_strcmp(named[k].name, name)) k++;
    if (!named[k].name[0]) {
        struct object *o = object_at(&named[k].semaphore);
        for (int i = 0; i < 63 && name[i]; i++) named[k].name[i] = name[i];
        va_start(rest, flags);
        (void)va_arg(rest, int);
        o->value = flags ? (int)va_arg(rest, unsigned) : 0;
        o->ready = 1;
        va_end(rest);
    }
    return &named[k].semaphore;
}

PUBLIC int sem_close(sem_t *s) {
    (void)s;
    return 0;
}

PUBLIC int sem_unlink(const char *name) {
    (void)name;
    return 0;
}

PUBLIC int sem_wait(sem_t *s) {
    return take(s, 0, HERE);
}

PUBLIC int sem_timedwait(sem_t *s, const struct timespec *until) {
    return take(s, until_virtual(until, CLOCK_REALTIME), HERE);
}

PUBLIC int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until) {
    return take(s, until_virtual(until, clock), HERE);
}

PUBLIC int sem_trywait(sem_t *s) {
    struct object *o = object_at(s);
    if (!ours()) return 0;
    point_at(TRYLOCK, s, HERE);
    usable(o, HERE, "wait on a destroyed semaphore", "wait on a semaphore that is not initialised");
    if (o->value <= 0) {
        errno = EAGAIN;
        return -1;
    }
    o->value--;
    acquire(self, o->clock);
    return 0;
}

PUBLIC int sem_post(sem_t *s) {
    struct object *o = object_at(s);
    if (!ours()) return 0;
    point_at(POST, s, HERE);
    usable(o, HERE, "post on a destroyed semaphore", "post on a semaphore that is not initialised");
    if (o->value == INT_MAX) {
        errno = EOVERFLOW;
        return -1;
    }
    o->value++;
    release(self, &o->clock);
    return 0;
}

PUBLIC int sem_getvalue(sem_t *s, int *value) {
    if (ours()) point_at(TRYLOCK, s, HERE);
    *value = object_at(s)->value;
    return 0;
}

/* ---------------------------------------------------------------- once */

enum { FRESH, BUSY, DONE };

static int not_busy(void *object) {
    return ((struct object *)object)->state != BUSY;
}

/* The routine was cancelled: the next one runs it again. */
static void start_again(void *object) {
    ((struct object *)object)->state = FRESH;
}

static void once(void *flag, void (*routine)(void), uintptr_t pc) {
    struct object *o = object_at(flag);
    block_at(ONCE, flag, pc, not_busy, o);
    if (o->state == FRESH) {
        o->state = BUSY;
        pthread_cleanup_push(start_again, o);
        routine();
        pthread_cleanup_pop(0);
        point_at(ONCE, flag, pc);
        o->state = DONE;
        if (self) release(self, &o->clock);
    }
    if (self) acquire(self, o->clock);
}

PUBLIC int pthread_once(pthread_once_t *flag, void (*routine)(void)) {
    once(flag, routine, HERE);
    return 0;
}

PUBLIC void call_once(once_flag *flag, void (*routine)(void)) {
    once(flag, routine, HERE);
}

/* Local statics of C++: the first byte of the guard says that the object is there. */
PUBLIC int __cxa_guard_acquire(char *guard) {
    struct object *o = object_at(guard);
    block_at(ONCE, guard, HERE, not_busy, o);
    if (self) acquire(self, o->clock);
    if (*guard) return 0;
    o->state = BUSY;
    return 1;
}

PUBLIC void __cxa_guard_release(char *guard) {
    struct object *o = object_at(guard);
    *guard = 1;
    o->state = DONE;
    if (self) release(self, &o->clock);
}

PUBLIC void __cxa_guard_abort(char *guard) {
    object_at(guard)->state = FRESH;
}
