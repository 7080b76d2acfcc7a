/* Threads: the real ones, of which one runs at a time. A thread ends for the others when its last destructor has run. */
#define _GNU_SOURCE
#include "runtime.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { LAST_ROUND = 3, STACK = 8 << 20 };
static pthread_key_t farewell;

/* ---------------------------------------------------------------- numbers and stacks */

/* A number that is free again is taken only when there are no others: its clock goes on. */
struct thread *new_thread(void) {
    struct thread *t = NULL;
    if (thread_count < MOST_THREADS) {
        t = grab(sizeof *t);
        t->id = thread_count;
        threads[thread_count++] = t;
    } else {
        for (int k = 1; k < MOST_THREADS && !t; k++)
            if (threads[k]->state == FINISHED && (threads[k]->joined || threads[k]->detached)) t = threads[k];
        if (!t) return NULL;
        t->joined = t->detached = t->cancelled = t->cancel_off = t->depth = t->section = t->blocked_reported = t->go = 0;
    }
    t->clock[t->id]++;
    t->random = 1;
    t->patience = 100;
    t->slice = 1000;
    t->stop = t->slice;
    if (thread_count > record->most_threads) record->most_threads = thread_count;
    return t;
}

static void *own_memory(struct thread *t, size_t size) {
    if (t->stack && t->stack_size >= size && !t->detached) return t->stack;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    t->stack_size = size;
    return t->stack = memory;
}

/* ---------------------------------------------------------------- the end of a thread */

/* The C library runs destructors of thread-specific data in four rounds. In the last one the thread is over. */
static void leave(void *round) {
    if ((uintptr_t)round < LAST_ROUND) {
        pthread_setspecific(farewell, (void *)((uintptr_t)round + 1));
        return;
    }
    struct thread *me = self;
    if (me && me->state != FINISHED) finish_thread(me);
}

static void *run(void *argument) {
    struct thread *me = argument;
    sigset_t none;
    self = me;
    me->inside = 1;
    own_stack();
    pthread_setspecific(farewell, (void *)1);
    wait_for_turn(me);
    sigemptyset(&none);
    me->inside = 0;
    if (options.log) log_step(me, &(struct op){START, 0, (uintptr_t)me->start, me->last_pc, 0});
    return me->start(me->argument);
}

/* ---------------------------------------------------------------- creating and joining */

static int create(pthread_t *handle, const pthread_attr_t *attributes, void *(*start)(void *), void *argument, uintptr_t pc) {
    static int (*really)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    struct thread *me = self, *t;
    pthread_attr_t with;
    size_t size = STACK;
    void *given_stack = NULL;
    int state = 0, error;
    if (!really) really = real("pthread_create");
    if (!me || me->inside || forked) return really(handle, attributes, start, argument);
    point_at(CREATE, NULL, pc);
    if (!(t = new_thread())) return EAGAIN;
    me->inside++;
    t->start = start;
    t->argument = argument;
    t->last_pc = site(pc);
    for (int k = 0; k < thread_count; k++)
        if (k != t->id && me->clock[k] > t->clock[k]) t->clock[k] = me->clock[k];
    me->clock[me->id]++;
    pthread_attr_init(&with);
    if (attributes) {
        pthread_attr_getstack(attributes, &given_stack, &size);
        pthread_attr_getdetachstate(attributes, &state);
        if (size < STACK && !given_stack) size = STACK;
    }
    if (!given_stack) given_stack = own_memory(t, size);
    if (given_stack) pthread_attr_setstack(&with, given_stack, size);
    if (state == PTHREAD_CREATE_DETACHED) pthread_attr_setdetachstate(&with, state), t->detached = 1;
    t->at = (struct op){START, 0, (uintptr_t)start, t->last_pc, 0};
    error = really(&t->handle, &with, run, t);
    pthread_attr_destroy(&with);
    if (!error) {
        t->state = READY;
        *handle = t->handle;
        if (strategy->created) strategy->created(t);
    } else {
        t->state = FINISHED;
    }
    me->inside--;
    return error;
}

PUBLIC int pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    return create(handle, attributes, start, argument, HERE);
}

static struct thread *thread_of(pthread_t handle) {
    for (int k = thread_count - 1; k >= 0; k--)
        if (threads[k]->state != UNUSED && !threads[k]->joined && pthread_equal(threads[k]->handle, handle)) return threads[k];
    return NULL;
}

static int is_over(void *thread) {
    struct thread *t = thread, *me = NULL;
    for (int k = 0; k < thread_count; k++)
        if (threads[k]->about == thread && threads[k]->cancelled && !threads[k]->cancel_off) me = threads[k];
    return t->state == FINISHED || me;
}

static int join_thread(pthread_t handle, void **result, int64_t deadline, uintptr_t pc) {
    static int (*really)(pthread_t, void **);
    struct thread *me = self, *t;
    if (!really) really = real("pthread_join");
    if (!me || me->inside || forked) return really(handle, result);
    t = thread_of(handle);
    misuse(!t, pc, "join of a thread that has been joined, or was never created");
    if (!t) return ESRCH;
    misuse(t->detached, pc, "join of a detached thread");
    misuse(t == me, pc, "join of a thread by itself");
    if (t->detached) return EINVAL;
    if (t == me) return EDEADLK;
    me->waits_for = NULL;
    if (!block_until(JOIN, (void *)(uintptr_t)t->id, pc, is_over, t, deadline)) return ETIMEDOUT;
    test_cancel();
    for (int k = 0; k < thread_count; k++)
        if (t->clock[k] > me->clock[k]) me->clock[k] = t->clock[k];
    t->joined = 1;
    me->inside++;
    int error = really(handle, result);
    me->inside--;
    return error;
}

PUBLIC int pthread_join(pthread_t handle, void **result) {
    return join_thread(handle, result, 0, HERE);
}

PUBLIC int pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *until) {
    (void)until;
    return join_thread(handle, result, virtual_time + 1000000, HERE);
}

PUBLIC int pthread_tryjoin_np(pthread_t handle, void **result) {
    struct thread *t = thread_of(handle);
    point_at(JOIN, t, HERE);
    return t && t->state != FINISHED ? EBUSY : join_thread(handle, result, 0, HERE);
}

PUBLIC int pthread_detach(pthread_t handle) {
    static int (*really)(pthread_t);
    struct thread *t = self ? thread_of(handle) : NULL;
    if (!really) really = real("pthread_detach");
    if (!self || self->inside || forked) return really(handle);
    point_at(DETACH, t, HERE);
    misuse(!t, HERE, "detach of a thread that has been joined, or was never created");
    misuse(t && t->detached, HERE, "detach of a detached thread");
    if (!t) return ESRCH;
    if (t->detached) return EINVAL;
    t->detached = 1;
    return really(handle);
}

/* ---------------------------------------------------------------- C11: the C library would call its own functions */

static void *run_c11(void *both) {
    void **pair = both;
    int (*start)(void *) = (int (*)(void *))pair[0];
    void *argument = pair[1];
    return (void *)(intptr_t)start(argument);
}

PUBLIC int thrd_create(thrd_t *handle, thrd_start_t start, void *argument) {
    void **pair = grab(2 * sizeof *pair);
    pair[0] = (void *)start;
    pair[1] = argument;
    int error = create((pthread_t *)handle, NULL, run_c11, pair, HERE);
    return error == ENOMEM ? thrd_nomem : error ? thrd_error : thrd_success;
}

PUBLIC int thrd_join(thrd_t handle, int *result) {
    void *value = NULL;
    if (join_thread((pthread_t)handle, &value, 0, HERE)) return thrd_error;
    if (result) *result = (int)(intptr_t)value;
    return thrd_success;
}

PUBLIC int thrd_detach(thrd_t handle) {
    return pthread_detach((pthread_t)handle) ? thrd_error : thrd_success;
}

/* ---------------------------------------------------------------- cancellation is deferred */

void test_cancel(void) {
    struct thread *me = self;
    if (!me || !me->cancelled || me->cancel_off || me->inside) return;
    me->cancelled = 0;
    me->cancel_off = 1;
    pthread_exit(PTHREAD_CANCELED);
}

PUBLIC int pthread_cancel(pthread_t handle) {
    struct thread *t = self ? thread_of(handle) : NULL;
    point_at(CANCEL, t, HERE);
    if (!t) return ESRCH;
    if (t->state != FINISHED) t->cancelled = 1;
    return 0;
}

PUBLIC void pthread_testcancel(void) {
    point_at(CANCEL, NULL, HERE);
    test_cancel();
}

PUBLIC int pthread_setcancelstate(int wanted, int *old) {
    struct thread *me = self;
    if (!me) return 0;
    if (old) *old = me->cancel_off ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    me->cancel_off = wanted == PTHREAD_CANCEL_DISABLE;
    return 0;
}

/* ---------------------------------------------------------------- giving way */

static void give_way(uintptr_t pc) {
    if (!self || self->inside) return;
    self->yielded = 4;
    point_at(YIELD, NULL, pc);
}

PUBLIC int sched_yield(void) {
    give_way(HERE);
    return 0;
}

PUBLIC void thrd_yield(void) {
    give_way(HERE);
}

/* ---------------------------------------------------------------- the first thread */

void start_main(void) {
    struct thread *me;
    pthread_key_create(&farewell, leave);
    me = new_thread();
    me->state = RUNNING;
    me->handle = pthread_self();
    pthread_setspecific(farewell, (void *)1);
    if (strategy->created) strategy->created(me);
    self = me;
}
