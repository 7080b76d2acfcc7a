/* What gcc calls for every access to memory when it compiles with -fsanitize=thread. */
#include "runtime.h"
#include <string.h>

static struct event *hook(const volatile void *address, size_t size, int how, const void *pc) {
    struct thread *me = self;
    if (!me) return NULL;
    struct arrival a = {.kind = ACCESS, .address = (uintptr_t)address, .size = size, .how = how, .line = line_of(site_of(pc)), .thread = -1};
    struct event *e = arrive(&a);
    check_access(me, a.address, size, how, a.line);
    return e;
}

#define PLAIN_ACCESS(n)                                                                   \
    void __tsan_read##n(void *p) { hook(p, n, READS, HERE); }                             \
    void __tsan_write##n(void *p) { hook(p, n, WRITES, HERE); }                           \
    void __tsan_unaligned_read##n(void *p) { hook(p, n, READS, HERE); }                   \
    void __tsan_unaligned_write##n(void *p) { hook(p, n, WRITES, HERE); }                 \
    void __tsan_volatile_read##n(void *p) { hook(p, n, READS, HERE); }                    \
    void __tsan_volatile_write##n(void *p) { hook(p, n, WRITES, HERE); }
PLAIN_ACCESS(1)
PLAIN_ACCESS(2)
PLAIN_ACCESS(4)
PLAIN_ACCESS(8)
PLAIN_ACCESS(16)

void __tsan_read_range(void *p, size_t n) {
    hook(p, n, READS, HERE);
}

void __tsan_write_range(void *p, size_t n) {
    hook(p, n, WRITES, HERE);
}

void __tsan_init(void) {
}

void __tsan_vptr_update(void **p, void *value) {
    (void)p, (void)value;
}

void __tsan_func_entry(void *caller) {
    struct thread *me = self;
    if (!me) return;
    switch (function_at(HERE)) {
    case ATOMIC:
    case BEGIN: begin_section(me, caller); break;
    case ERROR: fail_here("error", line_of(caller), "an error function is called"); break;
    default: break;
    }
}

/* gcc announces a function to tsan only if there is something in it; an error function may be empty. */
void __cyg_profile_func_enter(void *function, void *caller) {
    if (self && function_at((char *)function + 1) == ERROR) fail_here("error", line_of(caller), "an error function is called");
}

void __cyg_profile_func_exit(void *function, void *caller) {
    (void)function, (void)caller;
}

void __tsan_func_exit(void) {
    struct thread *me = self;
    if (!me) return;
    enum function_kind kind = function_at(HERE);
    if (kind == ATOMIC || kind == FINISH) end_section(me);
}

void __tsan_atomic_thread_fence(int order) {
    (void)order;
}

void __tsan_atomic_signal_fence(int order) {
    (void)order;
}

#define FETCH(bits, type, name, expression)                                               \
    type __tsan_atomic##bits##_##name(volatile type *p, type v, int order) {              \
        (void)order;                                                                      \
        hook(p, sizeof *p, READS | WRITES, HERE);                                         \
        type old = *p;                                                                    \
        *p = (type)(expression);                                                          \
        return old;                                                                       \
    }

#define ATOMICS(bits, type)                                                               \
    type __tsan_atomic##bits##_load(const volatile type *p, int order) {                  \
        (void)order;                                                                      \
        hook(p, sizeof *p, READS, HERE);                                                  \
        return *p;                                                                        \
    }                                                                                     \
    void __tsan_atomic##bits##_store(volatile type *p, type v, int order) {               \
        (void)order;                                                                      \
        hook(p, sizeof *p, WRITES, HERE);                                                 \
        *p = v;                                                                           \
    }                                                                                     \
    FETCH(bits, type, exchange, v)                                                        \
    FETCH(bits, type, fetch_add, old + v)                                                 \
    FETCH(bits, type, fetch_sub, old - v)                                                 \
    FETCH(bits, type, fetch_and, old &v)                                                  \
    FETCH(bits, type, fetch_or, old | v)                                                  \
    FETCH(bits, type, fetch_xor, old ^ v)                                                 \
    FETCH(bits, type, fetch_nand, ~(old & v))                                             \
    /* A weak exchange may fail without reason: then the run only reads. */               \
    static int swap##bits(volatile type *p, type *wanted, type v, int weak, const void *pc) { \
        hook(wanted, sizeof *wanted, READS, pc);                                          \
        const struct event *e = hook(p, sizeof *p, READS | WRITES, pc);                   \
        if (*p == *wanted && !(weak && e && e->how == READS)) {                                                              \
            *p = v;                                                                       \
            return 1;                                                                     \
        }                                                                                 \
        type found = *p;                                                                  \
        hook(wanted, sizeof *wanted, WRITES, pc);                                         \
        *wanted = found;                                                                  \
        return 0;                                                                         \
    }                                                                                     \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile type *p, type *c, type v, int a, int b) { \
        (void)a, (void)b;                                                                 \
        return swap##bits(p, c, v, 0, HERE);                                                 \
    }                                                                                     \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile type *p, type *c, type v, int a, int b) {   \
        (void)a, (void)b;                                                                 \
        return swap##bits(p, c, v, 1, HERE);                                                 \
    }                                                                                     \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type c, type v, int a, int b) {    \
        (void)a, (void)b;                                                                 \
        swap##bits(p, &c, v, 0, HERE);                                                       \
        return c;                                                                         \
    }
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
