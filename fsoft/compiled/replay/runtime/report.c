/* What came of it: one line in the file FSOFT_REPLAY_RESULT, and the end of the process. */
#include "match.h"
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>


enum { TICK = 10000, STALLED = 200, LOST = 500, SETTLED = 15 }; /* microseconds; ticks */

static void write_result(const char *kind, int slot, int line, const char *text) {
    const char *path = getenv("FSOFT_REPLAY_RESULT");
    FILE *file = path ? fopen(path, "w") : NULL;
    int done = 0;
    for (int k = 0; k < event_count; k++) done += events[k].done;
    if (file) {
        fprintf(file, "%s %d %d %d %d %d %s\n", kind, slot, line, done, event_count, torn_line, text);
        fclose(file);
    }
}

/* The file for fsoft, then the end: a debugger stops at the signal. */
_Noreturn void outcome(const char *kind, struct thread *who, int line, const char *format, ...) {
    char text[1024];
    va_list rest;
    va_start(rest, format);
    vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    write_result(kind, who ? who->slot : -1, line, text);
    fprintf(stderr, "%s\n", text);
    fflush(NULL);
    signal(SIGABRT, SIG_DFL);
    abort();
}

/* The program fails here and now. A failure of a kind that nobody predicted does not count as one. */
void fail_here(const char *kind, int line, const char *format, ...) {
    static const char *const wanted[][2] = {
        {"assert", "unreach-call"}, {"error", "unreach-call"}, {"access", "valid-deref"}, {"free", "valid-free"}, {"misuse", "no-lock-misuse"},
        {"overflow", "no-overflow"}, {"division", "no-division-by-zero"}, {"shift", "no-bad-shift"}, {"index", "no-bad-index"},
        {"conversion", "no-bad-conversion"},
    };
    char text[900];
    va_list rest;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
        if (!strcmp(wanted[k][0], kind) && strcmp(wanted[k][1], ending.property)) {
            if (!strcmp(ending.property, "unreach-call") || strcmp(wanted[k][1], "unreach-call")) return;
            end_process("a failure of another kind", line);
        }
    va_start(rest, format);
    vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    outcome(kind, self, line, "%s", text);
}

void note(const char *format, ...) {
    va_list rest;
    va_start(rest, format);
    fputs("fsoft replay: ", stderr);
    vfprintf(stderr, format, rest);
    fputc('\n', stderr);
    va_end(rest);
}

/* ---------------------------------------------------------------- crashes */

static void crashed(int number, siginfo_t *info, void *context) {
    (void)context;
    int line = self ? self->at.line : 0;
    signal(number, SIG_DFL);
    outcome("signal", self, line, "signal %d (%s) at address %p", number, strsignal(number), info->si_addr);
}

/* ---------------------------------------------------------------- watching */

static void where(char *text, size_t size) {
    size_t used = 0;
    for (int k = 0; k < MOST_THREADS && used < size; k++) {
        struct thread *t = threads[k];
        if (!t || t->finished) continue;
        used += (size_t)snprintf(text + used, size - used, "; thread %d %s%s, last seen at line %d", k, t->call ? "is in " : "is stopped",
                                 t->call ? t->call : "", t->at.line % LINES);
    }
}

static void stalled(void) {
    char text[700] = "";
    where(text, sizeof text);
    if (now < event_count)
        outcome("stalled", threads[events[now].slot], events[now].line, "event %d of %d (%s by thread %d at line %d) does not come%s", now + 1,
                event_count, kind_names[events[now].kind], events[now].slot, events[now].line % LINES, text);
    outcome("stalled", NULL, 0, "nothing more happens%s", text);
}

/* A deadlock: every thread that the prediction names is in a call that does not return. */
static int all_blocked(void) {
    for (int k = 0; k < blocked_count; k++) {
        struct thread *t = threads[blocked[k]];
        if (t && t->escaped) outcome("escaped", t, t->at.line, "thread %d is not blocked", t->slot);
        if (!t || !t->call) return 0;
    }
    return 1;
}

/* The thread whose event is next waits in a call that the schedule does not name: it is past its last visible event. */
static void skip_blocked(void) {
    pthread_mutex_lock(&big);
    struct thread *t = now < event_count ? threads[events[now].slot] : NULL;
    if (t && t->call) skip_all(t);
    pthread_mutex_unlock(&big);
}

static void *watch(void *unused) {
    unsigned long last = 0;
    int quiet = 0, settled = 0, same = 0, before = -1;
    clock_t spent = 0;
    (void)unused;
    for (;;) {
        usleep(TICK);
        quiet = arrivals == last && clock() - spent < CLOCKS_PER_SEC / 500 ? quiet + 1 : 0;
        last = arrivals;
        spent = clock();
        same = now == before ? same + 1 : 0;
        before = now;
        if (!strcmp(ending.kind, "deadlock") && now >= event_count) {
            settled = all_blocked() ? settled + 1 : 0;
            if (settled > SETTLED) {
                char text[700] = "";
                where(text, sizeof text);
                outcome("deadlock", threads[blocked[0]], threads[blocked[0]]->at.line, "deadlock: %d thread%s can never go on%s", blocked_count,
                        blocked_count == 1 ? "" : "s", text);
            }
        }
        if (quiet == SETTLED) skip_blocked();
        if (quiet > STALLED || (same > LOST && now < event_count)) stalled();
    }
    return NULL;
}

void start_watching(void) {
    pthread_t watcher;
    struct sigaction action = {.sa_sigaction = crashed, .sa_flags = SA_SIGINFO};
    const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++) sigaction(signals[k], &action, NULL);
    pthread_create(&watcher, NULL, watch, NULL);
}
