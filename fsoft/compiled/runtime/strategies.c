/* The strategies: who goes on at a point. Each is a record with a few functions; the exhaustive one has a file of its own.

   walk      any thread that can go on, asked again after a random number of accesses
   pct       Burckhardt, Kothari, Musuvathi, Nagarakatte (ASPLOS 2010): priorities, lowered at a few random points
   pos       Yuan, Yang, Gu (CAV 2018): a random priority for every operation, drawn anew when it conflicts with one that was made
   rf        prefers the thread whose access would follow another write than in any run before
   steer     holds a thread that stands before one of two places until another arrives at the other */
#include "runtime.h"
#include <string.h>

const struct strategy *strategy;
int64_t quiet = 1;
struct segment *given;
int given_count, given_at;
static uint64_t state;
static unsigned rarity;      /* of switches at accesses: one in so many */
static uint64_t changes[64]; /* pct: the decisions at which a priority falls */
static int change_count;
static uint64_t lowest;
static int held = -1;
static int64_t patience;

uintptr_t last_writer(const struct thread *me, uintptr_t address);

uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

uint64_t next_random(void) {
    return mix(state++);
}

static struct thread *any(struct thread **can, int count) {
    return can[next_random() % (unsigned)count];
}

static int among(const struct thread *me, struct thread **can, int count) {
    for (int k = 0; k < count; k++)
        if (can[k] == me) return 1;
    return 0;
}

/* ---------------------------------------------------------------- a schedule that is given */

/* Segment by segment; one whose thread cannot go on, or stands where it would stop, is skipped. Afterwards a thread goes on as long as it can. */
struct thread *follow(struct thread *me, struct thread **can, int count) {
    for (; given_at < given_count; given_at++) {
        struct thread *t = given[given_at].thread < thread_count ? threads[given[given_at].thread] : NULL;
        if (t && t->state != FINISHED && t->state != UNUSED && t->ops < given[given_at].upto && (enabled(t) || (t != me && t->deadline))) return t;
    }
    return !count ? NULL : among(me, can, count) ? me : can[0];
}

/* ---------------------------------------------------------------- walk */

static void walk_begin(void) {
    static const unsigned rarities[] = {1, 2, 4, 10, 40, 200, 1000, 1u << 20};
    rarity = rarities[next_random() % (sizeof rarities / sizeof *rarities)];
}

static struct thread *walk_choose(struct thread *me, struct thread **can, int count) {
    if (me->at.kind != ACCESS && rarity > 10 && next_random() % 2 && among(me, can, count)) return me;
    return any(can, count);
}

static int64_t walk_quiet(void) {
    return rarity == 1 ? 1 : 1 + (int64_t)(next_random() % (2 * rarity));
}

const struct strategy random_walk = {"walk", walk_begin, walk_choose, NULL, walk_quiet};

/* ---------------------------------------------------------------- pct */

static void pct_created(struct thread *t) {
    t->priority = (1ull << 32) + (next_random() >> 32);
}

static void pct_begin(void) {
    uint64_t length = memory->typical > 8 ? memory->typical : 64;
    change_count = (options.depth ? options.depth : 2 + (int)(next_random() % 3)) - 1;
    for (int k = 0; k < change_count; k++) changes[k] = next_random() % length;
    lowest = 1ull << 31;
}

static struct thread *pct_choose(struct thread *me, struct thread **can, int count) {
    struct thread *best = can[0];
    for (int k = 0; k < change_count; k++)
        if (changes[k] <= record->decisions) {
            me->priority = --lowest;
            changes[k] = UINT64_MAX;
        }
    if (me->yielded) me->priority = --lowest;
    for (int k = 1; k < count; k++)
        if (can[k]->priority > best->priority) best = can[k];
    return best;
}

static const struct strategy pct = {"pct", pct_begin, pct_choose, pct_created, NULL};

/* ---------------------------------------------------------------- pos */

static int conflict(const struct op *a, const struct op *b) {
    if (a->kind != b->kind && (a->kind == ACCESS || b->kind == ACCESS)) return 0;
    if (a->kind != ACCESS) return a->address == b->address;
    return a->address < b->address + b->size && b->address < a->address + a->size && (a->how | b->how) & WRITES;
}

static struct thread *pos_choose(struct thread *me, struct thread **can, int count) {
    struct thread *best = NULL;
    me->priority = next_random();
    for (int k = 0; k < count; k++)
        if (!best || can[k]->priority > best->priority) best = can[k];
    for (int k = 0; k < count; k++)
        if (can[k] != best && conflict(&can[k]->at, &best->at)) can[k]->priority = next_random();
    return best;
}

static const struct strategy pos = {"pos", NULL, pos_choose, pct_created, NULL};

/* ---------------------------------------------------------------- rf */

static int unseen(const struct thread *t) {
    uintptr_t writer = t->at.kind == ACCESS ? last_writer(t, t->at.address) : 0;
    return writer && !memory->pairs[mix(writer * 31 + t->at.pc) % PAIRS];
}

static struct thread *rf_choose(struct thread *me, struct thread **can, int count) {
    struct thread *fresh[MOST_THREADS];
    int found = 0;
    for (int k = 0; k < count; k++)
        if (unseen(can[k])) fresh[found++] = can[k];
    if (found && next_random() % 4) return any(fresh, found);
    return next_random() % 2 && among(me, can, count) ? me : any(can, count);
}

static const struct strategy rf = {"rf", walk_begin, rf_choose, NULL, NULL};

/* ---------------------------------------------------------------- steer */

static void steer_begin(void) {
    walk_begin();
    held = -1;
    patience = 0;
}

static int at_target(const struct thread *t) {
    return t->at.kind == ACCESS && (t->at.pc == options.first || t->at.pc == options.second);
}

static struct thread *steer_choose(struct thread *me, struct thread **can, int count) {
    struct thread *free[MOST_THREADS];
    int found = 0;
    if (held < 0 && at_target(me) && next_random() % 3) {
        held = me->id;
        patience = (int64_t)(64 << next_random() % 12);
    }
    for (int k = 0; k < count; k++)
        if (can[k]->id != held) free[found++] = can[k];
    if (found && held >= 0 && --patience > 0) return among(me, free, found) && next_random() % 4 ? me : any(free, found);
    held = -1;
    return any(can, count);
}

static const struct strategy steer = {"steer", steer_begin, steer_choose, NULL, walk_quiet};

/* ---------------------------------------------------------------- which one */

static const struct strategy *const all[] = {&random_walk, &pct, &pos, &rf, &steer, &exhaustive};

/* A pair of places that nobody has stood before yet, those that were tried least first. */
static int pick_candidate(void) {
    struct candidate *best = NULL;
    for (uint32_t k = 0; k < memory->candidate_count; k++) {
        struct candidate *c = &memory->candidates[k];
        if (!c->confirmed && (!best || c->tried < best->tried)) best = c;
    }
    if (!best) return 0;
    best->tried++;
    options.first = best->first;
    options.second = best->second;
    return 1;
}

/* `mix`: all of them in turn. */
static const struct strategy *turn(void) {
    static const struct strategy *const order[] = {&random_walk, &pct, &pos, &random_walk, &steer, &pct, &rf, &random_walk};
    const struct strategy *next = order[options.seed % (sizeof order / sizeof *order)];
    return next == &steer && !pick_candidate() ? &pos : next;
}

void choose_strategy(void) {
    state = mix(options.seed) * 3;
    strategy = NULL;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!strcmp(all[k]->name, options.strategy)) strategy = all[k];
    if (strategy == &steer && !options.first) pick_candidate();
    if (!strategy) strategy = turn();
    if (strategy->begin) strategy->begin();
    quiet = 1;
}
