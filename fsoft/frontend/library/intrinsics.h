/* What library models may use beyond C. The lowering gives each of these its meaning.

   __fsoft_atomic       function attribute: the body is one atomic step (it must be loop-free to become a single step)
   __fsoft_plain        function attribute: its memory accesses count for data races (memcpy, strlen); without it
                        accesses of library code are synchronisation and never race

   Kinds of __fsoft_tag, with their object:
   acquire release try             a mutex or spin lock; acquire blocks while another thread holds it, try never blocks
   rdlock wrlock rwunlock          a readers-writer lock
   wait wake                       a condition: the thread starts to wait (the step also has release of the mutex); it goes on
                                   (the step also has acquire of the mutex)
   signal broadcast                a condition
   semwait post look               a semaphore; semwait blocks while it is zero, look only reads it
   arrive barrier                  a barrier: a thread arrives; it goes on
   create join detach cancel       a thread descriptor
   exit once                       the own descriptor; a once flag (blocks while its routine runs)
   init destroy                    any of these objects
   owner readers                   a blocking step only: the word with the id of the thread, or the mask of threads, that it waits for;
                                   the step goes on only when they have let go
   shared                          a step that takes a readers-writer lock: the mask of the threads that hold it for reading
   apart                           a word of the model's own: accesses to it put nobody in order
*/
#define __fsoft_atomic __attribute__((__fsoft_atomic__))
#define __fsoft_plain __attribute__((__fsoft_plain__))

typedef unsigned long __fsoft_word; /* as wide as a pointer in both data models */
typedef unsigned long long __fsoft_mask; /* a set of threads: bit = id - 1 */

struct __fsoft_thread { /* see program/descriptor.py */
    __fsoft_word state;     /* 0 unused or reaped, 1 running, 2 finished and not yet joined, 3 reaped, but owner of a lock */
    __fsoft_word detached;
    void *arg;
    void *result;
    __fsoft_word cancel;
    __fsoft_word held;      /* locks that name this thread as their owner; see __fsoft_reuses */
};
extern struct __fsoft_thread __fsoft_threads[]; /* index = id - 1 */

int __fsoft_self(void);                 /* id of the running thread: slot + 1, main is 1 */
int __fsoft_thread_count(void);         /* number of slots, main included: a constant */
int __fsoft_unnumbered(void);           /* there are threads without a slot, so a handle says nothing: a constant (Options.unbounded) */
void __fsoft_require(int condition);    /* the atomic step that contains this is disabled unless the condition holds */
void __fsoft_assume(int condition);     /* prune the run */
void __fsoft_fail(const char *message); /* an assertion (unreach-call) is violated here */
void __fsoft_check(int condition, const char *property, const char *message); /* violated if property is switched on, else no effect */
void __fsoft_undefined(const char *message); /* undefined behaviour: the thread stops, TRUE is forbidden */
void __fsoft_destructors(void);         /* calls the user's functions with the attribute destructor */
void __fsoft_end(void);                 /* the process ends (exit, abort) */
void __fsoft_exit_thread(void *result); /* this thread ends: as if its start routine returned */
void __fsoft_tag(const char *kind, const void *object); /* names what the step does, for analyses; both constant or address */
int __fsoft_spurious(void);             /* use only as `if (__fsoft_spurious())` outside atomic functions: both ways are possible, the first is tagged spurious */
int __fsoft_timeout(void);              /* the same, tagged timeout */
int __fsoft_choose(__fsoft_mask among); /* number of some set bit, nondeterministically; 0 if none is set */
void *__fsoft_alloc(__SIZE_TYPE__ size);       /* a heap object, never null */
void *__fsoft_alloc_zero(__SIZE_TYPE__ size);  /* the same, filled with zeros (calloc) */
void __fsoft_free(void *object);
__SIZE_TYPE__ __fsoft_object_size(const void *object); /* size of the object that the pointer points into; 0 if it is not alive */
int __fsoft_reuses(void);               /* a constant: a slot may run several threads, one after the other */
int __fsoft_malloc_may_fail(void);      /* a constant: --malloc-may-fail; without it the answer says that the function is taken to succeed */
int __fsoft_library_may_fail(void);     /* the same for --library-may-fail */
void __fsoft_note(const char *text);    /* the answer says this */
int __fsoft_create(__SIZE_TYPE__ *id, void *(*start)(void *), void *arg, int detached); /* takes a slot; 0, or EAGAIN never (a missing slot is a cut) */
int __fsoft_uses(const char *function); /* a constant: whether code of the user refers to this function; 1 is always sound */
int __fsoft_wanted(const char *function); /* a constant: whether code of the user looks at a result of this function; 1 is always sound */
int __fsoft_measured(const char *function); /* a constant: whether code of the user looks at more than the sign of its result; 1 is always sound */
int __fsoft_checks(const char *property); /* a constant: whether the property is switched on */
int __fsoft_known(const void *object);  /* whether there is nothing but zeros and what library functions wrote: 0 where that is not sure */
int __fsoft_literal(const char *text);  /* a constant: whether it points into a string literal, with a zero behind it; 0 is always sound */
int __fsoft_print(const char *format, ...); /* reads and writes what printf does with that format and the arguments of the function around it, or
                                           with the list that is given; its result. Needs __fsoft_read_text and __fsoft_read_part in the
                                           program, with a list also __fsoft_print_any */
int __fsoft_format(char *to, __SIZE_TYPE__ size, const char *format, ...); /* what sprintf does with the arguments of the function around it,
                                           or with the list that is given; needs `formats` in the program */
void __fsoft_inexact(const char *what); /* what follows may be more than the function does: no FALSE rests on it */
void __fsoft_any(const void *object);   /* the object, of the type that the caller's pointer has, gets any contents */
void __fsoft_look(const void *object);  /* the same object is read */
void __fsoft_abstract(const char *what, int cuts); /* what follows is not exact: it adds behaviour, and leaves some out if `cuts` */
void __fsoft_contents(const char *what); /* what follows takes values that nobody knows: no FALSE rests on them */
void *__fsoft_external(void);           /* memory of the library: never null, and whoever accesses it is cut */
char *__fsoft_text(const char *name);   /* a text of the library: any characters */
int __fsoft_setjmp(void *buffer);       /* two words of it are used */
void __fsoft_longjmp(void *buffer, int value);
void *__fsoft_call(void *(*function)(void *), void *arg); /* calls through a pointer */
