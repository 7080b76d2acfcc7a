/* What comes from outside: time, which is virtual, and calls that wait for files, sockets and children.

   A thread that would block in such a call gives its turn away and is asked again when poll says that it need not wait any more. */
#define _GNU_SOURCE
#include "runtime.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FILES = 1024, PROCESSORS = 4 };
#define SECOND 1000000000ll
#define EPOCH 1700000000ll /* when every run begins */
#define STEP 20000         /* nanoseconds that pass when a thread looks at the clock */

void *(*real_copy)(void *, const void *, size_t);

void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) _exit(73);
    return found;
}

void real_functions(void) {
    real_copy = (void *(*)(void *, const void *, size_t))real("memcpy");
}

static int ours(void) {
    return self && !self->inside && !forked;
}

/* ---------------------------------------------------------------- time */

static int64_t base_of(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ? EPOCH * SECOND : 1000 * SECOND;
}

static int64_t nanoseconds(const struct timespec *t) {
    return t ? t->tv_sec * SECOND + t->tv_nsec : 0;
}

/* A moment as the program says it; 0 would be no moment at all. */
int64_t until_virtual(const struct timespec *until, clockid_t clock) {
    int64_t at = nanoseconds(until) - base_of(clock);
    return at > 0 ? at : 1;
}

PUBLIC int clock_gettime(clockid_t clock, struct timespec *t) {
    static int (*really)(clockid_t, struct timespec *);
    if (!ours()) {
        if (!really) really = real("clock_gettime");
        return really(clock, t);
    }
    virtual_time += STEP;
    int64_t now = base_of(clock) + virtual_time;
    t->tv_sec = now / SECOND;
    t->tv_nsec = now % SECOND;
    return 0;
}

PUBLIC int gettimeofday(struct timeval *t, void *zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *t = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

PUBLIC time_t time(time_t *t) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (t) *t = now.tv_sec;
    return now.tv_sec;
}

PUBLIC clock_t clock(void) {
    virtual_time += STEP;
    return (clock_t)(virtual_time / 1000);
}

/* Time passes for this thread; the others may run meanwhile, or not. */
static int sleep_for(int64_t duration, uintptr_t pc) {
    if (!ours()) return 0;
    test_cancel();
    self->yielded = 6;
    point_at(YIELD, NULL, pc);
    virtual_time += duration > 0 ? duration : 0;
    test_cancel();
    return 0;
}

PUBLIC unsigned sleep(unsigned seconds) {
    return (unsigned)sleep_for(seconds * SECOND, HERE);
}

PUBLIC int usleep(useconds_t microseconds) {
    return sleep_for(microseconds * 1000ll, HERE);
}

PUBLIC int nanosleep(const struct timespec *duration, struct timespec *rest) {
    (void)rest;
    return sleep_for(nanoseconds(duration), HERE);
}

PUBLIC int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *rest) {
    (void)rest;
    return sleep_for(flags & TIMER_ABSTIME ? until_virtual(t, clock) - virtual_time : nanoseconds(t), HERE);
}

PUBLIC int thrd_sleep(const struct timespec *duration, struct timespec *rest) {
    (void)rest;
    return sleep_for(nanoseconds(duration), HERE);
}

/* ---------------------------------------------------------------- waiting for files */

struct waiter { /* what a thread waits for: any of the files; with none of them a child process */
    struct pollfd *files;
    int count, ready;
};
static struct waiter *waiters[MOST_THREADS];

static int (*real_poll)(struct pollfd *, nfds_t, int);

static int poll_now(struct pollfd *files, int count, int milliseconds) {
    if (!real_poll) real_poll = (int (*)(struct pollfd *, nfds_t, int))real("poll");
    return real_poll(files, (nfds_t)count, milliseconds);
}

static int child_changed(void) {
    siginfo_t about = {0};
    return waitid(P_ALL, 0, &about, WEXITED | WNOHANG | WNOWAIT) != 0 || about.si_pid != 0;
}

static int is_ready(void *about) {
    return ((struct waiter *)about)->ready;
}

/* Whether something came from outside, within that time. */
int wait_outside(int milliseconds) {
    struct pollfd files[MOST_FILES];
    int count = 0, found = 0, children = 0;
    for (int k = 0; k < thread_count; k++) {
        struct waiter *w = threads[k]->state != FINISHED && threads[k]->outside ? waiters[k] : NULL;
        for (int i = 0; w && i < w->count && count < MOST_FILES; i++) files[count++] = w->files[i];
        children |= w && !w->count;
    }
    poll_now(files, count, children && milliseconds > 1 ? 1 : milliseconds);
    for (int k = 0; k < thread_count; k++) {
        struct waiter *w = threads[k]->state != FINISHED && threads[k]->outside ? waiters[k] : NULL;
        if (!w || w->ready) continue;
        w->ready = w->count ? poll_now(w->files, w->count, 0) != 0 : child_changed();
        found |= w->ready;
    }
    return found;
}

/* Until one of the files is ready; 0 if the time is up. */
static int await(struct pollfd *files, int count, int64_t deadline, uintptr_t pc) {
    struct thread *me = self;
    struct waiter mine = {files, count, 0};
    int in_time;
    point_at(OUTSIDE, NULL, pc);
    mine.ready = count ? poll_now(files, count, 0) != 0 : child_changed();
    if (mine.ready) return 1;
    test_cancel();
    waiters[me->id] = &mine;
    me->outside = 1;
    in_time = block_until(OUTSIDE, NULL, pc, is_ready, &mine, deadline);
    me->outside = 0;
    waiters[me->id] = NULL;
    test_cancel();
    return in_time;
}

/* Before a call that may block on a file. */
static void await_file(int file, short events, uintptr_t pc) {
    struct stat about;
    struct pollfd one = {file, events, 0};
    if (!ours() || fstat(file, &about) || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)) return;
    if (fcntl(file, F_GETFL) & O_NONBLOCK) {
        point_at(OUTSIDE, NULL, pc);
        return;
    }
    await(&one, 1, 0, pc);
}

#define WAITING_CALL(result, name, events, file, parameters, arguments, touched)                                       \
    PUBLIC result name parameters {                                                                                    \
        static result(*really) parameters;                                                                             \
        result done;                                                                                                   \
        if (!really) really = (result(*) parameters)real(#name);                                                       \
        await_file(file, events, HERE);                                                                                \
        done = really arguments;                                                                                       \
        touched;                                                                                                       \
        return done;                                                                                                   \
    }
#define FILLED(p) if (done > 0 && ours() && user_code(HERE)) { int e = errno; visit((uintptr_t)(p), (size_t)done, WRITES, HERE); errno = e; }
#define SENT(p) if (done > 0 && ours() && user_code(HERE)) { int e = errno; visit((uintptr_t)(p), (size_t)done, READS, HERE); errno = e; }
WAITING_CALL(ssize_t, read, POLLIN, file, (int file, void *p, size_t n), (file, p, n), FILLED(p))
WAITING_CALL(ssize_t, write, POLLOUT, file, (int file, const void *p, size_t n), (file, p, n), SENT(p))
WAITING_CALL(ssize_t, readv, POLLIN, file, (int file, const struct iovec *p, int n), (file, p, n), (void)0)
WAITING_CALL(ssize_t, writev, POLLOUT, file, (int file, const struct iovec *p, int n), (file, p, n), (void)0)
WAITING_CALL(ssize_t, recv, POLLIN, file, (int file, void *p, size_t n, int flags), (file, p, n, flags), FILLED(p))
WAITING_CALL(ssize_t, send, POLLOUT, file, (int file, const void *p, size_t n, int flags), (file, p, n, flags), SENT(p))
WAITING_CALL(ssize_t, recvfrom, POLLIN, file, (int file, void *p, size_t n, int flags, struct sockaddr *from, socklen_t *size),
             (file, p, n, flags, from, size), FILLED(p))
WAITING_CALL(ssize_t, recvmsg, POLLIN, file, (int file, struct msghdr *m, int flags), (file, m, flags), (void)0)
WAITING_CALL(ssize_t, sendmsg, POLLOUT, file, (int file, const struct msghdr *m, int flags), (file, m, flags), (void)0)
WAITING_CALL(int, accept, POLLIN, file, (int file, struct sockaddr *from, socklen_t *size), (file, from, size), (void)0)
WAITING_CALL(int, accept4, POLLIN, file, (int file, struct sockaddr *from, socklen_t *size, int flags), (file, from, size, flags), (void)0)

PUBLIC int poll(struct pollfd *files, nfds_t count, int milliseconds) {
    if (!real_poll) real_poll = (int (*)(struct pollfd *, nfds_t, int))real("poll");
    if (!ours() || !milliseconds) return real_poll(files, count, milliseconds);
    if (!count) return sleep_for(milliseconds * 1000000ll, HERE);
    await(files, (int)count, milliseconds > 0 ? virtual_time + milliseconds * 1000000ll : 0, HERE);
    return real_poll(files, count, 0);
}

PUBLIC int select(int count, fd_set *in, fd_set *out, fd_set *odd, struct timeval *limit) {
    static int (*really)(int, fd_set *, fd_set *, fd_set *, struct timeval *);
    struct pollfd files[MOST_FILES];
    struct timeval now = {0, 0};
    int64_t wait = limit ? limit->tv_sec * SECOND + limit->tv_usec * 1000ll : 0;
    int found = 0;
    if (!really) really = (int (*)(int, fd_set *, fd_set *, fd_set *, struct timeval *))real("select");
    if (!ours() || (limit && !wait)) return really(count, in, out, odd, limit);
    for (int k = 0; k < count && k < FD_SETSIZE; k++) {
        short events = (short)((in && FD_ISSET(k, in) ? POLLIN : 0) | (out && FD_ISSET(k, out) ? POLLOUT : 0) | (odd && FD_ISSET(k, odd) ? POLLPRI : 0));
        if (events) files[found++] = (struct pollfd){k, events, 0};
    }
    if (!found && limit) return sleep_for(wait, HERE);
    await(files, found, limit ? virtual_time + wait : 0, HERE);
    return really(count, in, out, odd, &now);
}

PUBLIC int epoll_wait(int file, struct epoll_event *events, int most, int milliseconds) {
    static int (*really)(int, struct epoll_event *, int, int);
    struct pollfd one = {file, POLLIN, 0};
    if (!really) really = (int (*)(int, struct epoll_event *, int, int))real("epoll_wait");
    if (!ours() || !milliseconds) return really(file, events, most, milliseconds);
    await(&one, 1, milliseconds > 0 ? virtual_time + milliseconds * 1000000ll : 0, HERE);
    return really(file, events, most, 0);
}

PUBLIC int connect(int file, const struct sockaddr *to, socklen_t size) {
    static int (*really)(int, const struct sockaddr *, socklen_t);
    if (!really) really = (int (*)(int, const struct sockaddr *, socklen_t))real("connect");
    point_at(OUTSIDE, NULL, HERE);
    return really(file, to, size);
}

/* ---------------------------------------------------------------- children */

PUBLIC pid_t waitpid(pid_t child, int *status, int flags) {
    static pid_t (*really)(pid_t, int *, int);
    pid_t done;
    if (!really) really = (pid_t(*)(pid_t, int *, int))real("waitpid");
    if (!ours() || flags & WNOHANG) return really(child, status, flags);
    while (!(done = really(child, status, flags | WNOHANG))) await(NULL, 0, 0, HERE);
    return done;
}

PUBLIC pid_t wait(int *status) {
    return waitpid(-1, status, 0);
}

/* ---------------------------------------------------------------- the machine: always the same */

PUBLIC int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set) {
    (void)process;
    memset(set, 0, size);
    for (int k = 0; k < PROCESSORS; k++) CPU_SET_S(k, size, set);
    return 0;
}

PUBLIC int get_nprocs(void) {
    return PROCESSORS;
}

PUBLIC int get_nprocs_conf(void) {
    return PROCESSORS;
}

PUBLIC long sysconf(int name) {
    static long (*really)(int);
    if (!really) really = (long (*)(int))real("sysconf");
    return name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF ? PROCESSORS : really(name);
}

PUBLIC ssize_t getrandom(void *p, size_t n, unsigned flags) {
    (void)flags;
    for (size_t k = 0; k < n; k++) ((uint8_t *)p)[k] = (uint8_t)mix(options.seed + k);
    return (ssize_t)n;
}

