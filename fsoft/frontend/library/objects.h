/* What the library models keep in the user's handles. Offsets are those of glibc's own fields, in both data models, so that
   its static initialisers mean what they should and every field lies where glibc has a scalar of the same size. Memory that
   is all zero is a valid object. The public headers declare the same layouts. */

#define EPERM 1
#define ESRCH 3
#define EAGAIN 11
#define ENOMEM 12
#define ENOSPC 28
#define ENOTSUP 95
#define EBUSY 16
#define EINVAL 22
#define ERANGE 34
#define EDEADLK 35
#define EOVERFLOW 75
#define ETIMEDOUT 110

#define MISUSE "no-lock-misuse"
#define CHECKED __fsoft_checks("no-lock-misuse")
/* Whether anybody asks about reading. */
#define LOOKS (__fsoft_checks("valid-deref") || __fsoft_checks("no-data-race"))
#define CANCELS __fsoft_uses("pthread_cancel")
#define SELF_BIT ((__fsoft_mask)1 << (__fsoft_self() - 1))

#define RECURSIVE 1
#define ERRORCHECK 2
#define DESTROYED (-1)
#define SEM_MAX 2147483647
#define KEYS 8

struct __fsoft_mutex {
    int lock;       /* unused */
    unsigned count; /* how often the owner has locked it again */
    int owner;      /* id, 0 = free */
    int kind12;     /* glibc's kind in ILP32, 0 in LP64 */
    int kind16;     /* glibc's kind in LP64, and in ILP32 if the file was preprocessed for LP64 */
};

struct __fsoft_mutexattr {
    int kind;
};

struct __fsoft_cond {
    unsigned unused[2];
    __fsoft_mask waiting;
    __fsoft_mask unused2[2];
    union { /* 8 bytes in both data models */
        struct __fsoft_mutex *mutex; /* of the waiting threads; kept only when lock misuse is checked */
        __fsoft_mask unused3;
    } with;
    int destroyed;
};

struct __fsoft_rwlock {
    __fsoft_mask waiting; /* writers that readers wait for, if the lock is of that kind */
    __fsoft_mask readers; /* who holds it for reading */
    __fsoft_mask again;   /* who of them holds it twice */
    union {
        struct {
            unsigned char kind24; /* glibc's kind in ILP32 */
            char destroyed;
        };
        int word24; /* one number of glibc's in LP64: set as a whole before its bytes are used */
    };
    int writer;           /* id, 0 = none */
    int unused[4];
    unsigned kind48;      /* glibc's kind in LP64; the lock ends before it in ILP32 */
};

struct __fsoft_barrier {
    unsigned count;       /* 0 = not initialised */
    unsigned arrived;
    __fsoft_mask waiting;
    unsigned serial;      /* id of the released thread that returns PTHREAD_BARRIER_SERIAL_THREAD, 0 = none */
};

struct __fsoft_sem {
    long value;
    char destroyed;
};

struct __fsoft_attr {
    int unused[2];
    int detached;
};

struct __fsoft_timespec {
    long seconds;
    long nanoseconds;
};

struct __fsoft_timeval {
    long seconds;
    long microseconds;
};

struct __fsoft_cleanup { /* pthread_cleanup_push: a list through the stack */
    void (*routine)(void *);
    void *arg;
    struct __fsoft_cleanup *next;
};

struct __fsoft_option { /* struct option */
    const char *name;
    int has_arg;
    int *flag;
    int val;
};

struct __fsoft_div { int quot, rem; };

struct __fsoft_ldiv { long quot, rem; };

struct __fsoft_lldiv { long long quot, rem; };

struct __fsoft_unwind { /* __pthread_unwind_buf_t */
    unsigned long jump[sizeof(long) == 8 ? 8 : 6];
    int saved;
    void *rest[4];
};

int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
char __VERIFIER_nondet_char(void);
unsigned long long __VERIFIER_nondet_ulonglong(void);
double __VERIFIER_nondet_double(void);
_Bool __VERIFIER_nondet_bool(void);

__thread int __fsoft_errno;

static void set_errno(int error) {
    if (__fsoft_uses("__errno_location")) __fsoft_errno = error;
}

__thread struct __fsoft_cleanup *__fsoft_cleanups;

/* A condition or barrier may be destroyed, and its memory given back, as soon as nobody waits there, before those that have been
   woken have left. Where a program destroys some, woken threads look here and not at the object. */
#define COND_DIES (!CANCELS && (__fsoft_uses("pthread_cond_destroy") || __fsoft_uses("cnd_destroy")))
#define BARRIER_DIES __fsoft_uses("pthread_barrier_destroy")

__fsoft_mask __fsoft_woken;

__fsoft_mask __fsoft_serial; /* who of them is the serial thread of a barrier */

__thread void *__fsoft_key_values[KEYS];

void (*__fsoft_key_destructors[KEYS])(void *);

unsigned __fsoft_key_count;

_Bool __fsoft_keys[KEYS]; /* created and not deleted */

static int cancelled(void) { /* whether this thread must act on a request to end */
    if (CANCELS) return __fsoft_threads[__fsoft_self() - 1].cancel == 1;
    return 0;
}

/* Creating things takes memory and other resources. */
static int fails(void) {
    return __fsoft_library_may_fail() && __VERIFIER_nondet_bool();
}

/* Functions for output may leave anything in errno, even if they succeed (C11 7.5). */
static void spoil_errno(void) {
    if (__fsoft_uses("__errno_location") && __VERIFIER_nondet_bool()) __fsoft_errno = (int)(__VERIFIER_nondet_uint() >> 25) + 1;
}

/* Times that functions refuse (POSIX: EINVAL). */
__fsoft_plain static int bad_time(const struct __fsoft_timespec *time) {
    long nanoseconds = time->nanoseconds;
    return nanoseconds < 0 || nanoseconds >= 1000000000;
}

static int known(const void *object) { /* memory may hold anything before an object is initialised there: is it known to look free? */
    if (CHECKED) return __fsoft_known(object);
    return 0;
}
