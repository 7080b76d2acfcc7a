/* The heap: blocks as the schedule names them, so that memory that was freed comes back where the run says so; nothing is ever given back to
   the system, and every access is compared with the blocks. */
#include "runtime.h"
#include <stdlib.h>
#include <string.h>
#include <errno.h>

unsigned long long next_input(const char *name, const void *pc, int *found);

enum { ZONE = 64 }; /* bytes before and behind a block that belong to nobody */

static struct block *blocks;

struct block *block_at(uintptr_t address) {
    for (struct block *b = blocks; b; b = b->next)
        if (b->base - ZONE <= address && address < b->base + b->size + ZONE) return b;
    return NULL;
}

static struct block *new_block(size_t size, size_t room) {
    struct block *b = calloc(1, sizeof *b);
    char *memory = room < SIZE_MAX - 3 * ZONE ? calloc(1, room + 3 * ZONE) : NULL;
    if (!b || !memory) abort();
    b->base = ((uintptr_t)memory + 2 * ZONE - 1) & ~(uintptr_t)(ZONE - 1);
    b->size = size;
    b->room = room;
    b->object = -1;
    b->next = blocks;
    return blocks = b;
}

/* The largest size that the schedule allocates for an object. */
static size_t room_of(int object, size_t size) {
    for (int k = 0; k < allocation_count; k++)
        if (allocations[k].object == object && allocations[k].size > size) size = allocations[k].size;
    return size;
}

static struct allocation *next_allocation(int slot, int line) {
    for (int k = 0; k < allocation_count; k++) {
        struct allocation *x = &allocations[k];
        if (x->slot != slot || x->done) continue;
        return !x->line || x->line == line ? x : NULL;
    }
    return NULL;
}

/* `old`: the block whose memory may be kept although it is not freed (realloc). */
static void *allocate(size_t size, const struct block *old, const void *pc) {
    struct thread *me = self;
    int found, line = line_of(site_of(pc));
    if (next_input("library:__VERIFIER_nondet_bool()", pc, &found)) {
        errno = ENOMEM;
        return NULL;
    }
    if (!strcmp(ending.kind, "leak")) arrive_at(ALLOC, 0, NULL, site_of(pc));
    pthread_mutex_lock(&big);
    struct allocation *x = next_allocation(me->slot, line);
    struct object *o = x ? object_of(x->object) : NULL;
    struct block *b = o && o->base ? block_at(o->base) : NULL;
    if (b && ((!b->freed && b != old) || b->room < size)) b = NULL; /* live memory is nobody else's, whatever the schedule says */
    if (!b) b = new_block(size, x ? room_of(x->object, size) : size);
    b->freed = 0;
    b->size = size;
    if (x) x->done = 1, b->object = x->object;
    if (o) o->base = b->base, o->size = size, o->firm = 1;
    pthread_mutex_unlock(&big);
    return (void *)b->base;
}

void *replay_malloc(size_t size) {
    return allocate(size, NULL, HERE);
}

void *replay_calloc(size_t count, size_t size) {
    void *p = allocate(count * size, NULL, HERE);
    return p ? memset(p, 0, count * size) : p;
}

void *replay_aligned_alloc(size_t alignment, size_t size) {
    (void)alignment;
    return allocate(size, NULL, HERE);
}

int replay_posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) || !alignment || alignment & (alignment - 1)) return EINVAL;
    void *p = allocate(size, NULL, HERE);
    if (!p) return ENOMEM;
    *result = p;
    return 0;
}

static void give_back(void *p, const void *pc) {
    struct block *b = block_at((uintptr_t)p);
    int line = line_of(site_of(pc));
    if (!p) return;
    if (!b || b->base != (uintptr_t)p) {
        fail_here("free", line, "free of %p, which is not the start of allocated memory", p);
        return;
    }
    struct arrival a = {.kind = FREE, .also = ALSO(ACCESS), .address = b->base, .size = b->size, .how = WRITES, .line = line, .thread = -1};
    arrive(&a);
    if (b->freed) fail_here("free", line, "double free of %p", p);
    b->freed = 1;
}

void replay_free(void *p) {
    give_back(p, HERE);
}

void *replay_realloc(void *old, size_t size) {
    struct block *b = old ? block_at((uintptr_t)old) : NULL;
    size_t before = b ? b->size : 0;
    void *p = size || !old ? allocate(size, b, HERE) : NULL;
    if (p && p == old) return p;
    if (p && b) memcpy(p, old, before < size ? before : size);
    if (old && (p || !size)) give_back(old, HERE);
    return p;
}

/* ---------------------------------------------------------------- what goes wrong */

int predicted(const char *property) {
    return !strcmp(ending.property, property);
}

void check_access(struct thread *me, uintptr_t address, size_t size, int how, int line) {
    if (!predicted("valid-deref") || !(me->released || now >= event_count)) return;
    const char *verb = how & WRITES ? "write to" : "read of";
    struct block *b = block_at(address);
    if (b && b->freed) fail_here("access", line, "%s freed memory at %#lx", verb, (unsigned long)address);
    if (b && (address < b->base || address + size > b->base + b->size))
        fail_here("access", line, "%s %zu bytes at %#lx, outside the %zu bytes at %#lx", verb, size, (unsigned long)address, b->size,
                  (unsigned long)b->base);
    struct object *o = object_of(ending.object);
    if (!b && o && o->base && line == ending.line && address == o->base + (uintptr_t)ending.offset)
        fail_here("access", line, "%s %zu bytes at %#lx, %ld bytes from the start of an object of %zu bytes", verb, size, (unsigned long)address,
                  ending.offset, o->size);
}

static void mark(uintptr_t low, uintptr_t high) {
    for (uintptr_t at = (low + sizeof at - 1) & ~(uintptr_t)(sizeof at - 1); at + sizeof at <= high; at += sizeof at) {
        uintptr_t value = *(uintptr_t *)at;
        for (struct block *b = blocks; b; b = b->next)
            if (!b->marked && !b->freed && b->base <= value && value < b->base + (b->size ? b->size : 1)) {
                b->marked = 1;
                mark(b->base, b->base + b->size);
            }
    }
}

/* At the end: live blocks to which nothing leads from the program's static memory. */
void look_for_leaks(struct thread *me) {
    uintptr_t low, high;
    for (int k = 0; static_range(k, &low, &high); k++) mark(low, high);
    for (struct block *b = blocks; b; b = b->next)
        if (!b->freed && !b->marked) outcome("leak", me, 0, "%zu bytes at %#lx are neither freed nor reachable", b->size, (unsigned long)b->base);
    outcome("noleak", me, 0, "all memory is freed or reachable at the end");
}
