/* The runtime of `fsoft test`: a shared library between the user's program, which gcc compiled with -fsanitize=thread, and the C library.

   One thread of the program runs at a time. Before each visible operation (an access to memory that threads share, an atomic, a
   synchronisation call) a strategy chooses who goes on. A server forks a new process for every run, before the program's own code starts;
   what the runs find is written to a file. `turns.c` is the scheduler, `strategies.c` and `exhaustive.c` choose, `shadow.c` finds races. */
#pragma once
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define PUBLIC __attribute__((visibility("default")))
#define HERE ((uintptr_t)__builtin_return_address(0))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

enum { MOST_THREADS = 128, MOST_FRAMES = 256, FRAMES = 12, SEGMENTS = 1 << 16, LOGGED = 1 << 16, FINDINGS = 16, TEXT = 200 };
enum how { READS = 1, WRITES = 2, ATOMIC = 4 };

/* Kinds of operations. The names in kinds.h are what the trace shows. */
enum kind {
    ACCESS, FENCE, CREATE, JOIN, DETACH, EXIT, LOCK, TRYLOCK, UNLOCK, RDLOCK, WRLOCK, RWUNLOCK, WAIT, WAKE, SIGNAL, BROADCAST, SEMWAIT, POST,
    BARRIER, ONCE, INIT, DESTROY, FREE, SECTION, YIELD, CANCEL, OUTSIDE, INPUT, ALLOCATE, START, KINDS
};

struct op { /* what a thread is about to do */
    enum kind kind;
    int how;
    uintptr_t address, pc;
    size_t size;
};

enum state { UNUSED, READY, RUNNING, FINISHED };

typedef uint32_t clock_value;

struct thread {
    int id;
    _Atomic int go;         /* set when it is its turn */
    enum state state;
    pthread_t handle;
    void *(*start)(void *);
    void *argument;
    uint64_t ops;           /* visible operations so far, the pending one included */
    uint64_t stop;          /* a given schedule: it runs until it has made so many */
    struct op at;           /* the pending operation, if it stands before one */
    int (*can)(void *);     /* whether the pending operation can be made; NULL: always */
    void *about;
    int64_t deadline;       /* virtual time at which a wait ends, 0 for never */
    int late;               /* the wait ended by its deadline */
    int outside;            /* it waits for something outside the program */
    int yielded;            /* others first */
    uint64_t priority;
    int section;            /* depth of atomic sections */
    int inside;             /* the runtime itself is at work */
    int detached, joined, cancelled, cancel_off;
    int blocked_reported;
    uint64_t slice;         /* operations after which others have a turn, whatever the strategy says */
    uint32_t idle, patience; /* reads without a write; how many are taken for a spin loop */
    uint64_t inputs;        /* how many values it was given */
    uintptr_t frames[MOST_FRAMES]; /* return addresses of the calls it is in */
    uintptr_t pcs[MOST_FRAMES];
    int depth;
    uintptr_t last_pc;
    uint32_t random;
    void *stack;
    size_t stack_size;
    clock_value clock[MOST_THREADS];
    clock_value released[MOST_THREADS]; /* by fences */
    clock_value acquired[MOST_THREADS];
    int signalled;          /* a condition that it waited for was signalled */
    void *waits_for;
};

extern __thread struct thread *self;
extern struct thread *threads[MOST_THREADS];
extern int thread_count; /* numbers in use */

/* ---------------------------------------------------------------- what a run leaves behind, in memory shared with the server */

enum finding_kind { RACE, DEADLOCK, ASSERTION, ERROR_CALL, ABORTED, CRASH, MISUSE, BAD_ACCESS, BAD_FREE, LEAK, UNDEFINED, HANG, FINDING_KINDS };

struct side { /* one thread's part of a finding */
    int thread, how;
    size_t size;
    uintptr_t pc, address, frames[FRAMES];
};

struct finding {
    enum finding_kind kind;
    int sides, fatal;
    struct side side[2];
    char text[TEXT], property[24];
};

struct segment { /* a thread runs until it has made so many operations, or can do no more */
    int thread;
    uint64_t upto;
};

struct step { /* one operation as the trace shows it */
    int thread;
    enum kind kind;
    int how;
    size_t size;
    uintptr_t address, pc;
    uint64_t value, after;
};

enum ending { UNFINISHED, ENDED, PRUNED, FAILED, CUT };

struct record {
    _Atomic int ending;
    int exit_code, unrepeatable;
    uint64_t operations, decisions, switches, hash, outcome;
    int finding_count, segment_count, truncated, most_threads;
    _Atomic int step_count;
    struct finding findings[FINDINGS];
    struct segment segments[SEGMENTS];
    struct step steps[LOGGED];
};
extern struct record *record;

/* What is kept over many runs, in the file of the state. */
enum { PLACES = 1 << 16, PAIRS = 1 << 16, CANDIDATES = 256, SEEN = 1 << 20 };

struct candidate { /* two accesses without order between them: a race if both threads can stand before them */
    uintptr_t first, second;
    uint32_t tried;
    int confirmed;
};

struct memory {
    uint64_t magic, runs, distinct;
    uint8_t shared[PLACES];  /* places in the code that access what several threads access */
    uint8_t pairs[PAIRS];    /* pairs of places seen one after the other on the same memory */
    uint32_t pair_count, both_orders, candidate_count;
    struct candidate candidates[CANDIDATES];
    uint64_t seen[SEEN];     /* hashes of interleavings */
    uint64_t typical;        /* decisions of a usual run */
};
extern struct memory *memory;

/* ---------------------------------------------------------------- options of this run */

struct options {
    char strategy[16];
    uint64_t seed;
    int depth, bound, log;
    uint64_t target; /* the finding at which a run ends, by its key */
    uintptr_t first, second;
    uint64_t most_operations;
};
extern struct options options;
extern struct segment *given; /* the schedule to follow, if there is one */
extern int given_count, given_at;

/* turns.c */
struct op operation(enum kind kind, const volatile void *address, uintptr_t pc);
void point(struct thread *me, const struct op *op, int (*can)(void *), void *about);
void check_object(struct thread *me, const struct op *op);
void point_at(enum kind kind, const volatile void *address, uintptr_t pc);
void block_at(enum kind kind, const volatile void *address, uintptr_t pc, int (*can)(void *), void *about);
int block_until(enum kind kind, const volatile void *address, uintptr_t pc, int (*can)(void *), void *about, int64_t deadline);
void finish_thread(struct thread *me);
void wait_for_turn(struct thread *me);
int enabled(const struct thread *t);
int enabled_threads(struct thread **found);
extern int64_t virtual_time; /* nanoseconds since the start of the run */
extern uint64_t operations;
void save_state(void);
int standing(const struct thread *t);
void check_standing(struct thread *me, uintptr_t address, size_t size, int how, uintptr_t pc);
extern int standing_count;
void log_step(struct thread *me, const struct op *op);
void log_value(uint64_t before, uint64_t after);

/* strategies.c */
struct strategy {
    const char *name;
    void (*begin)(void);
    struct thread *(*choose)(struct thread *me, struct thread **can, int count);
    void (*created)(struct thread *t);
    int64_t (*quiet)(void); /* how many accesses to shared memory pass before it is asked again; 1: none */
};
extern const struct strategy *strategy;
extern const struct strategy exhaustive, random_walk;
extern int64_t quiet;
void choose_strategy(void);
uint64_t next_random(void);
uint64_t mix(uint64_t x);
struct thread *follow(struct thread *me, struct thread **can, int count);

/* exhaustive.c */
void exhaustive_prepare(void);
int exhaustive_next(void);
int exhaustive_complete(void);
void exhaustive_incomplete(void);

/* shadow.c */
struct vector { /* a clock that belongs to an object */
    clock_value at[MOST_THREADS];
};
int touch(struct thread *me, uintptr_t address, size_t size, int how, uintptr_t pc);
void forget(uintptr_t address, size_t size);
void acquire(struct thread *me, const struct vector *v);
void release(struct thread *me, struct vector **v);
void note_candidate(uintptr_t first, uintptr_t second);
static inline unsigned place_of(uintptr_t pc) {
    return (unsigned)((pc ^ pc >> 16) & (PLACES - 1));
}

/* objects.c */
struct object { /* a lock, a condition, ...: what the runtime knows about it, by address */
    uintptr_t address;
    unsigned serial;
    int owner, depth, kind, destroyed, ready, value, count, arrived, serial_thread, state;
    unsigned generation;
    unsigned short readers[MOST_THREADS];
    const void *mutex;
    struct vector *clock, *readers_clock;
    struct object *next;
};
struct object *object_at(const volatile void *address);
void *grab(size_t size);
void misuse(int wrong, uintptr_t pc, const char *message);

/* inputs.c */
unsigned toss(unsigned among);

/* heap.c */
unsigned block_serial(uintptr_t address);
void check_heap(struct thread *me, uintptr_t address, size_t size, int how, uintptr_t pc);
extern uintptr_t heap_low, heap_high;
void look_for_leaks(void);
void heap_policy(uint64_t seed);

/* hooks.c */
void visit(uintptr_t address, size_t size, int how, uintptr_t pc);
void begin_section(uintptr_t pc);
void end_section(void);
int user_code(uintptr_t pc);
uintptr_t site(uintptr_t pc);
void read_functions(void);

/* threads.c */
struct thread *new_thread(void);
void start_main(void);
void test_cancel(void);

/* report.c */
void report(enum finding_kind kind, const char *property, int fatal, uintptr_t pc, const char *format, ...);
void report_race(struct thread *me, const struct op *mine, struct thread *other);
void report_blocked(const char *what);
_Noreturn void end_run(enum ending how, int code);
void catch_crashes(void);
void own_stack(void);
uint64_t key_of(const struct finding *f);
uint64_t key_of_places(int kind, uintptr_t first, uintptr_t second);
void write_finding(int fd, const struct finding *f, uint64_t run, const char *strategy, uint64_t seed);

/* outside.c */
int wait_outside(int milliseconds);
void real_functions(void);
void *real(const char *name);
extern void *(*real_copy)(void *, const void *, size_t);

/* server.c */
void last_turns(void);
extern int forked; /* a child that the program made itself: it runs free */
