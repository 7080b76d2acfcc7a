/* Who may go on: events in their order, one thread at a time. */
#include "match.h"
#include <stdlib.h>
#include <string.h>

struct thread *threads[MOST_THREADS];
__thread struct thread *self;
pthread_mutex_t big = PTHREAD_MUTEX_INITIALIZER;
unsigned long arrivals;
static int holder; /* the slot that runs; main is the first */


/* ---------------------------------------------------------------- turns */

static void advance(void) {
    while (now < event_count) {
        struct event *e = &events[now];
        struct thread *t = threads[e->slot];
        if (!e->done && !(t && t->finished)) return;
        now++;
    }
}

/* Hand over to the owner of the next event. */
static void pass_on(void) {
    advance();
    if (now == event_count) {
        end_reached();
        return;
    }
    holder = events[now].slot;
    if (threads[holder]) pthread_cond_signal(&threads[holder]->go);
}

static void skip_before(struct thread *me, const struct event *e) {
    for (int k = 0; &events[k] < e; k++) {
        struct event *other = &events[k];
        if (other->slot != me->slot) continue;
        other->late = other->line == e->line && e->kind == ACCESS && (other->late || !other->done);
        other->done = 1;
    }
}

/* Call with `big` held. */
void wait_to_run(struct thread *me) {
    while (!me->released && holder != me->slot) pthread_cond_wait(&me->go, &big);
}

static void wait_for_turn(struct thread *me, struct event *e) {
    skip_before(me, e);
    for (;;) {
        advance();
        if (&events[now] == e) break;
        pass_on();
        wait_to_run(me);
        if (me->released) return;
    }
}

/* Both accesses of a race have been reached, and neither has been made. */
static void judge_race(void) {
    struct thread *both[2] = {0};
    int count = 0;
    for (int k = 0; k < MOST_THREADS && count < 2; k++)
        if (threads[k] && threads[k]->pending) both[count++] = threads[k];
    if (count < 2) return;
    const struct arrival *a = &both[0]->at, *b = &both[1]->at;
    if (!overlap(a->address, a->size, b->address, b->size) || !((a->how | b->how) & WRITES))
        outcome("norace", both[1], b->line, "threads %d and %d are at different memory: %#lx and %#lx", both[0]->slot, both[1]->slot,
                (unsigned long)a->address, (unsigned long)b->address);
    outcome("race", both[1], b->line, "thread %d is about to %s %zu bytes at %#lx, thread %d to %s %zu bytes at %#lx", both[0]->slot,
            a->how & WRITES ? "write" : "read", a->size, (unsigned long)a->address, both[1]->slot, b->how & WRITES ? "write" : "read", b->size,
            (unsigned long)b->address);
}

static void stop_before_access(struct thread *me, struct event *e) {
    e->done = 1;
    me->pending = 1;
    judge_race();
    pass_on();
    for (;;) pthread_cond_wait(&me->go, &big);
}

static void park(struct thread *me) {
    advance();
    pass_on();
    while (!me->released) pthread_cond_wait(&me->go, &big);
}

/* Undefined values go to the memory that they are of, whatever the schedule says: to a global, to a heap block, or to what the program itself
   has just accessed. */
static int may_poke(const struct object *o, uintptr_t at, size_t size) {
    uintptr_t low = o->firm ? o->base : o->low, high = o->firm ? o->base + o->size : o->high;
    struct block *b = o->firm ? block_at(o->base) : NULL;
    if (b) high = b->base + b->size;
    return size <= sizeof(unsigned long long) && low <= at && at <= high && size <= high - at;
}

static void write_pokes(const struct event *e) {
    for (const struct poke *p = e->pokes; p; p = p->next) {
        struct object *o = object_of(p->object);
        uintptr_t at = o ? o->base + (uintptr_t)p->offset : 0;
        if (o && o->base && may_poke(o, at, (size_t)p->size)) memcpy((void *)at, &p->value, (size_t)p->size);
    }
}

/* With FSOFT_REPLAY_LOG: every arrival and what it was taken for. */
static void log_arrival(const struct thread *me, const struct arrival *a, const struct event *e, int late) {
    static int on = -1;
    if (on < 0) on = getenv("FSOFT_REPLAY_LOG") != NULL;
    if (!on) return;
    fprintf(stderr, "thread %d line %d: %s %s%s %zu bytes at %#lx: ", me->slot, a->line % LINES, kind_names[a->kind], a->how & READS ? "r" : "",
            a->how & WRITES ? "w" : "", a->size, (unsigned long)a->address);
    if (e)
        fprintf(stderr, "event %d of %d\n", (int)(e - events) + 1, event_count);
    else
        fprintf(stderr, "%s\n", late ? "out of order" : me->released ? "free" : "not in the schedule");
}

/* The read of a bit-field store, at its turn; the store then starts from what it saw. */
static void read_unit(struct thread *me, const struct arrival *a, uint64_t *unit, int *staged) {
    struct event *e = silent_read(me, a);
    if (!e) return;
    wait_for_turn(me, e);
    if (me->released) return;
    e->done = 1;
    memcpy(unit, (const void *)a->address, a->size);
    *staged = 1;
}

/* The thread is about to do this. Returns when it may: with the event that it is, or NULL if the schedule does not name it. */
struct event *arrive(const struct arrival *a) {
    struct thread *me = self;
    int left = 0, staged = 0;
    uint64_t unit;
    if (!me || me->finished) return NULL;
    pthread_mutex_lock(&big);
    arrivals++;
    me->at = *a;
    int late = !me->section && comes_late(me, a);
    if (!late && !me->section && !me->released) read_unit(me, a, &unit, &staged);
    struct event *e = me->released || late ? NULL : match(me, a, &left);
    log_arrival(me, a, e, late);
    if (late)
        ;
    else if (e && (!me->section || e->flags & PENDING)) {
        wait_for_turn(me, e);
        if (me->released)
            e = NULL;
        else if (e->flags & PENDING)
            stop_before_access(me, e);
    } else if (!e && !me->released && !left && !me->section)
        park(me);
    if (e) {
        e->done = 1;
        bind_object(e, a);
        take_along(e, a);
        write_pokes(e);
        if (staged) memcpy((void *)a->address, &unit, a->size);
        advance();
    }
    pthread_mutex_unlock(&big);
    return e;
}

struct event *arrive_at(enum kind kind, unsigned also, const void *address, const void *pc) {
    struct arrival a = {.kind = kind, .also = also, .address = (uintptr_t)address, .how = READS | WRITES, .line = line_of(site_of(pc)), .thread = -1};
    struct event *e = arrive(&a);
    if (self && address) check_access(self, a.address, 1, READS, a.line);
    return e;
}

/* How many bytes of a copy the next event of this thread covers, from this address on; 1 if there is none. */
size_t next_unit(const void *address, size_t left) {
    size_t unit = 1;
    pthread_mutex_lock(&big);
    for (int k = now; k < event_count && self; k++) {
        struct event *e = &events[k];
        struct object *o = object_of(e->object);
        if (e->slot != self->slot || e->done || e->kind != ACCESS || !o) continue;
        if (o->base + (uintptr_t)e->offset == (uintptr_t)address || !o->base) unit = e->size;
        break;
    }
    pthread_mutex_unlock(&big);
    return unit <= left && (uintptr_t)address % unit == 0 ? unit : 1;
}

static int all_finished(void) {
    for (int k = 0; k < MOST_THREADS; k++)
        if (threads[k] && !threads[k]->finished) return 0;
    return 1;
}

void leave_run(struct thread *me) {
    pthread_mutex_lock(&big);
    me->finished = 1;
    arrivals++;
    if (!strcmp(ending.kind, "leak") && all_finished()) look_for_leaks(me);
    pass_on();
    pthread_mutex_unlock(&big);
}

void skip_all(struct thread *t) {
    for (int k = now; k < event_count; k++)
        if (events[k].slot == t->slot && skippable(&events[k]) && !(events[k].flags & PENDING)) events[k].done = 1;
    pass_on();
}

void park_for_ever(void) {
    pthread_mutex_lock(&big);
    for (;;) pthread_cond_wait(&self->go, &big);
}

void release(int slot) {
    struct thread *t = slot >= 0 && slot < MOST_THREADS ? threads[slot] : NULL;
    if (!t || t->released) return;
    t->released = 1;
    pthread_cond_signal(&t->go);
}

/* Every event is done: those whom the prediction names run on. */
void end_reached(void) {
    if (!strcmp(ending.kind, "deadlock"))
        for (int k = 0; k < blocked_count; k++) release(blocked[k]);
    else
        release(ending.slot);
}

/* ---------------------------------------------------------------- atomic sections */

void begin_section(struct thread *me, const void *pc) {
    if (me->section == 0) arrive_at(SECTION, 0, NULL, pc);
    me->section++;
}

void end_section(struct thread *me) {
    if (me->section > 0) me->section--;
}
