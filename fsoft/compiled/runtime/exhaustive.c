/* Every interleaving with these inputs: stateless search with dynamic partial-order reduction.

   Flanagan and Godefroid (POPL 2005) with sleep sets (Godefroid 1996). The stack of decisions lives in memory that all runs share. A run
   follows the stack and then takes the first thread that can go on; its decisions are recorded with what every thread was about to do.
   Afterwards the server looks, for each operation, for the last earlier one of another thread that it depends on and that was not forced to
   come first, and adds a thread to what is still to be tried there. Every operation is a decision here: also what one thread alone
   accesses, as long as no run has shown that others never do. With a bound on preemptions, what depends on a preemption beyond it is left out, and
   the search is not complete. */
#define _GNU_SOURCE
#include "runtime.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DEEPEST = 20000, FEW = 16 };

struct decision {
    uint16_t thread;           /* who goes on */
    uint16_t enabled, tried, todo, asleep; /* sets of the first threads */
    struct op op;              /* what it does */
    struct op others[FEW];     /* what the threads were about to do */
};

static struct search {
    int depth, length, too_deep, too_many, left_out, blocked;
    struct decision stack[DEEPEST];
} *search;
static int at; /* the decision that comes next in this run */

static int dependent(const struct op *a, const struct op *b) {
    if ((a->kind == START && b->kind == EXIT) || (a->kind == EXIT && b->kind == START)) return 1;
    if (a->kind == START || b->kind == START || a->kind == YIELD || b->kind == YIELD) return 0;
    if (a->kind == ACCESS && b->kind == ACCESS)
        return a->address < b->address + b->size && b->address < a->address + a->size && (a->how | b->how) & WRITES;
    if (a->kind == FREE || b->kind == FREE || a->kind == SECTION || b->kind == SECTION || a->kind == EXIT || b->kind == EXIT) return 1;
    if (a->kind == OUTSIDE || b->kind == OUTSIDE) return a->kind == b->kind;
    if (a->kind == CANCEL || b->kind == CANCEL) return 1;
    if (a->kind == ACCESS || b->kind == ACCESS || a->kind == CREATE || b->kind == CREATE || a->kind == FENCE || b->kind == FENCE) return 0;
    return a->address == b->address || a->kind == WAIT || b->kind == WAIT || a->kind == WAKE || b->kind == WAKE;
}

static int enables(enum kind first, enum kind then) {
    switch (then) {
    case LOCK: return first == UNLOCK || first == WAIT;
    case RDLOCK:
    case WRLOCK: return first == RWUNLOCK;
    case SEMWAIT: return first == POST;
    case WAKE: return first == SIGNAL || first == BROADCAST || first == UNLOCK || first == WAIT;
    case JOIN: return 1;
    default: return 0;
    }
}

/* Whether there can be a state in which either may come first: not if one only makes the other possible. */
static int reversible(const struct op *a, const struct op *b) {
    return !enables(a->kind, b->kind) && !enables(b->kind, a->kind);
}

static int lowest_of(unsigned set) {
    return __builtin_ctz(set);
}

static int preempts(const struct decision *d, int thread, int before) {
    return before >= 0 && before != thread && d->enabled >> before & 1;
}

static struct thread *choose(struct thread *me, struct thread **can, int count) {
    struct decision *d;
    unsigned set = 0, asleep = 0;
    (void)me;
    if (at >= DEEPEST || thread_count > FEW) {
        search->too_deep |= at >= DEEPEST;
        search->too_many |= thread_count > FEW;
        end_run(CUT, 0);
    }
    d = &search->stack[at];
    for (int k = 0; k < count; k++) set |= 1u << can[k]->id;
    if (at >= search->depth) {
        memset(d, 0, sizeof *d);
        d->enabled = (uint16_t)set;
        if (at) { /* who is asleep before stays so until something dependent is done */
            const struct decision *last = d - 1;
            for (int k = 0; k < FEW; k++)
                if ((last->asleep | last->tried) >> k & 1 && k != last->thread && !dependent(&last->others[k], &last->op)) asleep |= 1u << k;
        }
        d->asleep = (uint16_t)asleep;
        if (!(set & ~asleep)) {
            search->blocked++;
            search->length = at;
            end_run(PRUNED, 0);
        }
        unsigned awake = set & ~asleep;
        d->thread = (uint16_t)(awake >> me->id & 1 ? me->id : lowest_of(awake));
        search->depth = at + 1;
    }
    for (int k = 0; k < thread_count; k++) d->others[k] = threads[k]->at;
    d->op = threads[d->thread]->at;
    at++;
    search->length = at;
    return threads[d->thread];
}

const struct strategy exhaustive = {"exhaustive", NULL, choose, NULL, NULL};

void exhaustive_prepare(void) {
    if (strcmp(options.strategy, "exhaustive")) return;
    search = mmap(NULL, sizeof *search, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (search == MAP_FAILED) _exit(74);
    memset(memory->shared, 1, sizeof memory->shared); /* every access is a decision */
}

static int preemptions_before(int k) {
    int count = 0;
    for (int i = 1; i < k; i++) count += preempts(&search->stack[i], search->stack[i].thread, search->stack[i - 1].thread);
    return count;
}

static void add_todo(int k, int thread) {
    struct decision *d = &search->stack[k];
    unsigned wanted = d->enabled >> thread & 1 ? 1u << thread : d->enabled;
    d->todo |= (uint16_t)(wanted & ~(d->tried | d->asleep | 1u << d->thread));
}

/* Happens-before among the decisions of the run, as clocks of decisions by thread: `latest[k][t]` is the last decision of t before k. */
static int (*latest)[FEW];

/* A thread that can go on for the first time was made by the decision before. */
static void begin_threads(int k, unsigned *seen, int of_thread[FEW][FEW]) {
    unsigned fresh = search->stack[k].enabled & ~*seen;
    *seen |= fresh;
    for (int t = 0; k && t < FEW; t++)
        if (fresh >> t & 1) memcpy(of_thread[t], latest[k - 1], sizeof of_thread[t]);
}

static void clocks_of_run(int length) {
    static int of_thread[FEW][FEW];
    if (!latest) latest = mmap(NULL, sizeof(int[DEEPEST][FEW]), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    unsigned seen = 1;
    for (int t = 0; t < FEW; t++)
        for (int u = 0; u < FEW; u++) of_thread[t][u] = -1;
    for (int k = 0; k < length; k++) {
        const struct decision *d = &search->stack[k];
        int t = d->thread;
        begin_threads(k, &seen, of_thread);
        if (d->op.kind == JOIN)
            for (int u = 0; u < FEW; u++)
                if (of_thread[d->op.address % FEW][u] > of_thread[t][u]) of_thread[t][u] = of_thread[d->op.address % FEW][u];
        memcpy(latest[k], of_thread[t], sizeof latest[k]);
        for (int j = k - 1; j >= 0; j--) {
            const struct decision *e = &search->stack[j];
            if (e->thread == t || latest[k][e->thread] >= j || !dependent(&e->op, &d->op)) continue;
            for (int u = 0; u < FEW; u++)
                if (latest[j][u] > latest[k][u]) latest[k][u] = latest[j][u];
            if (j > latest[k][e->thread]) latest[k][e->thread] = j;
        }
        latest[k][t] = k;
        memcpy(of_thread[t], latest[k], sizeof latest[k]);
    }
}

/* For what thread t was about to do at decision k: the last earlier decision of another thread that it depends on and that does not come
   before t's last own decision. */
static void look_back(int k, int t, const struct op *next, const int *mine) {
    for (int j = k - 1; j >= 0; j--) {
        const struct decision *e = &search->stack[j];
        if (e->thread == t || !dependent(&e->op, next) || !reversible(&e->op, next)) continue;
        if (mine[e->thread] >= j) return;
        add_todo(j, t);
        return;
    }
}

static void find_backtracks(int length) {
    int own[FEW][FEW];
    unsigned seen = 1;
    for (int t = 0; t < FEW; t++)
        for (int u = 0; u < FEW; u++) own[t][u] = -1;
    clocks_of_run(length);
    for (int k = 0; k <= length; k++) {
        const struct decision *d = &search->stack[k < length ? k : length - 1];
        if (k < length) begin_threads(k, &seen, own);
        for (int t = 0; t < FEW; t++)
            if ((seen >> t & 1) && !(k == length && d->thread == t)) look_back(k, t, &d->others[t], own[t]);
        if (k < length) memcpy(own[d->thread], latest[k], sizeof own[d->thread]);
    }
}

/* After a run: the next one, by the deepest decision that has something left to try. 0: there is none. */
int exhaustive_next(void) {
    int length = search->length;
    search->left_out |= record->ending == UNFINISHED || record->ending == CUT;
    if (length > 0) find_backtracks(length);
    for (int k = length - 1; k >= 0; k--) {
        struct decision *d = &search->stack[k];
        d->tried |= (uint16_t)(1u << d->thread);
        d->todo &= (uint16_t)~(d->tried | d->asleep);
        while (d->todo && options.bound >= 0) {
            int t = lowest_of(d->todo);
            if (preemptions_before(k) + (k && preempts(d, t, search->stack[k - 1].thread)) <= options.bound) break;
            d->todo &= (uint16_t)~(1u << t);
            search->left_out = 1;
        }
        if (!d->todo) continue;
        d->thread = (uint16_t)lowest_of(d->todo);
        d->todo &= (uint16_t)~(1u << d->thread);
        d->op = d->others[d->thread];
        search->depth = k + 1;
        at = 0;
        return 1;
    }
    return 0;
}

/* Something happened that is not among the decisions: a time limit that passed. */
void exhaustive_incomplete(void) {
    if (search) search->left_out = 1;
}

/* Whether nothing was left out: no run was cut, none hung, no bound struck. */
int exhaustive_complete(void) {
    return search && !search->too_deep && !search->too_many && !search->left_out;
}
