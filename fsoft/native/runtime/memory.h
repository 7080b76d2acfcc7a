/* Loads, stores, lifetimes, as program/memory.py has them. Generated before this: OFFSET_BITS, WORD_BITS, STRICT, OBJECTS, and the tables
   OBJECT, CELL, CELL_AT (by byte: the cell of the object that covers it, or -1; no cell covers a byte beyond `covered`), DOMAIN, POOL, HELD. */

/* The number of the cell of an object that covers a byte, or -1. */
static inline int cell_at(const Object *o, u64 offset) { return offset < o->covered ? CELL_AT[o->bytes + offset] : -1; }

static inline int is_heap(u64 object) { return object < OBJECTS && OBJECT[object].heap; }

static const Object *reach(const u64 *s, u64 address, u32 size, int write) {
    u64 number = address >> OFFSET_BITS, offset = address & OFFSET_MASK;
    if (number == 0 || number >= OBJECTS) return 0;
    const Object *o = &OBJECT[number];
    if (offset + size > o->limit) return 0;
    if (o->status.mask && get(s, &o->status) != ALIVE) return 0;
    if (o->extent.mask && offset + size > get(s, &o->extent)) return 0;
    if (write && o->readonly) return 0;
    if (STRICT && !(size & (size - 1))) {
        u32 align = size < WORD_BITS / 8 ? size : WORD_BITS / 8;
        if (offset % align) {
            int k = cell_at(o, offset);
            if (k < 0 || CELL[o->cells + k].offset != offset || CELL[o->cells + k].size != size) return 0;
        }
    }
    return o;
}

static inline void look_for_pointers(Worker *c, u64 value) {
    if (is_heap(value >> OFFSET_BITS)) c->bared = 1;
}

static inline u64 full_mask(u32 bytes) { return bytes == 8 ? ~(u64)0 : ((u64)1 << 8 * bytes) - 1; }

/* The bits of the bytes in a set of bytes. */
static u64 bits_of_bytes(u64 bytes) {
    u64 bits = 0;
    for (u32 k = 0; bytes >> k; k++)
        if (bytes >> k & 1) bits |= (u64)0xFF << 8 * k;
    return bits;
}

/* An undefined cell is read: its missing bytes are chosen and written. */
static u64 define(Worker *c, u64 *s, const Cell *cell) {
    u64 kept = bits_of_bytes(get(s, &cell->defined));
    u64 x = answer(c, &DOMAIN[cell->domain], cell->question);
    x = ((x & ~kept) | (get(s, &cell->value) & kept)) & full_mask(cell->size);
    put(s, &cell->value, x);
    put(s, &cell->defined, cell->defined.mask);
    return x;
}

static inline u64 value_of(Worker *c, u64 *s, const Object *o, const Cell *cell) {
    if (o->rom || cell->frozen) return cell->rom;
    if (cell->defined.mask && get(s, &cell->defined) != cell->defined.mask) return define(c, s, cell);
    return get(s, &cell->value);
}

static int load(Worker *c, u64 *s, u64 address, u32 size, u64 *result) {
    const Object *o = reach(s, address, size, 0);
    if (!o) return 0;
    u32 offset = (u32)(address & OFFSET_MASK), at = offset;
    int k = cell_at(o, offset);
    if (k >= 0 && CELL[o->cells + k].offset == offset && CELL[o->cells + k].size == size) {
        *result = value_of(c, s, o, &CELL[o->cells + k]);
        return 1;
    }
    u64 x = 0;
    while (at < offset + size) {
        k = cell_at(o, at);
        if (k < 0) {
            at++;
            continue;
        }
        const Cell *cell = &CELL[o->cells + k];
        u64 part = value_of(c, s, o, cell);
        if (c->asked) return 1;
        look_for_pointers(c, part);
        x |= cell->offset >= offset ? part << 8 * (cell->offset - offset) : part >> 8 * (offset - cell->offset);
        at = cell->offset + cell->size;
    }
    *result = x & full_mask(size);
    return 1;
}

/* Some bytes of a cell are written. What it held may have been a pointer, if it was wholly defined. */
static void store_part(Worker *c, u64 *s, const Cell *cell, u64 value, u32 offset, u32 size) {
    if (cell->frozen) {
        c->strayed = 1;
        return;
    }
    u64 old = get(s, &cell->value), known = cell->defined.mask ? get(s, &cell->defined) : 0;
    if (!cell->defined.mask || known == cell->defined.mask) look_for_pointers(c, old);
    for (u32 k = 0; k < cell->size; k++) {
        u32 at = cell->offset + k;
        if (at < offset || at >= offset + size) continue;
        u64 byte = value >> 8 * (at - offset) & 0xFF;
        old = (old & ~((u64)0xFF << 8 * k)) | byte << 8 * k;
        known |= (u64)1 << k;
    }
    put(s, &cell->value, old);
    if (cell->defined.mask) put(s, &cell->defined, known);
}

static int store(Worker *c, u64 *s, u64 address, u32 size, u64 value) {
    const Object *o = reach(s, address, size, 1);
    if (!o) return 0;
    u32 offset = (u32)(address & OFFSET_MASK), at = offset;
    int k = cell_at(o, offset);
    if (k >= 0 && CELL[o->cells + k].offset == offset && CELL[o->cells + k].size == size) {
        const Cell *cell = &CELL[o->cells + k];
        if (cell->frozen) c->strayed = 1;
        put(s, &cell->value, value);
        if (cell->defined.mask) put(s, &cell->defined, cell->defined.mask);
        return 1;
    }
    look_for_pointers(c, value);
    while (at < offset + size) {
        k = cell_at(o, at);
        if (k < 0) {
            at++;
            continue;
        }
        store_part(c, s, &CELL[o->cells + k], value, offset, size);
        at = CELL[o->cells + k].offset + CELL[o->cells + k].size;
    }
    return 1;
}

/* ---------------------------------------------------------------- lifetimes */

static void set_cells(u64 *s, const Object *o, int defined) {
    for (u32 k = 0; k < o->count; k++) {
        const Cell *cell = &CELL[o->cells + k];
        put(s, &cell->value, 0);
        if (cell->defined.mask) put(s, &cell->defined, defined ? cell->defined.mask : 0);
    }
}

static void enter(u64 *s, u64 address) {
    const Object *o = &OBJECT[address >> OFFSET_BITS];
    if (!o->status.mask) return;
    put(s, &o->status, ALIVE);
    set_cells(s, o, 0);
}

static void leave(u64 *s, u64 address) {
    const Object *o = &OBJECT[address >> OFFSET_BITS];
    if (!o->status.mask) return;
    put(s, &o->status, DEAD);
    set_cells(s, o, 0);
    if (o->extent.mask) put(s, &o->extent, 0);
}

/* Marks the objects to which a value of the state before the step points; 0 if some cell is defined in part only. */
static int find_held(Worker *c) {
    const u64 *s = c->before;
    if (c->known_held) return c->known_held > 0;
    c->known_held = -1;
    memset(c->held, 0, OBJECTS);
    for (u32 k = 0; k < HELD_COUNT; k++) {
        u64 known = get(s, &HELD[k].defined);
        if (HELD[k].defined.mask && known != HELD[k].defined.mask) {
            if (known) return 0;
            continue;
        }
        u64 number = get(s, &HELD[k].value) >> OFFSET_BITS;
        if (number < OBJECTS) c->held[number] = 1;
    }
    c->known_held = 1;
    return 1;
}

/* A freed object that no value points to stands for the new one and for every other such object. */
static u32 fewer_objects(Worker *c, u64 *options, u32 count) {
    u64 first = 0;
    u32 kept = 1;
    if (!find_held(c)) return count;
    for (u32 k = 1; k < count; k++) {
        u64 number = options[k] >> OFFSET_BITS;
        if (!c->held[number] && get(c->before, &OBJECT[number].status) == DEAD)
            first = first ? first : options[k];
        else
            options[kept++] = options[k];
    }
    if (!first) return count;
    options[0] = first;
    c->merged = 1;
    return kept;
}

static u64 alloc(Worker *c, u64 *s, u32 pool, u64 size, int zero) {
    const Pool *p = &POOL[pool];
    u64 options[POOL_MOST + 1], address;
    u32 count = 1;
    options[0] = 0;
    if (size > p->capacity) return 0;
    for (u32 k = 0; k < p->count; k++) {
        u64 status = get(s, &OBJECT[p->objects[k]].status), at = (u64)p->objects[k] << OFFSET_BITS;
        if (status == NEVER && !options[0]) options[0] = at;
        else if (status == DEAD && HEAP_REUSE) options[count++] = at;
    }
    if (count > 1 && alike) count = fewer_objects(c, options, count), address = options[choose(c, count)];
    else address = count > 1 ? options[choose(c, count)] : options[0];
    if (c->asked || !address) return 0;
    const Object *o = &OBJECT[address >> OFFSET_BITS];
    enter(s, address);
    if (zero) set_cells(s, o, 1);
    if (o->extent.mask) put(s, &o->extent, size);
    return address;
}

static u64 measure(const u64 *s, u64 address) {
    u64 number = address >> OFFSET_BITS;
    if (number == 0 || number >= OBJECTS) return 0;
    const Object *o = &OBJECT[number];
    if (o->status.mask && get(s, &o->status) != ALIVE) return 0;
    return o->extent.mask ? get(s, &o->extent) : o->limit;
}

static int freeable(const u64 *s, u64 address) {
    u64 number = address >> OFFSET_BITS;
    if (number == 0 || number >= OBJECTS || !OBJECT[number].heap || address & OFFSET_MASK) return 0;
    return get(s, &OBJECT[number].status) == ALIVE;
}
