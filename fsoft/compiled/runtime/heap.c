/* The heap, for the program and for the libraries: blocks between red zones, never given back to the system, reused late or at once.

   In half of the runs a freed block waits until many others were freed, so that an access to it is seen; in the others it is what the next
   allocation of its size gets, so that the program meets its own stale pointers. */
#define _GNU_SOURCE
#include "runtime.h"
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GRAIN = 16, ZONE = 32, CLASSES = 128, MOST_FILLED = 1 << 16 };
#define ARENA ((uintptr_t)1 << (sizeof(void *) == 8 ? 31 : 28))
#define MOST_BLOCKS (ARENA / 64)
#define QUARANTINE ((size_t)64 << 20)

struct block {
    uintptr_t base, pc;
    size_t size, room;
    uint32_t next; /* in its list, 0 for the last */
    uint32_t serial;
    uint8_t freed, user, marked, thread;
};

uintptr_t heap_low, heap_high;
static uintptr_t top;
static struct block *blocks;   /* by number, from 1 */
static uint32_t *owners;       /* the block of every grain */
static uint32_t block_count, free_lists[CLASSES], oldest, newest;
static size_t waiting;
static int at_once;
static uint8_t filling;
static atomic_flag busy = ATOMIC_FLAG_INIT;

static void enter(void) {
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) usleep(1);
}

static void leave(void) {
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

static void *reserve(size_t size) {
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) _exit(72);
    return p;
}

static void prepare(void) {
    uintptr_t low = (uintptr_t)reserve(ARENA);
    owners = reserve(ARENA / GRAIN * sizeof *owners);
    blocks = reserve(MOST_BLOCKS * sizeof *blocks);
    top = low;
    heap_high = low + ARENA;
    heap_low = low;
}

void heap_policy(uint64_t seed) {
    at_once = seed & 1;
    filling = seed & 2 ? 0xa5 : 0;
}

static unsigned class_of(size_t room) {
    unsigned bits = 63 - (unsigned)__builtin_clzll((unsigned long long)room | 1);
    return bits < 8 ? (unsigned)(room / GRAIN) : 16 + (bits - 8) * 4 + (unsigned)(room >> (bits - 2) & 3);
}

/* Sizes of a class are the same, so that any of its blocks will do. */
static size_t room_for(size_t size) {
    size_t room = (size + GRAIN - 1) & ~(size_t)(GRAIN - 1);
    unsigned bits;
    if (!room) room = GRAIN;
    if (room < 256) return room;
    bits = 63 - (unsigned)__builtin_clzll((unsigned long long)room);
    size_t step = (size_t)1 << (bits - 2);
    return (room + step - 1) & ~(step - 1);
}

static struct block *block_of(uintptr_t address) {
    if (address - heap_low >= heap_high - heap_low) return NULL;
    uint32_t number = owners[(address - heap_low) / GRAIN];
    return number ? &blocks[number] : NULL;
}

unsigned block_serial(uintptr_t address) {
    const struct block *b = block_of(address);
    return b ? b->serial : 0;
}

static struct block *fresh(size_t room, size_t alignment) {
    uintptr_t base = (top + ZONE + alignment - 1) & ~(uintptr_t)(alignment - 1), end = base + room + ZONE;
    if (end > heap_high || end < base || block_count + 2 > MOST_BLOCKS) return NULL;
    struct block *b = &blocks[++block_count];
    for (uintptr_t at = top; at < end; at += GRAIN) owners[(at - heap_low) / GRAIN] = block_count;
    top = end;
    b->base = base;
    b->room = room;
    return b;
}

static struct block *take(size_t room, size_t alignment) {
    uint32_t *list = &free_lists[class_of(room)];
    for (unsigned skip = at_once ? toss(3) : 0; skip && *list && blocks[*list].next; skip--) list = &blocks[*list].next; /* not always the last */
    if (*list && alignment <= GRAIN && blocks[*list].room >= room) {
        struct block *b = &blocks[*list];
        *list = b->next;
        return b;
    }
    return fresh(room, alignment);
}

static void *allocate(size_t size, size_t alignment, uintptr_t pc) {
    struct thread *me = self;
    if (size > ARENA / 2) return errno = ENOMEM, NULL;
    enter();
    if (!blocks) prepare();
    struct block *b = take(room_for(size), alignment < GRAIN ? GRAIN : alignment);
    leave();
    if (!b) return errno = ENOMEM, NULL;
    b->size = size;
    b->freed = 0;
    b->serial++;
    b->user = (uint8_t)user_code(pc);
    b->thread = me ? (uint8_t)me->id : 0;
    b->pc = me ? site(pc) : pc;
    if (filling && b->user && size <= MOST_FILLED) __builtin_memset((void *)b->base, filling, size);
    if (me) forget(b->base, size);
    return (void *)b->base;
}

/* ---------------------------------------------------------------- giving back */

static void reuse(struct block *b) {
    uint32_t *list = &free_lists[class_of(b->room)];
    b->next = *list;
    *list = (uint32_t)(b - blocks);
}

static void retire(struct block *b) {
    if (at_once || !self) {
        reuse(b);
        return;
    }
    b->next = 0;
    if (newest)
        blocks[newest].next = (uint32_t)(b - blocks);
    else
        oldest = (uint32_t)(b - blocks);
    newest = (uint32_t)(b - blocks);
    waiting += b->room;
    while (waiting > QUARANTINE && oldest != newest) {
        struct block *old = &blocks[oldest];
        oldest = old->next;
        waiting -= old->room;
        reuse(old);
    }
}

static void give_back(void *p, uintptr_t pc) {
    struct block *b;
    struct thread *me = self;
    if (!p) return;
    b = block_of((uintptr_t)p);
    if (me && !me->inside) {
        if (!b || b->base != (uintptr_t)p)
            report(BAD_FREE, "valid-free", 1, pc, "free of %p, which is not the start of allocated memory", p);
        else if (b->freed)
            report(BAD_FREE, "valid-free", 1, pc, "double free of %p", p);
        else if (user_code(pc) || b->user) {
            visit(b->base, b->size < 4096 ? b->size : 4096, WRITES, site(pc));
            if (b->freed) report(BAD_FREE, "valid-free", 1, pc, "double free of %p", p);
        }
    }
    if (!b || b->freed || b->base != (uintptr_t)p) return;
    enter();
    b->freed = 1;
    retire(b);
    leave();
}

void *block_for(size_t size, uintptr_t pc) {
    return allocate(size, GRAIN, pc);
}

PUBLIC void *malloc(size_t size) {
    return allocate(size, GRAIN, HERE);
}

PUBLIC void *calloc(size_t count, size_t size) {
    size_t all;
    if (__builtin_mul_overflow(count, size, &all)) return errno = ENOMEM, NULL;
    void *p = allocate(all, GRAIN, HERE);
    return p ? __builtin_memset(p, 0, all) : p;
}

PUBLIC void free(void *p) {
    give_back(p, HERE);
}

PUBLIC void *realloc(void *old, size_t size) {
    struct block *b = block_of((uintptr_t)old);
    void *p;
    if (old && !size) return give_back(old, HERE), NULL;
    if (!(p = allocate(size, GRAIN, HERE)) || !old) return p;
    if (b && !b->freed) __builtin_memcpy(p, old, b->size < size ? b->size : size);
    give_back(old, HERE);
    return p;
}

PUBLIC void *reallocarray(void *old, size_t count, size_t size) {
    size_t all;
    return __builtin_mul_overflow(count, size, &all) ? (errno = ENOMEM, NULL) : realloc(old, all);
}

PUBLIC void *memalign(size_t alignment, size_t size) {
    return allocate(size, alignment, HERE);
}

PUBLIC void *aligned_alloc(size_t alignment, size_t size) {
    return allocate(size, alignment, HERE);
}

PUBLIC void *valloc(size_t size) {
    return allocate(size, 4096, HERE);
}

PUBLIC int posix_memalign(void **result, size_t alignment, size_t size) {
    if (!alignment || alignment % sizeof(void *) || alignment & (alignment - 1)) return EINVAL;
    void *p = allocate(size, alignment, HERE);
    if (!p) return ENOMEM;
    *result = p;
    return 0;
}

PUBLIC size_t malloc_usable_size(void *p) {
    const struct block *b = block_of((uintptr_t)p);
    return b && !b->freed ? b->size : 0;
}

/* ---------------------------------------------------------------- what goes wrong */

void check_heap(struct thread *me, uintptr_t address, size_t size, int how, uintptr_t pc) {
    const struct block *b = block_of(address);
    const char *verb = how & WRITES ? "write to" : "read of";
    if (b && !b->freed && address >= b->base && address + size <= b->base + b->size) return;
    if (touch(me, address, size, how, pc)) memory->shared[place_of(pc)] = 1; /* who freed it may come later in another run */
    if (b && b->freed && address >= b->base && address < b->base + b->size)
        report(BAD_ACCESS, "valid-deref", 1, pc, "%s freed memory at %#lx", verb, (unsigned long)address);
    if (b) report(BAD_ACCESS, "valid-deref", 1, pc, "%s %zu bytes at %ld from the start of %zu allocated bytes", verb, size, (long)(address - b->base), b->size);
    report(BAD_ACCESS, "valid-deref", 1, pc, "%s memory that was never allocated, at %#lx", verb, (unsigned long)address);
}

/* ---------------------------------------------------------------- leaks */

static struct { uintptr_t low, high; } roots[128];
static int root_count;

static int add_roots(struct dl_phdr_info *info, size_t size, void *about) {
    extern const char runtime_marker;
    uintptr_t mine = (uintptr_t)&runtime_marker, low, high;
    int first = root_count;
    (void)size, (void)about;
    for (int k = 0; k < info->dlpi_phnum && root_count < 128; k++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[k];
        if (h->p_type != PT_LOAD || !(h->p_flags & PF_W)) continue;
        low = info->dlpi_addr + h->p_vaddr, high = low + h->p_memsz;
        if (low <= mine && mine < high) {
            root_count = first;
            return 0;
        }
        roots[root_count].low = low;
        roots[root_count++].high = high;
    }
    return 0;
}

static void find_roots(void) {
    if (!root_count) dl_iterate_phdr(add_roots, NULL);
}

int in_static_memory(uintptr_t address) {
    find_roots();
    for (int k = 0; k < root_count; k++)
        if (roots[k].low <= address && address < roots[k].high) return 1;
    return 0;
}

static void mark(uintptr_t low, uintptr_t high) {
    for (uintptr_t at = (low + sizeof at - 1) & ~(uintptr_t)(sizeof at - 1); at + sizeof at <= high; at += sizeof at) {
        struct block *b = block_of(*(uintptr_t *)at);
        if (!b || b->marked || b->freed) continue;
        b->marked = 1;
        mark(b->base, b->base + b->size);
    }
}

/* At the end: live blocks of the program's own to which nothing leads from static memory. */
void look_for_leaks(void) {
    find_roots();
    for (int k = 0; k < root_count; k++) mark(roots[k].low, roots[k].high);
    for (uint32_t k = 1; k <= block_count; k++)
        if (blocks[k].user && !blocks[k].freed && !blocks[k].marked)
            report(LEAK, "valid-memtrack", 0, blocks[k].pc, "%zu bytes are neither freed nor reachable at the end", blocks[k].size);
}
