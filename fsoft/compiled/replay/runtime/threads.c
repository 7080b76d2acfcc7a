/* Threads and the process: creation, joining, the end. */
#include "runtime.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

int replay_main(int argc, char **argv, char **environment); /* the user's main, or what the run starts in instead */

/* What else runs from the start (fsoft check --thread); most programs have none. */
extern __attribute__((weak)) int replay_start_count;
extern __attribute__((weak)) void *(*replay_starts[])(void *);


static struct thread *new_thread(int slot) {
    struct thread *t = calloc(1, sizeof *t);
    if (!t) abort();
    t->slot = slot;
    pthread_cond_init(&t->go, NULL);
    return t;
}

/* A thread that the schedule does not know gets a slot without events. */
static int spare_slot(void) {
    int slot = MOST_THREADS - 1;
    while (slot > 0 && threads[slot]) slot--;
    return slot;
}

/* The slot of the thread that is created next by one that is in an atomic section. */
static int next_created(struct thread *me) {
    for (int k = 0; me && me->section && k < creation_count; k++)
        if (creations[k].slot == me->slot && !creations[k].done) {
            creations[k].done = 1;
            return creations[k].created;
        }
    return spare_slot();
}

static struct thread *thread_of(pthread_t id) {
    for (int k = 0; k < MOST_THREADS; k++)
        if (threads[k] && !threads[k]->joined && pthread_equal(threads[k]->id, id)) return threads[k];
    return NULL;
}

static void *finish(void *result) {
    struct thread *me = self;
    me->section = 0;
    arrive_at(EXIT, 0, NULL, NULL);
    if (!strcmp(ending.kind, "deadlock") && me->released) me->escaped = 1;
    leave_run(me);
    return result;
}

static void *run(void *argument) {
    struct thread *me = argument;
    self = me;
    pthread_mutex_lock(&big);
    wait_to_run(me);
    pthread_mutex_unlock(&big);
    return finish(me->start_c11 ? (void *)(long)me->start_c11(me->arg) : me->start(me->arg));
}

static int create(pthread_t *id, const pthread_attr_t *attributes, struct thread t, const void *pc) {
    struct event *e = arrive_at(CREATE, 0, NULL, pc);
    int slot = e && e->detail > 0 ? e->detail : next_created(self), state = PTHREAD_CREATE_JOINABLE;
    struct thread *made = new_thread(slot);
    made->start = t.start, made->start_c11 = t.start_c11, made->arg = t.arg;
    if (attributes) pthread_attr_getdetachstate(attributes, &state);
    made->detached = state == PTHREAD_CREATE_DETACHED;
    pthread_mutex_lock(&big);
    threads[slot] = made;
    int error = pthread_create(&made->id, attributes, run, made);
    if (!error) *id = made->id;
    pthread_mutex_unlock(&big);
    if (error) outcome("broken", self, line_of(pc), "the system creates no more threads: %s", strerror(error));
    return 0;
}

int replay_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*start)(void *), void *arg) {
    return create(id, attributes, (struct thread){.start = start, .arg = arg}, HERE);
}

int replay_thrd_create(thrd_t *id, thrd_start_t start, void *arg) {
    return create((pthread_t *)id, NULL, (struct thread){.start_c11 = start, .arg = arg}, HERE);
}

static int join(pthread_t id, void **result, const void *pc) {
    struct thread *me = self, *other = thread_of(id);
    struct arrival a = {.kind = JOIN, .line = line_of(pc), .thread = other ? other->slot : -1};
    if (!other) fail_here("misuse", a.line, "join of a thread that has been joined, or was never created");
    misuse(other == me, pc, "join of a thread by itself");
    if (other == me) return EDEADLK;
    check_cancel(me);
    arrive(&a);
    if (!other) return ESRCH;
    if (other->detached) fail_here("misuse", a.line, "join of a detached thread");
    me->call = "pthread_join";
    int error = pthread_join(id, result);
    me->call = NULL;
    me->escaped |= me->released;
    other->joined = 1;
    return error;
}

int replay_pthread_join(pthread_t id, void **result) {
    return join(id, result, HERE);
}

int replay_thrd_join(thrd_t id, int *result) {
    void *value = NULL;
    if (join((pthread_t)id, &value, HERE)) return thrd_error;
    if (result) *result = (int)(long)value;
    return thrd_success;
}

static int detach(pthread_t id, const void *pc) {
    struct thread *other = thread_of(id);
    struct arrival a = {.kind = DETACH, .line = line_of(pc), .thread = other ? other->slot : -1};
    if (!other) fail_here("misuse", a.line, "detach of a thread that has been joined, or was never created");
    arrive(&a);
    if (!other) return ESRCH;
    if (other->detached) fail_here("misuse", a.line, "detach of a detached thread");
    if (other->detached) return EINVAL;
    other->detached = 1;
    return pthread_detach(id);
}

int replay_pthread_detach(pthread_t id) {
    return detach(id, HERE);
}

int replay_thrd_detach(thrd_t id) {
    return detach((pthread_t)id, HERE) ? thrd_error : thrd_success;
}

_Noreturn void replay_pthread_exit(void *result) {
    if (self->slot == 0) arrive_at(EXIT, 0, NULL, NULL);
    pthread_exit(self->slot ? finish(result) : (leave_run(self), result));
}

_Noreturn void replay_thrd_exit(int result) {
    replay_pthread_exit((void *)(long)result);
}

/* ---------------------------------------------------------------- cancellation, which is deferred */

int replay_pthread_cancel(pthread_t id) {
    struct thread *other = thread_of(id);
    struct arrival a = {.kind = CANCEL, .line = line_of(HERE), .thread = other ? other->slot : -1};
    arrive(&a);
    if (!other) return ESRCH;
    other->cancelled = 1;
    return 0;
}

void check_cancel(struct thread *me) {
    if (me && me->cancelled && !me->cancel_off && !me->finished) replay_pthread_exit(PTHREAD_CANCELED);
}

void replay_pthread_testcancel(void) {
    check_cancel(self);
}

int replay_pthread_setcancelstate(int state, int *old) {
    if (old) *old = self->cancel_off ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    self->cancel_off = state == PTHREAD_CANCEL_DISABLE;
    return 0;
}

/* ---------------------------------------------------------------- the process */

/* Halting is lazy, as in fsoft: the others may go on, for what they do next could have been done before. */
void end_process(const char *how, int line) {
    struct thread *me = self;
    if (!me) _exit(0);
    if (!strcmp(ending.kind, "leak")) arrive_at(EXIT, 0, NULL, NULL);
    pthread_mutex_lock(&big);
    int last = now >= event_count || me->released;
    pthread_mutex_unlock(&big);
    if (!strcmp(ending.kind, "leak") && last) look_for_leaks(me);
    if (me->released) outcome("ended", me, line, "the process ends by %s", how);
    leave_run(me);
    park_for_ever();
}

void replay_exit(int status) {
    (void)status;
    end_process("exit", line_of(HERE));
}

void replay__exit(int status) {
    (void)status;
    end_process("_exit", line_of(HERE));
}

void replay_abort(void) {
    end_process("abort", line_of(HERE));
}

static void start_others(int count) {
    pthread_mutex_lock(&big);
    for (int slot = 1; slot < count; slot++) {
        threads[slot] = new_thread(slot);
        threads[slot]->start = replay_starts[slot];
        if (pthread_create(&threads[slot]->id, NULL, run, threads[slot])) abort();
    }
    pthread_mutex_unlock(&big);
}

int main(int argc, char **argv, char **environment) {
    int others = &replay_start_count ? replay_start_count : 0;
    read_schedule(getenv("FSOFT_REPLAY"));
    threads[0] = new_thread(0);
    threads[0]->id = pthread_self();
    start_watching();
    self = threads[0];
    start_others(others);
    replay_main(argc, argv, environment);
    if (others) pthread_exit(finish(NULL));
    arrive_at(EXIT, 0, NULL, NULL);
    end_process("return from main", 0);
    return 0;
}
