/* What generated steps are made of: fields of packed states, choices, accesses, arithmetic. The meaning of each operator is that of
   program/meaning.py; expressions are total. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/select.h>
#include <unistd.h>
#ifdef __linux__
#include <signal.h>
#include <sys/prctl.h>
#endif

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef unsigned __int128 u128;

/* Some bits of a word of the state. A mask of 0 stands for no field. */
typedef struct {
    u32 word, shift;
    u64 mask;
} Field;

static inline u64 get(const u64 *s, const Field *f) { return s[f->word] >> f->shift & f->mask; }

static inline void put(u64 *s, const Field *f, u64 x) {
    s[f->word] = (s[f->word] & ~(f->mask << f->shift)) | (x & f->mask) << f->shift;
}

#define GET(w, shift, mask) (s[w] >> (shift) & (mask))
#define PUT(w, shift, mask, x) (s[w] = (s[w] & ~((u64)(mask) << (shift))) | ((u64)(x) & (mask)) << (shift))

enum { PICKS = 4096, NEVER = 0, ALIVE = 1, DEAD = 2 };

/* A pending access, for races. */
typedef struct {
    u32 object, offset, size;
    u8 write, sync;
} Access;

/* A finding, or an example of an event: where it was seen. */
typedef struct {
    u64 *state;
    int slot, step;
} Seen;

/* A node of the state tree that was asked for not long ago. */
typedef struct {
    u64 value;
    u32 number;
} Recent;

enum { RECENT = 4096, PENDING = 32 };

/* One worker. `before` is the state that is being expanded. */
typedef struct Worker {
    const u64 *before;
    u32 picks, position, pick[PICKS], domain[PICKS];
    int forbidden, asked, overflow; /* choices are forbidden; one was asked for all the same; there were too many */
    int strayed;                    /* what was not expected to change did */
    int bared, merged;              /* an address of the heap was used as a number; a freed object stood for others */
    Access *log;
    u32 logged, room;
    int known_held; /* `held` is that of `before` */
    u8 *held;
    struct Search *search;
    u64 transitions, skipped;
    Seen *found, *examples;
    u8 *sampled, *passed;
    u32 *ids, *after;
    u8 *changed;
    Recent *recent;
    u64 *next, *trial, *work;
    u64 pending[PENDING]; /* successors whose places in the table are on their way from memory */
    u32 waiting;
    int full; /* a table had no room: the state has to be expanded again */
    u32 spare; /* a number of the node table that is ours and not used yet */
    u64 *block;
    u32 block_at, block_size;
    u64 *out;
    u32 out_size;
    u64 target;
    int matched;
    int number;
} Worker;

/* ---------------------------------------------------------------- choices */

/* One of n answers; all of them are tried, one run of the step after the other. */
static u32 choose(Worker *c, u32 n) {
    u32 at = c->position++;
    if (c->forbidden) {
        c->asked = 1;
        return 0;
    }
    if (at >= PICKS) {
        c->overflow = 1;
        return 0;
    }
    if (at == c->picks) {
        c->pick[at] = 0;
        c->domain[at] = n;
        c->picks++;
    }
    return c->pick[at];
}

static int advance(Worker *c) {
    c->position = 0;
    while (c->picks) {
        if (++c->pick[c->picks - 1] < c->domain[c->picks - 1]) return 1;
        c->picks--;
    }
    return 0;
}

/* The answers to a question: `values`, or 0 .. count - 1 if there are none. A sample leaves answers out. */
typedef struct {
    const u64 *values;
    u32 count, sample;
} Domain;

static u64 answer(Worker *c, const Domain *domain, u32 question) {
    u32 k = choose(c, domain->count);
    if (c->asked) return 0;
    if (domain->sample) c->sampled[question] = 1;
    return domain->values ? domain->values[k] : k;
}

/* The number of a set bit of the mask; 0 if there is none. */
static u64 among(Worker *c, u64 mask) {
    u32 n = (u32)__builtin_popcountll(mask), k;
    if (n == 0) return 0;
    k = n > 1 ? choose(c, n) : 0;
    while (k--) mask &= mask - 1;
    return (u64)__builtin_ctzll(mask);
}

static void note_access(Worker *c, u64 object, u64 offset, u64 size, int write, int sync) {
    if (c->logged == c->room) {
        c->room = c->room ? 2 * c->room : 256;
        c->log = realloc(c->log, c->room * sizeof(Access));
        if (!c->log) exit(3);
    }
    c->log[c->logged++] = (Access){(u32)object, (u32)offset, (u32)size, (u8)write, (u8)sync};
}

/* ---------------------------------------------------------------- arithmetic */

static inline int64_t signed64(u64 x, u32 width) { return (int64_t)(x << (64 - width)) >> (64 - width); }
static inline __int128 signed128(u128 x, u32 width) { return (__int128)(x << (128 - width)) >> (128 - width); }

#define SIGNED_DIVISION(name, U, S, widen)                                                                                                 \
    static U name##_div(U a, U b, u32 width, U mask) {                                                                                     \
        S x = widen(a, width), y = widen(b, width);                                                                                        \
        if (y == 0) return x < 0 ? 1 : mask;                                                                                               \
        if (y == -1) return (0 - a) & mask;                                                                                                \
        return (U)(x / y) & mask;                                                                                                          \
    }                                                                                                                                      \
    static U name##_rem(U a, U b, u32 width, U mask) {                                                                                     \
        S x = widen(a, width), y = widen(b, width);                                                                                        \
        if (y == 0) return a;                                                                                                              \
        if (y == -1) return 0;                                                                                                             \
        return (U)(x % y) & mask;                                                                                                          \
    }
SIGNED_DIVISION(narrow, u64, int64_t, signed64)
SIGNED_DIVISION(wide, u128, __int128, signed128)

/* Move within the object: the offset field is signed; a move that does not fit it gives the offset that no object has. */
static inline u64 pointer_add(u64 p, u64 delta, u32 width, u32 bits) {
    int64_t half = (int64_t)1 << (bits - 1);
    u64 mask = ((u64)1 << bits) - 1;
    int64_t offset;
    if (__builtin_add_overflow(signed64(p & mask, bits), signed64(delta, width), &offset) || offset < -half || offset >= half) offset = half;
    return (p & ~mask) | ((u64)offset & mask);
}

static inline double float_of(u64 x, u32 width) {
    if (width == 32) {
        u32 low = (u32)x;
        float f;
        memcpy(&f, &low, 4);
        return f;
    }
    double d;
    memcpy(&d, &x, 8);
    return d;
}

static inline u64 bits_of(double d, u32 width) {
    if (d != d) return width == 32 ? 0x7FC00000u : 0x7FF8000000000000u;
    if (width == 32) {
        float f = (float)d;
        u32 x;
        memcpy(&x, &f, 4);
        return x;
    }
    u64 x;
    memcpy(&x, &d, 8);
    return x;
}

static inline u64 bits_of_single(float f) {
    u32 x;
    memcpy(&x, &f, 4);
    return x;
}

static u64 float_to_int(double d, u32 width, int is_signed) {
    u64 mask = width == 64 ? ~(u64)0 : ((u64)1 << width) - 1, lowest = (u64)1 << (width - 1);
    if (d != d || isinf(d)) return lowest;
    d = trunc(d);
    if (is_signed) {
        double half = ldexp(1.0, (int)width - 1);
        return d < -half || d >= half ? lowest : (u64)(int64_t)d & mask;
    }
    double rest = fmod(fabs(d), 18446744073709551616.0);
    u64 whole = (u64)rest;
    return (d < 0 ? 0 - whole : whole) & mask;
}
