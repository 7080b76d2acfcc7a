/* What the runtime remembers about a synchronisation object, found by its address. */
#pragma once
#include "runtime.h"

struct shadow {
    const void *address;
    int owner;                  /* slot + 1 of the thread that holds it (for writing), 0 = none */
    int depth;                  /* how often the owner has it */
    unsigned char readers[MOST_THREADS];
    int destroyed, ready;       /* ready: initialised by a call (barriers, semaphores) */
    unsigned count, arrived, generation;
    int serial;                 /* the slot whose barrier call returns the special value */
    int state;                  /* of a once flag: 0 not yet, 1 running, 2 done */
    const void *mutex;          /* of the threads that wait on a condition */
    unsigned char waiting[MOST_THREADS];
    struct shadow *next;
};

struct shadow *shadow_of(const void *address);
int waiters(const struct shadow *s);
int readers(const struct shadow *s);
void misuse(int wrong, const void *pc, const char *message);
void misuse_static(int wrong, const void *object, const void *pc, const char *message); /* only of an object that is never another one */

/* Between these two, a thread is in a call that may block. */
void enter_call(const char *name);
void leave_call(void);
