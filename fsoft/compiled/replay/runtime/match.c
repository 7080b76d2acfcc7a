/* Which event of the schedule an arrival is: by line, kind and place, not by position alone.

   What C leaves open (the order of the accesses of a statement) and what fsoft left out does not confuse it. Events that never come (memory
   that gcc does not tell about) are skipped when a later one arrives, but never beyond a synchronisation call: those always come. */
#include "match.h"

int torn_line;

int overlap(uintptr_t a, size_t m, uintptr_t b, size_t n) {
    return a < b + (n ? n : 1) && b < a + (m ? m : 1);
}

/* Whether the place of the event can be that of the arrival. An object whose address is not known can be anywhere that is not known. */
static int same_place(const struct event *e, const struct arrival *a) {
    struct object *o = object_of(e->object);
    if (e->kind == JOIN || e->kind == DETACH || e->kind == CANCEL) return e->detail < 0 || e->detail == a->thread;
    if (!o || !a->address) return 1;
    if (o->firm) return overlap(o->base + (uintptr_t)e->offset, e->size, a->address, a->size);
    return (e->kind != ACCESS || e->size == a->size || a->size > 8) && !global_at(a->address);
}

static int matches(const struct event *e, const struct arrival *a) {
    if (e->kind != (int)a->kind && !(a->also & ALSO(e->kind))) return 0;
    if (e->kind == EXIT || e->kind == SECTION) return 1;
    if (e->line && a->line && e->line != a->line) return 0;
    if (e->kind == ACCESS && !(e->how & a->how) && !(e->flags & PENDING && a->how & WRITES)) return 0; /* a bit-field is only written */
    return same_place(e, a);
}

int skippable(const struct event *e) {
    return e->kind == ACCESS || e->kind == INIT || e->kind == FREE;
}

/* Whether the address of the object is known for certain. */
static int firm(const struct event *e) {
    struct object *o = object_of(e->object);
    return e->kind != ACCESS || (o && o->firm);
}

/* The event of the thread that arrives; NULL if there is none. `left` tells whether it has events at all. A place that is only guessed is no
   reason to skip what is known and belongs to another line. */
struct event *match(struct thread *me, const struct arrival *a, int *left) {
    int skipped = 0;
    *left = 0;
    for (int k = now; k < event_count; k++) {
        struct event *e = &events[k];
        if (e->slot != me->slot || e->done) continue;
        *left = 1;
        if (matches(e, a) && (firm(e) || !skipped)) return e;
        if (!skippable(e)) return NULL;
        skipped |= firm(e) && e->line != a->line;
    }
    return NULL;
}

/* An access of the statement that the schedule has earlier than the one that came first: C leaves their order open. */
int comes_late(const struct thread *me, const struct arrival *a) {
    for (int k = 0; k < event_count; k++) {
        struct event *e = &events[k];
        if (e->slot != me->slot || !e->late) continue;
        if (matches(e, a)) {
            e->late = 0;
            return 1;
        }
    }
    return 0;
}

/* Learn where an object is: the first event that touches it tells. */
void bind_object(const struct event *e, const struct arrival *a) {
    struct object *o = object_of(e->object);
    if (o && !o->firm && a->address && e->kind != JOIN) {
        o->base = a->address - (uintptr_t)e->offset;
        o->low = a->address;
        o->high = a->address + a->size;
    }
}

/* A bit-field is stored by reading and writing its unit, but gcc announces only the write. The event of the read, if it is still to come. */
struct event *silent_read(const struct thread *me, const struct arrival *a) {
    if (a->kind != ACCESS || a->how != WRITES || a->size > sizeof(uint64_t)) return NULL;
    for (int k = now; k < event_count; k++) {
        struct event *e = &events[k];
        if (e->slot != me->slot || e->done) continue;
        struct arrival as_read = {.kind = ACCESS, .address = a->address, .size = a->size, .how = READS, .line = a->line, .thread = -1};
        return e->line && firm(e) && !(e->flags & PENDING) && e->how == READS && matches(e, &as_read) ? e : NULL;
    }
    return NULL;
}

static int others_between(const struct event *first, const struct event *last) {
    for (const struct event *e = first + 1; e < last; e++)
        if (e->slot != first->slot && !e->done) return 1;
    return 0;
}

/* Bytes that gcc accesses now and the run later, or never: somebody else is to access them in between. */
static int too_wide(const struct event *first, const struct arrival *a, long end) {
    struct object *o = object_of(first->object);
    uintptr_t start = o ? o->base + (uintptr_t)end : 0;
    if (!o || !o->firm || start >= a->address + a->size) return 0;
    for (int k = now; k < event_count; k++) {
        struct event *e = &events[k];
        if (e->slot == first->slot || e->done || e->kind != ACCESS || e->object != first->object || !((e->how | a->how) & WRITES)) continue;
        if (overlap(o->base + (uintptr_t)e->offset, e->size, start, a->address + a->size - start)) return 1;
    }
    return 0;
}

/* A struct is copied at once: what else of the statement lies in the same bytes is done with it. */
void take_along(const struct event *first, const struct arrival *a) {
    long end = first->offset + (long)first->size; /* of what is done */
    if (first->kind != ACCESS) return;
    for (int k = (int)(first - events) + 1; k < event_count; k++) {
        struct event *e = &events[k];
        if (e->slot != first->slot || e->done) continue;
        if (e->kind != ACCESS || e->flags & PENDING || e->line != first->line || e->how & ~a->how) break;
        struct object *o = object_of(e->object);
        if (!o || !o->base || !overlap(o->base + (uintptr_t)e->offset, e->size, a->address, a->size)) break;
        if (a->size <= 8 && e->offset == first->offset && a->how != (READS | WRITES)) break;
        if (others_between(first, e)) torn_line = first->line;
        end = e->offset + (long)e->size > end ? e->offset + (long)e->size : end;
        e->done = 1;
    }
    if (too_wide(first, a, end)) torn_line = first->line;
}
