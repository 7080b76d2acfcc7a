/* Whose turn it is: one thread runs, the others stand before their next operation. */
#define _GNU_SOURCE
#include "runtime.h"
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

__thread struct thread *self;
struct thread *threads[MOST_THREADS];
int thread_count;
int64_t virtual_time;
uint64_t operations;
int standing_count;
static struct step *last_step;

enum { TURNS_AWAY = 4, RARELY = 32, PATIENCE = 100, MOST_PATIENCE = 1 << 16 };

static long futex(_Atomic int *word, int what, int value) {
    return syscall(SYS_futex, word, what | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static void give_turn(struct thread *t) {
    t->go = 1;
    futex(&t->go, FUTEX_WAKE, 1);
}

void wait_for_turn(struct thread *me) {
    while (!me->go) futex(&me->go, FUTEX_WAIT, 0);
    me->go = 0;
    me->state = RUNNING;
}

struct op operation(enum kind kind, const volatile void *address, uintptr_t pc) {
    return (struct op){.kind = kind, .address = (uintptr_t)address, .pc = site(pc)};
}

/* ---------------------------------------------------------------- who can go on */

int enabled(const struct thread *t) {
    if (t->state != READY && t->state != RUNNING) return 0;
    return !t->can || t->can(t->about);
}

static int timed(const struct thread *t) {
    return (t->state == READY || t->state == RUNNING) && t->deadline && t->can && !t->can(t->about);
}

/* Threads that gave way come back when the others had turns, or when nobody else can go on. */
int enabled_threads(struct thread **found) {
    int count = 0, away = 0;
    for (int k = 0; k < thread_count; k++) {
        if (!enabled(threads[k])) continue;
        if (threads[k]->yielded && strategy != &exhaustive)
            away++;
        else
            found[count++] = threads[k];
    }
    for (int k = 0; !count && away && k < thread_count; k++)
        if (enabled(threads[k])) found[count++] = threads[k];
    return count;
}

/* The thread whose wait ends first. */
static struct thread *first_deadline(void) {
    struct thread *best = NULL;
    for (int k = 0; k < thread_count; k++)
        if (timed(threads[k]) && (!best || threads[k]->deadline < best->deadline)) best = threads[k];
    return best;
}

static int anybody_outside(void) {
    for (int k = 0; k < thread_count; k++)
        if (threads[k]->state != FINISHED && threads[k]->outside) return 1;
    return 0;
}

static int anybody_unfinished(void) {
    for (int k = 0; k < thread_count; k++)
        if (threads[k]->state == READY || threads[k]->state == RUNNING) return 1;
    return 0;
}

/* Nobody can make its operation: time passes, something comes from outside, or this is a deadlock. */
static struct thread *stuck(void) {
    struct thread *next, *can[MOST_THREADS];
    while (anybody_outside()) {
        int ready = wait_outside(first_deadline() ? 1 : 100);
        int count = enabled_threads(can);
        if (count) return can[0];
        if (!ready && first_deadline()) break;
    }
    next = first_deadline();
    if (next) {
        if (next->deadline > virtual_time) virtual_time = next->deadline;
        exhaustive_incomplete();
        return next;
    }
    report_blocked("no thread can go on");
    end_run(FAILED, 1);
}

static struct thread *late_one(void) {
    struct thread *all[MOST_THREADS];
    int count = 0;
    if (strategy == &exhaustive || given) return NULL;
    for (int k = 0; k < thread_count; k++)
        if (timed(threads[k])) all[count++] = threads[k];
    return count && next_random() % RARELY == 0 ? all[next_random() % (unsigned)count] : NULL;
}

static void others_return(const struct thread *next) {
    for (int k = 0; k < thread_count; k++)
        if (threads[k] != next && threads[k]->yielded) threads[k]->yielded--;
}

static struct thread *decide(struct thread *me) {
    struct thread *can[MOST_THREADS], *next;
    int count = enabled_threads(can);
    record->decisions++;
    if (me->section && me->state == RUNNING) {
        if (enabled(me)) return me;
        end_run(PRUNED, 0); /* a section that waits in its middle is no execution */
    }
    if (anybody_outside() && record->decisions % 16 == 0 && wait_outside(0)) count = enabled_threads(can);
    if (given && (next = follow(me, can, count))) return next;
    if (!count) return stuck();
    if ((next = late_one())) return next;
    next = count == 1 && strategy != &exhaustive ? can[0] : strategy->choose(me, can, count);
    quiet = strategy->quiet ? strategy->quiet() : 1;
    others_return(next);
    return next;
}

static void remember_segment(const struct thread *me, int can) {
    if (record->segment_count < SEGMENTS)
        record->segments[record->segment_count++] = (struct segment){me->id, can ? me->ops : UINT64_MAX};
    else
        record->truncated = 1;
}

static void set_stop(struct thread *next) {
    if (given && given_at < given_count)
        next->stop = given[given_at].thread == next->id ? given[given_at].upto : UINT64_MAX;
    else
        next->stop = next->ops + next->slice;
}

/* ---------------------------------------------------------------- standing before an access */

int standing(const struct thread *t) {
    return t->state == READY && (t->at.kind == ACCESS || t->at.kind == FREE);
}

/* A thread arrives at an access: whoever stands before one of the same bytes races with it. */
void check_standing(struct thread *me, uintptr_t address, size_t size, int how, uintptr_t pc) {
    struct op mine = {ACCESS, how, address, pc, size};
    for (int k = 0; k < thread_count; k++) {
        struct thread *t = threads[k];
        if (t == me || !standing(t)) continue;
        if (t->at.address >= address + size || address >= t->at.address + t->at.size) continue;
        if (!((t->at.how | how) & WRITES) || (t->at.how & how & ATOMIC)) continue;
        report_race(me, &mine, t);
    }
}

/* ---------------------------------------------------------------- points */

static void count_operation(struct thread *me, const struct op *op) {
    if (op->kind != ACCESS) me->ops++, operations++, me->patience = PATIENCE, me->idle = 0;
    me->last_pc = op->pc;
    record->hash = mix(record->hash ^ op->pc ^ (uint64_t)me->id << 56 ^ op->address << 8);
    if (operations >= options.most_operations) {
        record->operations = operations;
        end_run(CUT, 0);
    }
}

static void hand_over(struct thread *me, struct thread *next) {
    int stands;
    remember_segment(me, enabled(me));
    record->switches++;
    me->state = READY;
    stands = standing(me);
    standing_count += stands;
    set_stop(next);
    give_turn(next);
    wait_for_turn(me);
    standing_count -= stands;
}

/* A thread is about to make an operation: the strategy says who goes on. Returns when it is this thread's turn to make it. */
void point(struct thread *me, const struct op *op, int (*can)(void *), void *about) {
    int before = errno;
    struct thread *next;
    me->inside++;
    me->at = *op;
    me->can = can;
    me->about = about;
    me->late = 0;
    count_operation(me, op);
    if (op->kind == ACCESS || op->kind == FREE) check_standing(me, op->address, op->size, op->how, op->pc);
    next = decide(me);
    if (next != me)
        hand_over(me, next);
    else if (given || me->ops >= me->stop)
        set_stop(me);
    me->late = can && !can(about);
    if (me->late && me->deadline > virtual_time) virtual_time = me->deadline;
    me->can = NULL;
    me->yielded = 0;
    if (options.log) log_step(me, op);
    me->at.kind = START;
    me->inside--;
    errno = before;
}

/* A lock or the like in memory that is not allocated any more. */
void check_object(struct thread *me, const struct op *op) {
    if (op->address - heap_low < heap_high - heap_low && op->kind != ALLOCATE) check_heap(me, op->address, 1, READS, op->pc);
}

void point_at(enum kind kind, const volatile void *address, uintptr_t pc) {
    struct thread *me = self;
    if (!me || me->inside) return;
    struct op op = operation(kind, address, pc);
    check_object(me, &op);
    point(me, &op, NULL, NULL);
    check_object(me, &op);
}

void block_at(enum kind kind, const volatile void *address, uintptr_t pc, int (*can)(void *), void *about) {
    struct thread *me = self;
    if (!me || me->inside) return;
    struct op op = operation(kind, address, pc);
    check_object(me, &op);
    point(me, &op, can, about);
    if (kind != WAKE) check_object(me, &op);
}

/* The same with a time-out, at a virtual time; 0 for none. Whether it came in time. */
int block_until(enum kind kind, const volatile void *address, uintptr_t pc, int (*can)(void *), void *about, int64_t deadline) {
    struct thread *me = self;
    if (!me || me->inside) return 1;
    me->deadline = deadline;
    block_at(kind, address, pc, can, about);
    me->deadline = 0;
    return !me->late;
}

/* The thread has nothing more to do; whoever is next goes on while it leaves. */
void finish_thread(struct thread *me) {
    me->inside++;
    me->ops++;
    me->state = FINISHED;
    me->at.kind = EXIT;
    if (options.log) log_step(me, &me->at);
    if (!anybody_unfinished()) return;
    struct thread *next = decide(me);
    remember_segment(me, 0);
    set_stop(next);
    give_turn(next);
}

/* ---------------------------------------------------------------- the log of a run that is told */

static uint64_t value_at(uintptr_t address, size_t size) {
    switch (size) {
    case 1: return *(uint8_t *)address;
    case 2: return *(uint16_t *)address;
    case 4: return *(uint32_t *)address;
    case 8: return *(uint64_t *)address;
    default: return 0;
    }
}

void log_value(uint64_t before, uint64_t after) {
    if (last_step) last_step->value = before, last_step->after = after;
}

void log_step(struct thread *me, const struct op *op) {
    int at;
    if (last_step && last_step->kind == ACCESS && last_step->how & WRITES) last_step->after = value_at(last_step->address, last_step->size);
    last_step = NULL;
    if ((at = record->step_count) >= LOGGED) return;
    struct step *s = &record->steps[at];
    *s = (struct step){me->id, op->kind, op->how, op->size, op->address, op->pc, 0, 0};
    if (op->kind == ACCESS && op->address > 4096 && op->size <= 8) s->value = value_at(op->address, op->size), last_step = s;
    record->step_count = at + 1;
}
