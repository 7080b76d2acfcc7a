/* What goes wrong in a run: written to the record that the server reads. */
#define _GNU_SOURCE
#include "runtime.h"
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { SIGNAL_STACK = 1 << 15 };

static const char *const doing[KINDS] = {
    "an access", "a fence", "pthread_create", "pthread_join", "pthread_detach", "its end", "a lock", "a trylock", "an unlock", "a read lock",
    "a write lock", "an unlock", "a wait", "a wait for a condition", "a signal", "a broadcast", "a wait for a semaphore", "a post", "a barrier", "once",
    "an initialisation", "a destroy", "free", "an atomic section", "a yield", "a cancellation", "something outside", "an input", "an allocation", "its start",
};

static void fill_side(struct side *s, const struct thread *t, const struct op *op) {
    int deep = t->depth < MOST_FRAMES ? t->depth : MOST_FRAMES;
    *s = (struct side){.thread = t->id, .how = op->how, .size = op->size, .pc = op->pc, .address = op->address};
    for (int k = 0; k < FRAMES && k < deep; k++) s->frames[k] = t->frames[deep - 1 - k];
}

uint64_t key_of_places(int kind, uintptr_t first, uintptr_t second) {
    return mix((second ? mix(first) + mix(second) : mix(first)) + (uint64_t)kind);
}

uint64_t key_of(const struct finding *f) {
    return key_of_places((int)f->kind, f->side[0].pc, f->sides == 2 ? f->side[1].pc : 0);
}

static int same(const struct finding *a, const struct finding *b) {
    if (a->kind != b->kind || a->sides != b->sides) return 0;
    if (a->sides == 1) return a->side[0].pc == b->side[0].pc && !strcmp(a->text, b->text);
    return (a->side[0].pc == b->side[0].pc && a->side[1].pc == b->side[1].pc) || (a->side[0].pc == b->side[1].pc && a->side[1].pc == b->side[0].pc);
}

/* Where a debugger stops: every finding comes by here. */
PUBLIC __attribute__((noinline)) void fsoft_test_finding(void) {
    __asm__ volatile("" ::: "memory");
}

static void add(const struct finding *f) {
    fsoft_test_finding();
    for (int k = 0; k < record->finding_count; k++)
        if (same(&record->findings[k], f)) return;
    if (record->finding_count < FINDINGS) {
        record->findings[record->finding_count] = *f;
        record->finding_count++;
    }
}

/* Where the schedule of the run stands: a finding that does not end the run is repeated by the same prefix. */
static void close_segment(const struct thread *me) {
    if (record->segment_count < SEGMENTS) record->segments[record->segment_count] = (struct segment){me ? me->id : 0, UINT64_MAX};
}

_Noreturn void end_run(enum ending how, int code) {
    record->operations = operations;
    record->exit_code = code;
    if (self) close_segment(self);
    if (record->ending == UNFINISHED) record->ending = (int)how;
    _exit(code);
}

void report(enum finding_kind kind, const char *property, int fatal, uintptr_t pc, const char *format, ...) {
    struct thread *me = self;
    struct finding f = {.kind = kind, .sides = 1, .fatal = fatal};
    va_list rest;
    if (!me || forked) {
        if (fatal) _exit(134);
        return;
    }
    me->inside++;
    struct op op = {.kind = me->at.kind, .how = 0, .address = 0, .pc = site(pc)};
    fill_side(&f.side[0], me, &op);
    va_start(rest, format);
    vsnprintf(f.text, sizeof f.text, format, rest);
    va_end(rest);
    snprintf(f.property, sizeof f.property, "%s", property);
    add(&f);
    if (options.log) log_step(me, &op);
    if (fatal) end_run(FAILED, 1);
    me->inside--;
}

/* `me` is about to access what `other` stands before. */
void report_race(struct thread *me, const struct op *mine, struct thread *other) {
    struct finding f = {.kind = RACE, .sides = 2, .property = "no-data-race"};
    me->inside++;
    fill_side(&f.side[0], other, &other->at);
    fill_side(&f.side[1], me, mine);
    snprintf(f.text, sizeof f.text, "two threads stand before accesses to the same memory, at %#lx", (unsigned long)mine->address);
    for (uint32_t k = 0; k < memory->candidate_count; k++) {
        struct candidate *c = &memory->candidates[k];
        if ((c->first == mine->pc && c->second == other->at.pc) || (c->second == mine->pc && c->first == other->at.pc)) c->confirmed = 1;
    }
    add(&f);
    if (options.target && key_of(&f) == options.target) {
        if (options.log) log_step(me, mine);
        end_run(FAILED, 1);
    }
    me->inside--;
}

/* Every thread waits: each with what it waits in, and where (@ADDRESS is put into words by who reads it). */
void report_blocked(const char *what) {
    struct finding f = {.kind = DEADLOCK, .sides = 1, .fatal = 1, .property = "no-deadlock"};
    int at = snprintf(f.text, sizeof f.text, "%s:", what), first = 1;
    for (int k = 0; k < thread_count; k++) {
        struct thread *t = threads[k];
        if (t->state != READY && t->state != RUNNING) continue;
        if (first) fill_side(&f.side[0], t, &t->at);
        first = 0;
        if (at < TEXT - 40) at += snprintf(f.text + at, sizeof f.text - (size_t)at, " %d in %s @%#lx;", t->id, doing[t->at.kind], (unsigned long)t->at.pc);
    }
    add(&f);
}

/* ---------------------------------------------------------------- signals that end the program */

static uintptr_t place_of_crash(const void *context) {
    const ucontext_t *c = context;
#if defined(__x86_64__)
    return (uintptr_t)c->uc_mcontext.gregs[REG_RIP] + 1;
#elif defined(__i386__)
    return (uintptr_t)c->uc_mcontext.gregs[REG_EIP] + 1;
#else
    (void)c;
    return 0;
#endif
}

static void crashed(int number, siginfo_t *about, void *context) {
    const char *property = number == SIGFPE ? "no-division-by-zero" : number == SIGABRT ? "no-abort" : "valid-deref";
    uintptr_t pc = place_of_crash(context);
    if (self) self->inside = 0;
    report(number == SIGABRT ? ABORTED : CRASH, property, 1, pc, "signal %d (%s) at address %p", number, strsignal(number), about->si_addr);
    _exit(128 + number);
}

/* A stack of its own for the handler: the thread's may have overflowed. */
void own_stack(void) {
    stack_t stack = {.ss_sp = grab(SIGNAL_STACK), .ss_size = SIGNAL_STACK};
    sigaltstack(&stack, NULL);
}

void catch_crashes(void) {
    const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction action = {.sa_sigaction = crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    own_stack();
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++) sigaction(signals[k], &action, NULL);
}

/* ---------------------------------------------------------------- the file of findings: one line each */

static void write_side(FILE *out, const struct side *s) {
    fprintf(out, " side %d %d %zu %lx %lx", s->thread, s->how, s->size, (unsigned long)s->pc, (unsigned long)s->address);
    for (int k = 0; k < FRAMES && s->frames[k]; k++) fprintf(out, " %lx", (unsigned long)s->frames[k]);
}

void write_finding(int fd, const struct finding *f, uint64_t run, const char *name, uint64_t seed) {
    FILE *out = fdopen(dup(fd), "a");
    if (!out) return;
    fprintf(out, "finding %d %d %s %lu %lu %s %d", (int)f->kind, f->fatal, f->property, (unsigned long)run, (unsigned long)seed, name, f->sides);
    for (int k = 0; k < f->sides; k++) write_side(out, &f->side[k]);
    fprintf(out, " text %s\n", f->text);
    int count = record->segment_count < SEGMENTS ? record->segment_count : SEGMENTS - 1;
    fprintf(out, "schedule");
    for (int k = 0; k <= count; k++) {
        const struct segment *s = &record->segments[k];
        if (s->upto == UINT64_MAX)
            fprintf(out, " %d:-", s->thread);
        else
            fprintf(out, " %d:%lu", s->thread, (unsigned long)s->upto);
    }
    fprintf(out, "\n");
    fclose(out);
}
