/* What the runtime knows about locks and their kin, by address; memory for the runtime itself. */
#define _GNU_SOURCE
#include "runtime.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUCKETS = 4096, CHUNK = 1 << 20 };
static struct object *buckets[BUCKETS];

/* Zeroed memory that is never given back. */
void *grab(size_t size) {
    static char *chunk;
    static size_t left;
    size = (size + 15) & ~(size_t)15;
    if (size > left) {
        size_t want = size > CHUNK ? size : CHUNK;
        void *fresh = mmap(NULL, want, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (fresh == MAP_FAILED) _exit(71);
        if (size > CHUNK) return fresh;
        chunk = fresh;
        left = want;
    }
    left -= size;
    return chunk + left;
}

/* An object in a heap block that was freed and allocated again is a new one. */
struct object *object_at(const volatile void *address) {
    uintptr_t key = (uintptr_t)address;
    struct object **bucket = &buckets[(key >> 3 ^ key >> 15) % BUCKETS], *o = *bucket;
    unsigned serial = block_serial(key);
    while (o && o->address != key) o = o->next;
    if (o && o->serial == serial) return o;
    if (!o) {
        o = grab(sizeof *o);
        o->next = *bucket;
        *bucket = o;
    } else {
        struct object *next = o->next;
        __builtin_memset(o, 0, sizeof *o);
        o->next = next;
    }
    o->address = key;
    o->serial = serial;
    return o;
}

void misuse(int wrong, uintptr_t pc, const char *message) {
    if (wrong) report(MISUSE, "no-lock-misuse", 0, pc, "%s", message);
}
