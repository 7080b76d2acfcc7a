/* The successors of a state, and what monitors say of it: as checkers/explicit/search.py does it. Generated before this: SLOT, LOCATION,
   MOVE, ORDER, ROW, EVENT, and which monitors are on (RACES, DEADLOCKS, LEAKS). */

/* Kinds of events; from FOUND on a property that was asked for. Monitors come after the properties. */
enum { OTHER, PRUNED, ENDED, STOPPED, FOUND };
enum { RACE = PROPERTIES, DEADLOCK, LEAK, CLASSES };

static void arrive(Worker *c, int slot, const Move *move);
static void found(Worker *c, int class, const u64 *state, int slot, int step);
static void example(Worker *c, int event, const u64 *state, int slot, int step);

static inline const Location *location(const u64 *s, int slot) { return &LOCATION[SLOT[slot].first + get(s, &SLOT[slot].pc)]; }

static int holder_of(const u64 *s) {
    for (int slot = 0; slot < SLOTS; slot++)
        if (SLOT[slot].sections && location(s, slot)->atomic) return slot;
    return -1;
}

static inline int possible(const Move *move, const u64 *s) { return !move->guard || move->guard(s); }

/* A slot that may move alone. */
static int alone(const u64 *s, int holder) {
    for (int k = 0; k < SLOTS; k++) {
        int slot = ORDER[k];
        if (holder >= 0 && slot != holder) continue;
        const Location *at = location(s, slot);
        if (!at->local) continue;
        for (u32 m = 0; m < at->count; m++)
            if (possible(&MOVE[at->move + m], s)) return slot;
    }
    return -1;
}

/* ---------------------------------------------------------------- monitors */

static int peek(const u64 *s, u64 address, u32 size, u64 *x) {
    u64 number = address >> OFFSET_BITS, offset = address & OFFSET_MASK;
    if (number == 0 || number >= OBJECTS || offset >= OBJECT[number].limit) return 0;
    const Object *o = &OBJECT[number];
    int k = cell_at(o, offset);
    if (k < 0) return 0;
    const Cell *cell = &CELL[o->cells + k];
    if (cell->offset != offset || cell->size != size) return 0;
    if (cell->defined.mask && get(s, &cell->defined) != cell->defined.mask) return 0;
    *x = o->rom || cell->frozen ? cell->rom : get(s, &cell->value);
    return 1;
}

/* The threads that a word of a lock names. */
static u64 owner_at(const u64 *s, u64 address, u32 size) {
    u64 x;
    return peek(s, address, size, &x) && x && x <= SLOTS ? (u64)1 << (x - 1) : 0;
}

static u64 readers_at(const u64 *s, u64 address, u32 size) {
    u64 x;
    return peek(s, address, size, &x) ? x & (SLOTS == 64 ? ~(u64)0 : ((u64)1 << SLOTS) - 1) : 0;
}

static u64 joined_at(const u64 *s, u64 address, u32 size) {
    u64 x;
    return peek(s, address, size, &x) && x == RUNNING ? (u64)1 << (address & OFFSET_MASK) / DESCRIPTOR : 0;
}

/* Whom a blocked slot waits for: each of its steps waits for all of them. */
static u64 waits_for(const u64 *s, const Location *at) {
    u64 common = 0;
    int any = 0;
    for (u32 k = 0; k < at->rows; k++) {
        const Row *row = &ROW[at->row + k];
        if (row->guard && !row->guard(s)) continue;
        u64 mine = row->names ? row->names(s) : 0;
        common = any ? common & mine : mine;
        any = 1;
    }
    return common;
}

static int circle(const u64 *edges) {
    for (int start = 0; start < SLOTS; start++) {
        u64 seen = 0, work = edges[start];
        while (work) {
            int slot = __builtin_ctzll(work);
            if (slot == start) return 1;
            work &= work - 1;
            if (seen >> slot & 1) continue;
            seen |= (u64)1 << slot;
            work |= edges[slot] & ~seen;
        }
    }
    return 0;
}

static int unfinished(const u64 *s, int slot) {
    const Location *at = location(s, slot);
    if (at->finished < 2) return !at->finished;
    return SLOT[slot].state.mask ? get(s, &SLOT[slot].state) == RUNNING : slot == 0;
}

/* A thread that waits in an atomic section: then the run is pruned. */
static int in_section(const u64 *s, int slot) {
    const Location *at = location(s, slot);
    int any = 0;
    for (u32 m = 0; m < at->count; m++) {
        if (!possible(&MOVE[at->move + m], s)) continue;
        if (!MOVE[at->move + m].section) return 0;
        any = 1;
    }
    return any;
}

static int at_rest(const u64 *s) {
    if (get(s, &OVER_FIELD)) return 0;
    for (int slot = 0; slot < SLOTS; slot++)
        if (location(s, slot)->stop) return 0;
    return 1;
}

static int stuck(const u64 *s) {
    int some = 0;
    for (int slot = 0; slot < SLOTS; slot++) {
        if (!unfinished(s, slot)) continue;
        if (in_section(s, slot)) return 0;
        some = 1;
    }
    return some;
}

static int deadlocked(const u64 *s, u64 moving, int busy) {
    u64 edges[SLOTS], any = 0;
    for (int slot = 0; slot < SLOTS; slot++) {
        const Location *at = location(s, slot);
        edges[slot] = at->rows && !(moving >> slot & 1) ? waits_for(s, at) : 0;
        any |= edges[slot];
    }
    if (any && circle(edges)) return 1;
    return !busy && at_rest(s) && stuck(s);
}

/* Whether a word of memory is a pointer to a live heap object that was not seen before; then that is work. */
static u32 leads(const u64 *s, u8 *seen, u64 x, u32 *work) {
    u64 number = (WORD_BITS == 64 ? x : x & 0xFFFFFFFFu) >> OFFSET_BITS;
    if (!is_heap(number) || seen[number] || get(s, &OBJECT[number].status) != ALIVE) return 0;
    seen[number] = 1;
    *work = (u32)number;
    return 1;
}

/* Some live heap object is not reachable from static storage. */
static int leaking(Worker *c, const u64 *s) {
    u32 work[OBJECTS], top = 0, alive = 0, reached = 0;
    u8 *seen = c->held;
    c->known_held = 0;
    memset(seen, 0, OBJECTS);
    for (u32 k = 1; k < OBJECTS; k++) {
        if (OBJECT[k].heap && get(s, &OBJECT[k].status) == ALIVE) alive++;
        else if (OBJECT[k].root) work[top++] = k;
    }
    if (!alive) return 0;
    while (top) {
        const Object *o = &OBJECT[work[--top]];
        u8 bytes[o->covered + 16];
        memset(bytes, 0, o->covered + 16);
        for (u32 k = 0; k < o->count; k++) {
            const Cell *cell = &CELL[o->cells + k];
            if (cell->defined.mask && get(s, &cell->defined) != cell->defined.mask) continue;
            u64 x = o->rom || cell->frozen ? cell->rom : get(s, &cell->value);
            if (8 * cell->size < WORD_BITS)
                for (u32 at = 0; at < cell->size && cell->offset + at < o->covered; at++) bytes[cell->offset + at] = (u8)(x >> 8 * at);
            else
                for (u32 at = 0; at < 8 * cell->size; at += WORD_BITS) top += leads(s, seen, x >> at, work + top);
        }
        for (u64 at = 0; at < o->covered; at += WORD_BITS / 8) {
            u64 x = 0;
            for (u32 k = 0; k < WORD_BITS / 8; k++) x |= (u64)bytes[at + k] << 8 * k;
            top += leads(s, seen, x, work + top);
        }
    }
    for (u32 k = 1; k < OBJECTS; k++) reached += seen[k];
    return reached < alive;
}

static int racing(const Worker *c, const u32 *from, const u32 *to) {
    for (int i = 0; i < SLOTS; i++)
        for (int j = i + 1; j < SLOTS; j++)
            for (u32 k = from[i]; k < to[i]; k++)
                for (u32 m = from[j]; m < to[j]; m++) {
                    const Access *a = &c->log[k], *b = &c->log[m];
                    if (a->object == b->object && (a->write || b->write) && !(a->sync && b->sync) && a->offset < b->offset + b->size &&
                        b->offset < a->offset + a->size && race_counts(a, b))
                        return 1;
                }
    return 0;
}

/* ---------------------------------------------------------------- steps */

/* Whether a slot stopped at `ended` before. */
static int ended_before(const u64 *s, int slot) {
    for (int other = 0; other < SLOTS; other++)
        if (other != slot && location(s, other)->stop == 2) return 1;
    return 0;
}

/* Take down an event; whether the successor is worth following. */
static int note(Worker *c, int slot, const Move *move, u32 event, int whole) {
    const u64 *old = c->before, *new = c->next;
    u32 low = SLOT[slot].low, high = SLOT[slot].high;
    example(c, (int)event, old, slot, (int)move->number);
    if (EVENT[event] >= FOUND) found(c, EVENT[event] - FOUND, old, slot, (int)move->number);
    if (LEAKS && EVENT[event] == ENDED && !ended_before(old, slot) && leaking(c, new)) found(c, LEAK, old, slot, (int)move->number);
    if (get(new, &OVER_FIELD)) return 0;
    if (!whole) return 1;
    for (u32 k = 0; k < WORDS; k++)
        if ((k < low || k >= high) && new[k] != old[k]) return 1;
    return 0;
}

/* Let a thread run on while it is at local locations and has nothing to choose. */
static void settle(Worker *c, u64 *s, int slot, const Move *first) {
    u32 logged = c->logged;
    for (;;) {
        const Location *at = location(s, slot);
        const Move *only = 0;
        if (!at->local) break;
        for (u32 m = 0; m < at->count; m++) {
            if (!possible(&MOVE[at->move + m], s)) continue;
            if (only) goto out;
            only = &MOVE[at->move + m];
        }
        if (!only || only->marked) break;
        memcpy(c->trial, s, sizeof(u64) * WORDS);
        c->forbidden = 1, c->asked = 0;
        u32 position = c->position;
        int event = only->step(c, s);
        c->forbidden = 0, c->position = position;
        if (c->asked) {
            c->asked = 0;
            memcpy(s, c->trial, sizeof(u64) * WORDS);
            break;
        }
        c->transitions++;
        if (event > 1) {
            example(c, event - 2, c->before, slot, (int)first->number);
            if (EVENT[event - 2] >= FOUND) found(c, EVENT[event - 2] - FOUND, c->before, slot, (int)first->number);
            break;
        }
    }
out:
    c->logged = logged;
}

/* All successors by one step; whether there is any. `whole`: every other thread is expanded here, too. */
static int take(Worker *c, int slot, const Move *move, int whole) {
    int taken = 0;
    c->picks = 0;
    c->position = 0;
    do {
        u32 logged = c->logged;
        memcpy(c->next, c->before, sizeof(u64) * WORDS);
        int event = move->step(c, c->next);
        if (!event) {
            c->logged = logged;
            continue;
        }
        taken = 1;
        c->transitions++;
        if (move->marked) c->passed[move - MOVE] = 1;
        if (event > 1 && !note(c, slot, move, (u32)event - 2, whole)) continue;
        if (location(c->next, slot)->local) settle(c, c->next, slot, move);
        arrive(c, slot, move);
    } while (advance(c));
    return taken;
}

/* What a thread that waits for an atomic section, or was left out, is about to access. */
static void log_waiting(Worker *c, int slot) {
    const Location *at = location(c->before, slot);
    for (u32 m = 0; m < at->count; m++) {
        const Move *move = &MOVE[at->move + m];
        if (!possible(move, c->before)) continue;
        c->picks = 0;
        c->position = 0;
        do {
            u32 logged = c->logged;
            memcpy(c->next, c->before, sizeof(u64) * WORDS);
            if (!move->step(c, c->next)) c->logged = logged;
        } while (advance(c));
    }
}

static void watch(Worker *c, u64 moving, int busy, int holder, u32 *from, u32 *to, u64 looked) {
    const u64 *s = c->before;
    if (RACES) {
        if (!get(s, &OVER_FIELD))
            for (int slot = 0; slot < SLOTS; slot++)
                if (!(looked >> slot & 1)) {
                    from[slot] = c->logged;
                    log_waiting(c, slot);
                    to[slot] = c->logged;
                }
        if (racing(c, from, to)) found(c, RACE, s, -1, -1);
    }
    if (DEADLOCKS && holder < 0 && !get(s, &OVER_FIELD) && deadlocked(s, moving, busy)) found(c, DEADLOCK, s, -1, -1);
    if (LEAKS && !moving && at_rest(s)) {
        for (int slot = 0; slot < SLOTS; slot++)
            if (unfinished(s, slot)) return;
        if (leaking(c, s)) found(c, LEAK, s, -1, -1);
    }
}

/* Everything about the state `before`. */
static void expand(Worker *c) {
    const u64 *s = c->before;
    u32 from[SLOTS], to[SLOTS];
    u64 moving = 0, looked = 0;
    int busy = 0, holder = holder_of(s), one = REDUCE ? alone(s, holder) : -1;
    c->known_held = 0;
    c->logged = 0;
    memset(from, 0, sizeof from);
    memset(to, 0, sizeof to);
    for (int k = 0; k < SLOTS; k++) {
        int slot = ORDER[k];
        if (one >= 0 ? slot != one : holder >= 0 && slot != holder) continue;
        const Location *at = location(s, slot);
        from[slot] = c->logged;
        for (u32 m = 0; m < at->count; m++) {
            const Move *move = &MOVE[at->move + m];
            if (!possible(move, s) || !take(c, slot, move, one < 0)) continue;
            moving |= (u64)1 << slot;
            busy |= !move->spurious;
        }
        to[slot] = c->logged;
        looked |= (u64)1 << slot;
    }
    if (one < 0 && (RACES || DEADLOCKS || LEAKS)) watch(c, moving, busy, holder, from, to, looked);
}
