#ifndef _FSOFT_PTHREAD_H
#define _FSOFT_PTHREAD_H
#include <stddef.h>
#include <time.h>
#include <sched.h>
typedef unsigned long pthread_t;
typedef unsigned int pthread_key_t;
typedef int pthread_once_t;
typedef volatile int pthread_spinlock_t;
typedef struct { int __unused[2]; int __detached; char __rest[sizeof(long) == 8 ? 44 : 24]; } pthread_attr_t;
typedef struct {
    int __lock;
    unsigned int __count;
    int __owner;
#ifdef __LP64__
    int __unused;
    int __kind;
    char __rest[20];
#else
    int __kind;
    int __unused;
    char __rest[4];
#endif
} pthread_mutex_t;
typedef struct { int __kind; } pthread_mutexattr_t;
typedef struct {
    unsigned int __unused[2];
    unsigned long long __waiting;
    unsigned long long __unused2[2];
    void *__mutex;
#ifndef __LP64__
    int __unused3;
#endif
    int __destroyed;
    char __rest[4];
} pthread_cond_t;
typedef struct { int __unused; } pthread_condattr_t;
typedef struct {
    unsigned long long __waiting;
    unsigned long long __readers;
    unsigned long long __again;
#ifdef __LP64__
    char __unused;
    char __destroyed;
    int __writer;
    int __unused2[4];
    unsigned int __kind;
#else
    unsigned char __kind;
    char __destroyed;
    int __writer;
#endif
} pthread_rwlock_t;
typedef struct { long __unused; char __rest[sizeof(long) == 8 ? 0 : 4]; } pthread_rwlockattr_t;
typedef struct {
    unsigned int __count;
    unsigned int __arrived;
    unsigned long long __waiting;
    unsigned int __serial;
#ifdef __LP64__
    char __rest[12];
#endif
} pthread_barrier_t;
typedef struct { int __unused; } pthread_barrierattr_t;
struct __fsoft_cleanup {
    void (*routine)(void *);
    void *arg;
    struct __fsoft_cleanup *next;
};
#define PTHREAD_MUTEX_INITIALIZER { 0 }
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP { .__kind = 1 }
#define PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP { .__kind = 2 }
#define PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP { .__kind = 3 }
#define PTHREAD_COND_INITIALIZER { 0 }
#define PTHREAD_RWLOCK_INITIALIZER { 0 }
#define PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP { .__kind = 2 }
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_MUTEX_NORMAL 0
#define PTHREAD_MUTEX_DEFAULT 0
#define PTHREAD_MUTEX_TIMED_NP 0
#define PTHREAD_MUTEX_FAST_NP 0
#define PTHREAD_MUTEX_RECURSIVE 1
#define PTHREAD_MUTEX_RECURSIVE_NP 1
#define PTHREAD_MUTEX_ERRORCHECK 2
#define PTHREAD_MUTEX_ERRORCHECK_NP 2
#define PTHREAD_MUTEX_ADAPTIVE_NP 3
#define PTHREAD_MUTEX_STALLED 0
#define PTHREAD_MUTEX_ROBUST 1
#define PTHREAD_PRIO_NONE 0
#define PTHREAD_PRIO_INHERIT 1
#define PTHREAD_PRIO_PROTECT 2
#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
#define PTHREAD_INHERIT_SCHED 0
#define PTHREAD_EXPLICIT_SCHED 1
#define PTHREAD_SCOPE_SYSTEM 0
#define PTHREAD_SCOPE_PROCESS 1
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1
#define PTHREAD_CANCEL_ENABLE 0
#define PTHREAD_CANCEL_DISABLE 1
#define PTHREAD_CANCEL_DEFERRED 0
#define PTHREAD_CANCEL_ASYNCHRONOUS 1
#define PTHREAD_CANCELED ((void *)-1)
#define PTHREAD_BARRIER_SERIAL_THREAD (-1)
#define PTHREAD_RWLOCK_PREFER_READER_NP 0
#define PTHREAD_RWLOCK_PREFER_WRITER_NP 1
#define PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP 2
#define PTHREAD_RWLOCK_DEFAULT_NP 0
int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*start)(void *), void *arg);
int pthread_join(pthread_t id, void **result);
int pthread_tryjoin_np(pthread_t id, void **result);
int pthread_timedjoin_np(pthread_t id, void **result, const struct timespec *until);
int pthread_detach(pthread_t id);
_Noreturn void pthread_exit(void *result);
pthread_t pthread_self(void);
int pthread_equal(pthread_t a, pthread_t b);
int pthread_once(pthread_once_t *once, void (*routine)(void));
int pthread_cancel(pthread_t id);
void pthread_testcancel(void);
int pthread_setcancelstate(int state, int *old);
int pthread_setcanceltype(int type, int *old);
int pthread_yield(void);
int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
int pthread_setconcurrency(int level);
int pthread_setname_np(pthread_t id, const char *name);
int pthread_setschedparam(pthread_t id, int policy, const struct sched_param *parameters);
int pthread_getschedparam(pthread_t id, int *policy, struct sched_param *parameters);
int pthread_setschedprio(pthread_t id, int priority);
int pthread_attr_init(pthread_attr_t *attr);
int pthread_attr_destroy(pthread_attr_t *attr);
int pthread_attr_setdetachstate(pthread_attr_t *attr, int state);
int pthread_attr_getdetachstate(const pthread_attr_t *attr, int *state);
int pthread_attr_setstacksize(pthread_attr_t *attr, size_t size);
int pthread_attr_getstacksize(const pthread_attr_t *attr, size_t *size);
int pthread_attr_setstack(pthread_attr_t *attr, void *stack, size_t size);
int pthread_attr_setguardsize(pthread_attr_t *attr, size_t size);
int pthread_attr_setscope(pthread_attr_t *attr, int scope);
int pthread_attr_setschedpolicy(pthread_attr_t *attr, int policy);
int pthread_attr_setschedparam(pthread_attr_t *attr, const struct sched_param *parameters);
int pthread_attr_setinheritsched(pthread_attr_t *attr, int inherit);
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr);
int pthread_mutex_destroy(pthread_mutex_t *mutex);
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_trylock(pthread_mutex_t *mutex);
int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until);
int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until);
int pthread_mutex_unlock(pthread_mutex_t *mutex);
int pthread_mutex_consistent(pthread_mutex_t *mutex);
int pthread_mutexattr_init(pthread_mutexattr_t *attr);
int pthread_mutexattr_destroy(pthread_mutexattr_t *attr);
int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int kind);
int pthread_mutexattr_gettype(const pthread_mutexattr_t *attr, int *kind);
int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int shared);
int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attr, int protocol);
int pthread_mutexattr_setrobust(pthread_mutexattr_t *attr, int robust);
int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr);
int pthread_cond_destroy(pthread_cond_t *cond);
int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until);
int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until);
int pthread_cond_signal(pthread_cond_t *cond);
int pthread_cond_broadcast(pthread_cond_t *cond);
int pthread_condattr_init(pthread_condattr_t *attr);
int pthread_condattr_destroy(pthread_condattr_t *attr);
int pthread_condattr_setclock(pthread_condattr_t *attr, clockid_t clock);
int pthread_condattr_setpshared(pthread_condattr_t *attr, int shared);
int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attr);
int pthread_rwlock_destroy(pthread_rwlock_t *lock);
int pthread_rwlock_rdlock(pthread_rwlock_t *lock);
int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock);
int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until);
int pthread_rwlock_wrlock(pthread_rwlock_t *lock);
int pthread_rwlock_trywrlock(pthread_rwlock_t *lock);
int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until);
int pthread_rwlock_unlock(pthread_rwlock_t *lock);
int pthread_rwlockattr_init(pthread_rwlockattr_t *attr);
int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attr);
int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attr, int shared);
int pthread_rwlockattr_setkind_np(pthread_rwlockattr_t *attr, int kind);
int pthread_rwlockattr_getkind_np(const pthread_rwlockattr_t *attr, int *kind);
int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr, unsigned int count);
int pthread_barrier_destroy(pthread_barrier_t *barrier);
int pthread_barrier_wait(pthread_barrier_t *barrier);
int pthread_barrierattr_init(pthread_barrierattr_t *attr);
int pthread_barrierattr_destroy(pthread_barrierattr_t *attr);
int pthread_barrierattr_setpshared(pthread_barrierattr_t *attr, int shared);
int pthread_spin_init(pthread_spinlock_t *lock, int shared);
int pthread_spin_destroy(pthread_spinlock_t *lock);
int pthread_spin_lock(pthread_spinlock_t *lock);
int pthread_spin_trylock(pthread_spinlock_t *lock);
int pthread_spin_unlock(pthread_spinlock_t *lock);
int pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
int pthread_key_delete(pthread_key_t key);
void *pthread_getspecific(pthread_key_t key);
int pthread_setspecific(pthread_key_t key, const void *value);
int pthread_kill(pthread_t id, int number);
void __fsoft_cleanup_push(struct __fsoft_cleanup *frame, void (*routine)(void *), void *arg);
void __fsoft_cleanup_pop(struct __fsoft_cleanup *frame, int execute);
#define pthread_cleanup_push(routine, arg) \
    do { struct __fsoft_cleanup __fsoft_frame; __fsoft_cleanup_push(&__fsoft_frame, (routine), (arg));
#define pthread_cleanup_pop(execute) __fsoft_cleanup_pop(&__fsoft_frame, (execute)); } while (0)
#endif
