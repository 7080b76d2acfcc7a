/* Calls of the system that fail when they are told to: loaded before the C library (LD_PRELOAD).
 * `fault_arm(kind, first, last, error)`: in this process and those that it forks, the calls number `first` to `last` of that kind fail with
 * `error` from now on; `fault_count(kind)`: how many there have been since, in all of them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { WRITES, FORKS, THREADS, ALLOCATIONS, KINDS };

static atomic_long *counts; /* shared by all processes */
static long first, last;
static int kind, error, armed;

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);

__attribute__((constructor)) static void begin(void) {
    size_t size = KINDS * sizeof *counts;
    void *shared = (void *)syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared != MAP_FAILED)
        counts = shared;
}

static int fails(int of) {
    if (!armed)
        return 0;
    long number = atomic_fetch_add(&counts[of], 1) + 1;
    return kind == of && number >= first && number <= last;
}

void fault_arm(int of, long from, long to, int with) {
    for (int k = 0; k < KINDS; k++)
        atomic_store(&counts[k], 0);
    kind = of, first = from, last = to, error = with, armed = 1;
}

long fault_count(int of) { return atomic_load(&counts[of]); }

#define FAIL(kind, value)       \
    if (fails(kind)) {          \
        errno = error;   \
        return value;           \
    }

ssize_t write(int file, const void *data, size_t size) {
    FAIL(WRITES, -1)
    return syscall(SYS_write, file, data, size);
}

pid_t fork(void) {
    FAIL(FORKS, -1)
    return ((pid_t(*)(void))dlsym(RTLD_NEXT, "fork"))();
}

pid_t vfork(void) { return fork(); }

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    if (fails(THREADS))
        return EAGAIN;
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real)
        real = dlsym(RTLD_NEXT, "pthread_create");
    return real(thread, attributes, start, argument);
}

void *malloc(size_t size) {
    FAIL(ALLOCATIONS, NULL)
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    FAIL(ALLOCATIONS, NULL)
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    FAIL(ALLOCATIONS, NULL)
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    FAIL(ALLOCATIONS, NULL)
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (fails(ALLOCATIONS))
        return ENOMEM;
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    FAIL(ALLOCATIONS, MAP_FAILED)
    return (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}
