/* Races by vector clocks: for every eight bytes the last accesses, as ThreadSanitizer keeps them (four, with the clock of the thread).

   Two accesses without order between them are a candidate; a race is reported when both threads stand before the accesses (turns.c). */
#define _GNU_SOURCE
#include "runtime.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct slot { /* one access: `bytes` of the eight, as bits */
    clock_value clock;
    uint8_t thread, bytes, how, used;
    uintptr_t pc;
};

enum { SLOTS = 4, PAGE_BITS = 12, CELLS = 1 << (PAGE_BITS - 3), BUCKETS = 1 << 14, CACHED = 256 };

struct cell {
    struct slot slots[SLOTS];
};

struct page {
    uintptr_t number;
    struct page *next;
    struct cell cells[CELLS];
};

static struct page *pages[BUCKETS];
static struct page *cached[CACHED];

static struct page *find_page(uintptr_t number, int make) {
    struct page **bucket = &pages[(number ^ number >> 14) % BUCKETS], *p = *bucket;
    while (p && p->number != number) p = p->next;
    if (!p && make) {
        p = grab(sizeof *p);
        p->number = number;
        p->next = *bucket;
        *bucket = p;
    }
    if (p) cached[number % CACHED] = p;
    return p;
}

static inline struct cell *cell_of(uintptr_t address, int make) {
    uintptr_t number = address >> PAGE_BITS;
    struct page *p = cached[number % CACHED];
    if (UNLIKELY(!p || p->number != number)) p = find_page(number, make);
    return p ? &p->cells[address >> 3 & (CELLS - 1)] : NULL;
}

void note_candidate(uintptr_t first, uintptr_t second) {
    for (uint32_t k = 0; k < memory->candidate_count; k++) {
        struct candidate *c = &memory->candidates[k];
        if ((c->first == first && c->second == second) || (c->first == second && c->second == first)) return;
    }
    if (memory->candidate_count < CANDIDATES) memory->candidates[memory->candidate_count++] = (struct candidate){first, second, 0, 0};
}

/* Two places accessed the same memory one after the other: part of what was covered. */
static void note_pair(uintptr_t first, uintptr_t second) {
    unsigned there = (unsigned)(mix(first * 31 + second) % PAIRS), back = (unsigned)(mix(second * 31 + first) % PAIRS);
    if (memory->pairs[there]) return;
    memory->pairs[there] = 1;
    memory->pair_count++;
    if (memory->pairs[back]) memory->both_orders++;
}

static int met_other(struct thread *me, struct slot *s, int how, uintptr_t pc) {
    memory->shared[place_of(pc)] = 1;
    memory->shared[place_of(s->pc)] = 1;
    if (!((s->how | how) & WRITES)) return 0;
    note_pair(s->pc, pc);
    record->outcome = mix(record->outcome ^ s->pc ^ pc << 1 ^ (uint64_t)me->id << 50 ^ (uint64_t)s->thread << 58 ^ me->ops << 32);
    if (!(s->how & how & ATOMIC) && s->clock > me->clock[s->thread]) note_candidate(s->pc, pc);
    return 1;
}

static int touch_cell(struct thread *me, struct cell *c, uint8_t bytes, int how, uintptr_t pc) {
    struct slot *place = NULL;
    clock_value now = me->clock[me->id];
    int shared = 0;
    for (int k = 0; k < SLOTS; k++) {
        struct slot *s = &c->slots[k];
        if (!s->used) {
            if (!place) place = s;
            continue;
        }
        if (s->thread == me->id) {
            if ((s->bytes & ~bytes) == 0 && (s->how == how || (how & WRITES && !(how & ATOMIC)))) place = s;
            continue;
        }
        if (s->bytes & bytes) {
            shared = 1;
            if (met_other(me, s, how, pc) && s->clock <= me->clock[s->thread] && (s->bytes & ~bytes) == 0 && how & WRITES && !place) place = s;
        }
    }
    if (!place) place = &c->slots[(pc ^ now) % SLOTS];
    *place = (struct slot){now, (uint8_t)me->id, bytes, (uint8_t)how, 1, pc};
    return shared;
}

/* Notes an access; whether another thread accessed the same bytes. */
int touch(struct thread *me, uintptr_t address, size_t size, int how, uintptr_t pc) {
    int shared = 0;
    while (size) {
        unsigned at = address & 7, part = 8 - at < size ? 8 - at : (unsigned)size;
        uint8_t bytes = (uint8_t)(((1u << part) - 1) << at);
        struct cell *c = cell_of(address, 1);
        struct slot *s = &c->slots[0];
        if (LIKELY(!(s->used && s->thread == me->id && s->clock == me->clock[me->id] && s->bytes == bytes && s->how == how && !c->slots[1].used)))
            shared |= touch_cell(me, c, bytes, how, pc);
        address += part;
        size -= part;
    }
    return shared;
}

/* The place of the last write by another thread to these bytes, 0 if there is none. */
uintptr_t last_writer(const struct thread *me, uintptr_t address) {
    struct cell *c = cell_of(address, 0);
    for (int k = 0; c && k < SLOTS; k++)
        if (c->slots[k].used && c->slots[k].how & WRITES && c->slots[k].thread != me->id) return c->slots[k].pc;
    return 0;
}

/* Memory that is somebody else's now. */
void forget(uintptr_t address, size_t size) {
    uintptr_t end = address + size;
    for (uintptr_t at = address & ~(uintptr_t)7; at < end;) {
        struct cell *c = cell_of(at, 0);
        if (c) {
            __builtin_memset(c, 0, sizeof *c);
            at += 8;
        } else {
            at = ((at >> PAGE_BITS) + 1) << PAGE_BITS;
        }
    }
}

/* ---------------------------------------------------------------- clocks */

void acquire(struct thread *me, const struct vector *v) {
    for (int k = 0; v && k < thread_count; k++)
        if (v->at[k] > me->clock[k]) me->clock[k] = v->at[k];
}

void release(struct thread *me, struct vector **v) {
    if (!*v) *v = grab(sizeof **v);
    for (int k = 0; k < thread_count; k++)
        if (me->clock[k] > (*v)->at[k]) (*v)->at[k] = me->clock[k];
    me->clock[me->id]++;
}
