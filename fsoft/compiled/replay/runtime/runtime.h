/* The runtime of `fsoft replay`: it takes the place of libtsan and stands between the program and the thread library.

   A schedule file (FSOFT_REPLAY) lists the visible events of a run in their order: accesses, synchronisation calls, creations. One thread
   runs at a time. It runs until it arrives at an event of its own whose turn has not come; then the owner of the next event goes on.
   Whatever the schedule does not name (memory that only one thread uses, values that do not matter) passes freely, with the event before it. */
#pragma once
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum kind {
    ACCESS, SECTION, FREE, CREATE, JOIN, EXIT, ACQUIRE, RELEASE, TRY, RDLOCK, WRLOCK, RWUNLOCK, WAIT, WAKE, SIGNAL, BROADCAST, SEMWAIT, POST,
    ARRIVE, BARRIER, ONCE, INIT, DESTROY, DETACH, CANCEL, ALLOC, KINDS
};
extern const char *const kind_names[KINDS];

enum { READS = 1, WRITES = 2 };
enum { PENDING = 1, SPURIOUS = 2, TIMEOUT = 4 }; /* flags of events */

struct object { /* memory of the run; base is 0 until it is known */
    int id;
    uintptr_t base;
    size_t size;
    int firm; /* the base is known for certain: a global, or a heap block of the schedule */
    uintptr_t low, high; /* if not: the bytes that the program accessed when it told the base */
};

struct poke { /* a value of undefined memory, written before it is read */
    int object;
    long offset;
    int size;
    unsigned long long value;
    struct poke *next;
};

struct event {
    int slot, kind, object;
    long offset;
    size_t size;
    int how, line, flags, detail; /* detail: the slot that is created, joined, woken, or chosen; -1 for none */
    int done;
    int late; /* skipped, but may still come: an access of the statement that is under way */
    struct poke *pokes;
};

struct input {
    int slot, line, done;
    unsigned long long value;
    char name[64];
};

struct allocation {
    int slot, line, object, done;
    size_t size;
};

struct creation { /* inside an atomic section, whose events the schedule does not name */
    int slot, created, done;
};

struct ending { /* what is predicted */
    char kind[24], property[32];
    int slot, line, object; /* object, offset: of an invalid access */
    long offset;
};

struct arrival { /* a thread is about to do something */
    enum kind kind;
    unsigned also; /* other kinds of events that it can be, as bits */
    uintptr_t address;
    size_t size;
    int how, line, thread;
};

struct thread {
    int slot;
    pthread_t id;
    pthread_cond_t go;
    void *(*start)(void *);
    int (*start_c11)(void *);
    void *arg;
    void *site;       /* the user's call, while the runtime works for a library function */
    int section;      /* depth of atomic sections */
    int released;     /* past its events: everything passes freely */
    int finished, detached, joined, cancelled, cancel_off;
    const char *call; /* the blocking call that it is in */
    int escaped;      /* a blocking call returned after the thread had been released */
    struct arrival at;
    int pending;
};

enum { MOST_THREADS = 256, LINES = 1000000 }; /* LINES: lines are numbered file by file */

extern struct event *events;
extern int event_count, now; /* events before `now` are done */
extern struct input *inputs;
extern int input_count;
extern struct allocation *allocations;
extern int allocation_count;
extern struct creation *creations;
extern int creation_count;
extern struct ending ending;
extern int blocked[MOST_THREADS], blocked_count;
extern struct thread *threads[MOST_THREADS];
extern __thread struct thread *self;
extern pthread_mutex_t big; /* guards all of this */
extern unsigned long arrivals;

/* schedule.c */
void read_schedule(const char *path);
struct object *object_of(int id);
struct object *global_at(uintptr_t address);
int line_of(const void *pc);
enum function_kind { PLAIN, ATOMIC, ERROR, BEGIN, FINISH } function_at(const void *pc);
int static_range(int k, uintptr_t *low, uintptr_t *high);

/* turns.c */
struct event *arrive(const struct arrival *a);
struct event *arrive_at(enum kind kind, unsigned also, const void *address, const void *pc);
size_t next_unit(const void *address, size_t left);
void wait_to_run(struct thread *me);
void leave_run(struct thread *me);   /* the thread has nothing more to do: its other events are skipped */
void skip_all(struct thread *t);      /* the same for a thread that still waits */
void park_for_ever(void);
void release(int slot);
void end_reached(void);
void begin_section(struct thread *me, const void *pc);
void end_section(struct thread *me);

/* heap.c */
struct block {
    uintptr_t base;
    size_t size, room; /* room: of the largest that the schedule has there */
    int freed, object, marked;
    struct block *next;
};
struct block *block_at(uintptr_t address);
void check_access(struct thread *me, uintptr_t address, size_t size, int how, int line);
void look_for_leaks(struct thread *me);

/* sync.c */
void check_cancel(struct thread *me);

/* threads.c */
void end_process(const char *how, int line);

/* report.c */
void start_watching(void);
_Noreturn void outcome(const char *kind, struct thread *who, int line, const char *format, ...);
struct timespec;
int bad_time(const struct timespec *until, const void *pc);
int predicted(const char *property); /* the run ends in this */
void fail_here(const char *kind, int line, const char *format, ...);
void note(const char *format, ...);

static inline const void *site_of(const void *pc) {
    return self && self->site ? self->site : pc;
}

#define HERE __builtin_return_address(0)
#define ALSO(kind) (1u << (kind))
