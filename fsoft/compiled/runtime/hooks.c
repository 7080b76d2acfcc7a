/* What gcc calls when it compiles with -fsanitize=thread: accesses, atomics, functions. */
#define _GNU_SOURCE
#include "runtime.h"
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_MODULES = 64, MOST_FUNCTIONS = 256, TURNS_AWAY = 4, MOST_PATIENCE = 1 << 16, MOST_SLICE = 1 << 20 };
enum special { PLAIN, SECTIONED, FAILING, BEGINS, FINISHES, ASSUMES };

static struct { uintptr_t low, high; } modules[MOST_MODULES]; /* whose code was compiled with the hooks */
static int module_count;
static struct { uintptr_t low, high; enum special what; } functions[MOST_FUNCTIONS];
static int function_count, failing_count;
static struct vector *section_clock;

/* ---------------------------------------------------------------- accesses */

/* A thread that only reads for long may wait for another one to write. */
static int spins(struct thread *me, int how) {
    if (how & WRITES) {
        me->idle = 0;
        return 0;
    }
    if (LIKELY(++me->idle < me->patience)) return 0;
    me->idle = 0;
    if (me->patience < MOST_PATIENCE) me->patience *= 2;
    if (given && given_at < given_count) return 0;
    me->yielded = TURNS_AWAY;
    return 1;
}

static void __attribute__((noinline)) visit_slowly(struct thread *me, const struct op *op, int must) {
    int ask = must || me->ops >= me->stop;
    if (me->ops >= me->stop && !(given && given_at < given_count)) {
        me->yielded = TURNS_AWAY;
        if (me->slice < MOST_SLICE) me->slice *= 2;
    }
    if (!given) ask |= --quiet <= 0 || op->pc == options.first || op->pc == options.second;
    if (ask && !me->section) {
        point(me, op, NULL, NULL);
        return;
    }
    if (standing_count) check_standing(me, op->address, op->size, op->how, op->pc);
    if (options.log) log_step(me, op);
}

static inline __attribute__((always_inline)) void access_at(uintptr_t address, size_t size, int how, uintptr_t pc) {
    struct thread *me = self;
    if (UNLIKELY(!me || me->inside)) return;
    int must;
    me->ops++;
    operations++;
    me->last_pc = pc;
    if (UNLIKELY(me->section)) how |= ATOMIC;
    if (UNLIKELY(address - heap_low < heap_high - heap_low)) check_heap(me, address, size, how, pc);
    must = spins(me, how);
    if (UNLIKELY(memory->shared[place_of(pc)] || must || how & ATOMIC || given || me->ops >= me->stop || operations >= options.most_operations)) {
        struct op op = {ACCESS, how, address, pc, size};
        visit_slowly(me, &op, must);
        if (UNLIKELY(address - heap_low < heap_high - heap_low)) check_heap(me, address, size, how, pc); /* it may have been freed meanwhile */
    }
    if (UNLIKELY(touch(me, address, size, how, pc) && !memory->shared[place_of(pc)])) memory->shared[place_of(pc)] = 1;
}

void visit(uintptr_t address, size_t size, int how, uintptr_t pc) {
    if (size) access_at(address, size, how, pc);
}

#define PLAIN_ACCESS(n)                                                                                                \
    PUBLIC void __tsan_read##n(void *p) { access_at((uintptr_t)p, n, READS, HERE); }                                   \
    PUBLIC void __tsan_write##n(void *p) { access_at((uintptr_t)p, n, WRITES, HERE); }                                 \
    PUBLIC void __tsan_unaligned_read##n(void *p) { access_at((uintptr_t)p, n, READS, HERE); }                         \
    PUBLIC void __tsan_unaligned_write##n(void *p) { access_at((uintptr_t)p, n, WRITES, HERE); }                       \
    PUBLIC void __tsan_volatile_read##n(void *p) { access_at((uintptr_t)p, n, READS, HERE); }                          \
    PUBLIC void __tsan_volatile_write##n(void *p) { access_at((uintptr_t)p, n, WRITES, HERE); }
PLAIN_ACCESS(1)
PLAIN_ACCESS(2)
PLAIN_ACCESS(4)
PLAIN_ACCESS(8)
PLAIN_ACCESS(16)

PUBLIC void __tsan_read_range(void *p, size_t n) {
    visit((uintptr_t)p, n, READS, HERE);
}

PUBLIC void __tsan_write_range(void *p, size_t n) {
    visit((uintptr_t)p, n, WRITES, HERE);
}

PUBLIC void __tsan_vptr_update(void **p, void *value) {
    if (*p != value) visit((uintptr_t)p, sizeof *p, WRITES, HERE);
}

PUBLIC void __tsan_vptr_read(void **p) {
    visit((uintptr_t)p, sizeof *p, READS, HERE);
}

/* ---------------------------------------------------------------- atomics, with the orders of C11 */

enum { RELAXED, CONSUME, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST };

static void join(clock_value *into, const clock_value *from) {
    for (int k = 0; k < thread_count; k++)
        if (from[k] > into[k]) into[k] = from[k];
}

static void loaded(struct thread *me, const volatile void *p, int order) {
    struct object *o = object_at(p);
    if (!o->clock) return;
    join(order == RELAXED || order == RELEASE ? me->acquired : me->clock, o->clock->at);
}

/* `update`: a read-modify-write goes on with the release sequence that it read from; a store begins anew. */
static void stored(struct thread *me, const volatile void *p, int order, int update) {
    struct object *o = object_at(p);
    if (!o->clock) o->clock = grab(sizeof *o->clock);
    if (!update) __builtin_memset(o->clock, 0, sizeof *o->clock);
    join(o->clock->at, order >= RELEASE ? me->clock : me->released);
    if (order >= RELEASE) me->clock[me->id]++;
}

static struct thread *before_atomic(const volatile void *p, size_t size, int how, uintptr_t pc) {
    struct thread *me = self;
    if (!me || me->inside) return NULL;
    access_at((uintptr_t)p, size, how | ATOMIC, pc);
    return me;
}

#define UPDATE(bits, type, name, expression)                                                                           \
    PUBLIC type __tsan_atomic##bits##_##name(volatile type *p, type v, int order) {                                    \
        struct thread *me = before_atomic(p, sizeof *p, READS | WRITES, HERE);                                         \
        type old = *p;                                                                                                 \
        if (me) loaded(me, p, order), stored(me, p, order, 1);                                                         \
        *p = (type)(expression);                                                                                       \
        return old;                                                                                                    \
    }

#define ATOMICS(bits, type)                                                                                            \
    PUBLIC type __tsan_atomic##bits##_load(const volatile type *p, int order) {                                        \
        struct thread *me = before_atomic(p, sizeof *p, READS, HERE);                                                  \
        if (me) loaded(me, p, order);                                                                                  \
        return *p;                                                                                                     \
    }                                                                                                                  \
    PUBLIC void __tsan_atomic##bits##_store(volatile type *p, type v, int order) {                                     \
        struct thread *me = before_atomic(p, sizeof *p, WRITES, HERE);                                                 \
        if (me) stored(me, p, order, 0);                                                                               \
        *p = v;                                                                                                        \
    }                                                                                                                  \
    UPDATE(bits, type, exchange, v)                                                                                    \
    UPDATE(bits, type, fetch_add, old + v)                                                                             \
    UPDATE(bits, type, fetch_sub, old - v)                                                                             \
    UPDATE(bits, type, fetch_and, old &v)                                                                              \
    UPDATE(bits, type, fetch_or, old | v)                                                                              \
    UPDATE(bits, type, fetch_xor, old ^ v)                                                                             \
    UPDATE(bits, type, fetch_nand, ~(old & v))                                                                         \
    static int swap##bits(volatile type *p, type *wanted, type v, int order, int failed, int weak, uintptr_t pc) {     \
        struct thread *me = before_atomic(p, sizeof *p, READS | (*p == *wanted || strategy == &exhaustive ? WRITES : 0), pc);                     \
        int equal = *p == *wanted && !(weak && me && toss(8) == 1); \
        if (me) loaded(me, p, equal ? order : failed);                                                                 \
        if (!equal) {                                                                                                  \
            *wanted = *p;                                                                                              \
            return 0;                                                                                                  \
        }                                                                                                              \
        if (me) stored(me, p, order, 1);                                                                               \
        *p = v;                                                                                                        \
        return 1;                                                                                                      \
    }                                                                                                                  \
    PUBLIC int __tsan_atomic##bits##_compare_exchange_strong(volatile type *p, type *c, type v, int a, int b) {        \
        return swap##bits(p, c, v, a, b, 0, HERE);                                                                     \
    }                                                                                                                  \
    PUBLIC int __tsan_atomic##bits##_compare_exchange_weak(volatile type *p, type *c, type v, int a, int b) {          \
        return swap##bits(p, c, v, a, b, 1, HERE);                                                                     \
    }                                                                                                                  \
    PUBLIC type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type c, type v, int a, int b) {           \
        swap##bits(p, &c, v, a, b, 0, HERE);                                                                           \
        return c;                                                                                                      \
    }
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
#ifdef __SIZEOF_INT128__
ATOMICS(128, unsigned __int128)
#endif

/* The same for objects of any size. */
PUBLIC void __atomic_load(size_t size, const volatile void *p, void *value, int order) {
    struct thread *me = before_atomic(p, size, READS, HERE);
    if (me) loaded(me, p, order);
    __builtin_memcpy(value, (const void *)p, size);
}

PUBLIC void __atomic_store(size_t size, volatile void *p, void *value, int order) {
    struct thread *me = before_atomic(p, size, WRITES, HERE);
    if (me) stored(me, p, order, 0);
    __builtin_memcpy((void *)p, value, size);
}

PUBLIC void __atomic_exchange(size_t size, volatile void *p, void *value, void *old, int order) {
    struct thread *me = before_atomic(p, size, READS | WRITES, HERE);
    if (me) loaded(me, p, order), stored(me, p, order, 1);
    __builtin_memcpy(old, (const void *)p, size);
    __builtin_memcpy((void *)p, value, size);
}

PUBLIC _Bool __atomic_compare_exchange(size_t size, volatile void *p, void *wanted, void *value, int order, int failed) {
    struct thread *me = before_atomic(p, size, READS | WRITES, HERE);
    int equal = !__builtin_memcmp((const void *)p, wanted, size);
    if (me) loaded(me, p, equal ? order : failed);
    if (!equal) {
        __builtin_memcpy(wanted, (const void *)p, size);
        return 0;
    }
    if (me) stored(me, p, order, 1);
    __builtin_memcpy((void *)p, value, size);
    return 1;
}

PUBLIC _Bool __atomic_is_lock_free(size_t size, const volatile void *p) {
    (void)p;
    return size <= sizeof(void *);
}

PUBLIC void __tsan_atomic_thread_fence(int order) {
    struct thread *me = self;
    point_at(FENCE, NULL, HERE);
    if (!me || me->inside) return;
    if (order != RELEASE && order != RELAXED) join(me->clock, me->acquired);
    if (order >= RELEASE) {
        __builtin_memcpy(me->released, me->clock, sizeof me->clock);
        me->clock[me->id]++;
    }
}

PUBLIC void __tsan_atomic_signal_fence(int order) {
    (void)order;
}

/* ---------------------------------------------------------------- atomic sections (__VERIFIER_atomic_begin and its kin) */

void begin_section(uintptr_t pc) {
    struct thread *me = self;
    if (!me || me->inside) return;
    if (!me->section) {
        point_at(SECTION, NULL, pc);
        acquire(me, section_clock);
    }
    me->section++;
}

void end_section(void) {
    struct thread *me = self;
    if (!me || me->inside || !me->section) return;
    if (!--me->section) release(me, &section_clock);
}

/* ---------------------------------------------------------------- functions */

static enum special special_at(uintptr_t pc) {
    for (int k = 0; k < function_count; k++)
        if (functions[k].low < pc && pc <= functions[k].high) return functions[k].what;
    return PLAIN;
}

PUBLIC void __tsan_func_entry(void *caller) {
    struct thread *me = self;
    if (UNLIKELY(!me)) return;
    if (LIKELY(me->depth < MOST_FRAMES)) me->frames[me->depth] = (uintptr_t)caller;
    me->depth++;
    if (LIKELY(!function_count)) return;
    switch (special_at(HERE)) {
    case SECTIONED:
    case BEGINS: begin_section((uintptr_t)caller); break;
    case FAILING: report(ERROR_CALL, "unreach-call", 1, (uintptr_t)caller, "an error function is called"); break;
    default: break;
    }
}

PUBLIC void __tsan_func_exit(void) {
    struct thread *me = self;
    if (UNLIKELY(!me)) return;
    if (me->depth) me->depth--;
    if (LIKELY(!function_count)) return;
    enum special what = special_at(HERE);
    if (what == SECTIONED || what == FINISHES) end_section();
}

/* gcc announces a function to tsan only if there is something in it; an error function may be empty. */
PUBLIC void __cyg_profile_func_enter(void *function, void *caller) {
    if (failing_count && self && special_at((uintptr_t)function + 1) == FAILING)
        report(ERROR_CALL, "unreach-call", 1, (uintptr_t)caller, "an error function is called");
}

PUBLIC void __cyg_profile_func_exit(void *function, void *caller) {
    (void)function, (void)caller;
}

/* Whether a function that the program itself calls an assumption is running. */
int assuming(void) {
    struct thread *me = self;
    return me && special_at(me->last_pc) == ASSUMES;
}

/* ---------------------------------------------------------------- which code is the user's */

static int add_module(struct dl_phdr_info *info, size_t size, void *about) {
    uintptr_t pc = *(uintptr_t *)about;
    (void)size;
    for (int k = 0; k < info->dlpi_phnum; k++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[k];
        uintptr_t low = info->dlpi_addr + h->p_vaddr;
        if (h->p_type != PT_LOAD || !(h->p_flags & PF_X) || pc < low || pc >= low + h->p_memsz) continue;
        if (module_count < MOST_MODULES) modules[module_count].low = low, modules[module_count++].high = low + h->p_memsz;
        return 1;
    }
    return 0;
}

/* Called by the start-up code of every file that was compiled with the hooks. */
PUBLIC void __tsan_init(void) {
    uintptr_t pc = HERE;
    if (!user_code(pc)) dl_iterate_phdr(add_module, &pc);
}

int user_code(uintptr_t pc) {
    for (int k = 0; k < module_count; k++)
        if (modules[k].low <= pc && pc < modules[k].high) return 1;
    return 0;
}

/* The place in the user's code that is meant where a library calls the runtime. */
uintptr_t site(uintptr_t pc) {
    return !self || user_code(pc) ? pc : self->last_pc;
}

static enum special special_name(const char *name) {
    if (!strcmp(name, "reach_error") || !strcmp(name, "__VERIFIER_error")) return FAILING;
    if (!strcmp(name, "__VERIFIER_atomic_begin")) return BEGINS;
    if (!strcmp(name, "__VERIFIER_atomic_end")) return FINISHES;
    if (!strcmp(name, "assume_abort_if_not") || !strcmp(name, "__VERIFIER_assume")) return ASSUMES;
    return strncmp(name, "__VERIFIER_atomic_", 18) ? PLAIN : SECTIONED;
}

static int first_module(struct dl_phdr_info *info, size_t size, void *base) {
    (void)size;
    *(uintptr_t *)base = info->dlpi_addr;
    return 1;
}

static void read_symbols(const char *image, uintptr_t base) {
    const ElfW(Ehdr) *head = (const void *)image;
    const ElfW(Shdr) *sections = (const void *)(image + head->e_shoff);
    for (int k = 0; k < head->e_shnum; k++) {
        if (sections[k].sh_type != SHT_SYMTAB) continue;
        const ElfW(Sym) *s = (const void *)(image + sections[k].sh_offset), *end = (const void *)((const char *)s + sections[k].sh_size);
        const char *names = image + sections[sections[k].sh_link].sh_offset;
        for (; s < end; s++) {
            enum special what = (s->st_info & 15) == STT_FUNC && s->st_value ? special_name(names + s->st_name) : PLAIN;
            if (!what || function_count == MOST_FUNCTIONS) continue;
            functions[function_count].low = base + s->st_value;
            functions[function_count].high = base + s->st_value + s->st_size;
            functions[function_count++].what = what;
            failing_count += what == FAILING;
        }
    }
}

/* Where the program's own functions are whose names mean something to a verifier. */
void read_functions(void) {
    struct stat about;
    uintptr_t base = 0;
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    if (!fstat(file, &about)) {
        char *image = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        dl_iterate_phdr(first_module, &base);
        if (image != MAP_FAILED) {
            read_symbols(image, base);
            munmap(image, (size_t)about.st_size);
        }
    }
    close(file);
}
