/* Conditions, barriers, semaphores, once. The run says who is woken and when, so conditions and barriers are the runtime's own. */
#define _GNU_SOURCE
#include "shadow.h"
#include <errno.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>


/* Until the condition over the runtime's own data holds; who set it does not matter. */
#define WAIT_UNTIL(name, condition)                                                        \
    do {                                                                                   \
        if (condition) break;                                                              \
        enter_call(name);                                                                  \
        while (!(condition)) usleep(500);                                                  \
        leave_call();                                                                      \
    } while (0)

/* ---------------------------------------------------------------- conditions */

static int wait(pthread_cond_t *c, pthread_mutex_t *m, const char *name, const void *pc) {
    struct shadow *s = shadow_of(c), *lock = shadow_of(m);
    int slot = self->slot, depth = lock->depth, late = 0;
    check_cancel(self);
    arrive_at(WAIT, 0, c, pc);
    misuse(s->destroyed, pc, "wait on a destroyed condition");
    misuse(lock->owner != slot + 1, pc, "wait on a condition without holding the mutex");
    misuse(waiters(s) && s->mutex != m, pc, "threads wait on one condition with two mutexes");
    s->mutex = m;
    s->waiting[slot] = 1;
    pthread_mutex_unlock(m); /* once: a recursive mutex that is locked twice stays locked */
    lock->depth = depth > 1 ? depth - 1 : 0;
    if (!lock->depth) lock->owner = 0;
    struct event *e = arrive_at(WAKE, 0, c, pc);
    if (!e) WAIT_UNTIL(name, !s->waiting[slot] || self->cancelled);
    misuse(lock->destroyed, pc, "a thread waits on a condition with a destroyed mutex");
    late = e && e->flags & TIMEOUT && s->waiting[slot];
    if (e && s->waiting[slot] && !(e->flags & (SPURIOUS | TIMEOUT)) && !self->cancelled) note("thread %d goes on without a signal", slot);
    s->waiting[slot] = 0;
    enter_call(name);
    pthread_mutex_lock(m);
    leave_call();
    lock->owner = slot + 1;
    lock->depth = depth ? depth : 1;
    check_cancel(self);
    return late ? ETIMEDOUT : 0;
}

static int wake(pthread_cond_t *c, int all, const void *pc) {
    struct shadow *s = shadow_of(c);
    struct event *e = arrive_at(all ? BROADCAST : SIGNAL, 0, c, pc);
    misuse(s->destroyed, pc, all ? "broadcast on a destroyed condition" : "signal on a destroyed condition");
    if (!all && e && e->detail >= 0 && s->waiting[e->detail]) {
        s->waiting[e->detail] = 0;
        return 0;
    }
    for (int k = 0; k < MOST_THREADS; k++)
        if (s->waiting[k]) {
            s->waiting[k] = 0;
            if (!all) break;
        }
    return 0;
}

static int make(pthread_cond_t *c, const void *pc) {
    arrive_at(INIT, 0, c, pc);
    misuse_static(waiters(shadow_of(c)), c, pc, "initialisation of a condition that a thread waits for");
    shadow_of(c)->destroyed = 0;
    return 0;
}

static int unmake(pthread_cond_t *c, const void *pc) {
    struct shadow *s = shadow_of(c);
    arrive_at(DESTROY, 0, c, pc);
    misuse(s->destroyed, pc, "destroy of a destroyed condition");
    misuse(waiters(s), pc, "destroy of a condition that a thread waits for");
    s->destroyed = 1;
    return 0;
}

int replay_pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attributes) {
    (void)attributes;
    return make(c, HERE);
}

int replay_pthread_cond_destroy(pthread_cond_t *c) {
    return unmake(c, HERE);
}

int replay_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
    return wait(c, m, "pthread_cond_wait", HERE);
}

int replay_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until) {
    if (bad_time(until, HERE)) return EINVAL;
    return wait(c, m, "pthread_cond_timedwait", HERE);
}

int replay_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *until) {
    (void)clock;
    if (bad_time(until, HERE)) return EINVAL;
    return wait(c, m, "pthread_cond_clockwait", HERE);
}

int replay_pthread_cond_signal(pthread_cond_t *c) {
    return wake(c, 0, HERE);
}

int replay_pthread_cond_broadcast(pthread_cond_t *c) {
    return wake(c, 1, HERE);
}

int replay_cnd_init(cnd_t *c) {
    return make((pthread_cond_t *)c, HERE);
}

void replay_cnd_destroy(cnd_t *c) {
    unmake((pthread_cond_t *)c, HERE);
}

int replay_cnd_wait(cnd_t *c, mtx_t *m) {
    return wait((pthread_cond_t *)c, (pthread_mutex_t *)m, "cnd_wait", HERE) ? thrd_error : thrd_success;
}

int replay_cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *until) {
    if (bad_time(until, HERE)) return thrd_error;
    return wait((pthread_cond_t *)c, (pthread_mutex_t *)m, "cnd_timedwait", HERE) == ETIMEDOUT ? thrd_timedout : thrd_success;
}

int replay_cnd_signal(cnd_t *c) {
    return wake((pthread_cond_t *)c, 0, HERE);
}

int replay_cnd_broadcast(cnd_t *c) {
    return wake((pthread_cond_t *)c, 1, HERE);
}

/* ---------------------------------------------------------------- barriers */

int replay_pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attributes, unsigned count) {
    struct shadow *s = shadow_of(b);
    (void)attributes;
    arrive_at(INIT, 0, b, HERE);
    if (count == 0) return EINVAL;
    misuse_static(s->ready, b, HERE, "initialisation of a barrier that is initialised already");
    s->count = count;
    s->arrived = 0;
    s->destroyed = 0;
    s->ready = 1;
    return 0;
}

int replay_pthread_barrier_destroy(pthread_barrier_t *b) {
    struct shadow *s = shadow_of(b);
    arrive_at(DESTROY, 0, b, HERE);
    misuse(!s->ready, HERE, "destroy of a barrier that is not initialised");
    misuse(s->arrived, HERE, "destroy of a barrier that a thread waits at");
    s->ready = 0;
    return 0;
}

int replay_pthread_barrier_wait(pthread_barrier_t *b) {
    struct shadow *s = shadow_of(b);
    struct event *e = arrive_at(ARRIVE, 0, b, HERE);
    unsigned generation = s->generation;
    misuse(!s->ready, HERE, "wait at a barrier that is not initialised");
    if (++s->arrived >= s->count) {
        s->serial = e && e->detail >= 0 ? e->detail : self->slot;
        s->arrived = 0;
        s->generation++;
    } else if (!arrive_at(BARRIER, 0, b, HERE))
        WAIT_UNTIL("pthread_barrier_wait", s->generation != generation);
    return s->serial == self->slot ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* ---------------------------------------------------------------- semaphores */

static void usable(sem_t *s, const void *pc, const char *destroyed, const char *unready) {
    misuse(shadow_of(s)->destroyed, pc, destroyed);
    misuse(!shadow_of(s)->ready, pc, unready);
}

static int take(sem_t *s, unsigned also, const char *name, const void *pc) {
    check_cancel(self);
    struct event *e = arrive_at(SEMWAIT, also, s, pc);
    usable(s, pc, "wait on a destroyed semaphore", "wait on a semaphore that is not initialised");
    if (e && e->kind == TRY) {
        int error = sem_trywait(s);
        if (error) errno = ETIMEDOUT;
        return error;
    }
    enter_call(name);
    while (sem_trywait(s)) { /* not sem_wait: the thread may be cancelled meanwhile */
        check_cancel(self);
        usleep(500);
    }
    leave_call();
    return 0;
}

int replay_sem_init(sem_t *s, int shared, unsigned value) {
    arrive_at(INIT, 0, s, HERE);
    misuse_static(shadow_of(s)->ready && !shadow_of(s)->destroyed, s, HERE, "initialisation of a semaphore that is initialised already");
    shadow_of(s)->destroyed = 0;
    shadow_of(s)->ready = 1;
    return sem_init(s, shared, value);
}

int replay_sem_destroy(sem_t *s) {
    arrive_at(DESTROY, 0, s, HERE);
    usable(s, HERE, "destroy of a destroyed semaphore", "destroy of a semaphore that is not initialised");
    shadow_of(s)->destroyed = 1;
    return sem_destroy(s);
}

int replay_sem_wait(sem_t *s) {
    return take(s, 0, "sem_wait", HERE);
}

int replay_sem_timedwait(sem_t *s, const struct timespec *until) {
    (void)until;
    return take(s, ALSO(TRY), "sem_timedwait", HERE);
}

int replay_sem_trywait(sem_t *s) {
    arrive_at(TRY, 0, s, HERE);
    usable(s, HERE, "wait on a destroyed semaphore", "wait on a semaphore that is not initialised");
    return sem_trywait(s);
}

int replay_sem_post(sem_t *s) {
    arrive_at(POST, 0, s, HERE);
    usable(s, HERE, "post on a destroyed semaphore", "post on a semaphore that is not initialised");
    return sem_post(s);
}

/* ---------------------------------------------------------------- once */

static void once(void *flag, void (*routine)(void), const void *pc) {
    struct shadow *s = shadow_of(flag);
    arrive_at(ONCE, 0, flag, pc);
    WAIT_UNTIL("pthread_once", s->state != 1);
    if (s->state == 2) return;
    s->state = 1;
    routine();
    arrive_at(ONCE, 0, flag, pc);
    s->state = 2;
}

int replay_pthread_once(pthread_once_t *flag, void (*routine)(void)) {
    once(flag, routine, HERE);
    return 0;
}

void replay_call_once(once_flag *flag, void (*routine)(void)) {
    once(flag, routine, HERE);
}

/* ---------------------------------------------------------------- time does not pass */

unsigned replay_sleep(unsigned seconds) {
    (void)seconds;
    check_cancel(self);
    return 0;
}

int replay_usleep(useconds_t time) {
    (void)time;
    check_cancel(self);
    return 0;
}

int replay_nanosleep(const struct timespec *time, struct timespec *rest) {
    (void)time, (void)rest;
    check_cancel(self);
    return 0;
}

int replay_thrd_sleep(const struct timespec *time, struct timespec *rest) {
    (void)time, (void)rest;
    return 0;
}
