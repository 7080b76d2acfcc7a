/* The server of runs: before the program's own code starts it forks a process for every run and looks at what is left of it.

   FSOFT_TEST names a file with the plan, one `name value` per line. Without it the program runs once, under the scheduler, and nobody looks. */
#define _GNU_SOURCE
#include "runtime.h"
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_KEYS = 1024, PATH = 512, FEWEST = 50000, MANY_TURNS = 200 };
#define MAGIC 0x66736f6674657334ull

struct record *record;
struct memory *memory;
struct options options = {.strategy = "mix", .bound = -1, .most_operations = 20000000};
int forked;
const char runtime_marker = 1;
static const char *writable_marker __attribute__((used)) = &runtime_marker;

static struct { /* the plan */
    char result[PATH], state[PATH], input[PATH];
    uint64_t runs;
    double seconds, run_seconds;
    int show, processor, shorten, times, repeated;
} plan = {.times = 1, .runs = 1, .seconds = 10, .run_seconds = 5, .processor = -1};

static struct { uint64_t hash; uint64_t count; int switches; } keys[MOST_KEYS];
static int key_count, results;
static uint64_t runs_done, all_operations, all_switches, run_hangs, run_cuts, run_prunes, run_crashes, complete;
static char last_strategy[16];

/* ---------------------------------------------------------------- the plan */

static void add_segment(const char *text) {
    int thread;
    unsigned long upto;
    if (!(given_count & (given_count - 1))) {
        struct segment *larger = grab((given_count ? 2 * (size_t)given_count : 1) * sizeof *given);
        if (given_count) memcpy(larger, given, (size_t)given_count * sizeof *given);
        given = larger;
    }
    struct segment *s = &given[given_count];
    if (sscanf(text, "%d:%lu", &thread, &upto) == 2)
        *s = (struct segment){thread, upto};
    else if (sscanf(text, "%d:-", &thread) == 1)
        *s = (struct segment){thread, UINT64_MAX};
    else
        return;
    given_count++;
}

static void read_schedule(char *text) {
    char *rest = text, *word;
    given = grab(sizeof *given);
    while ((word = strsep(&rest, " \n")))
        if (*word) add_segment(word);
}

static void read_target(const char *text) {
    unsigned long first = 0, second = 0;
    int kind = 0;
    sscanf(text, "%d %lx %lx", &kind, &first, &second);
    options.target = key_of_places(kind, first, second);
}

static void read_item(const char *name, char *value) {
    if (!strcmp(name, "result")) snprintf(plan.result, PATH, "%s", value);
    else if (!strcmp(name, "state")) snprintf(plan.state, PATH, "%s", value);
    else if (!strcmp(name, "input")) snprintf(plan.input, PATH, "%s", value);
    else if (!strcmp(name, "strategy")) snprintf(options.strategy, sizeof options.strategy, "%s", value);
    else if (!strcmp(name, "seed")) options.seed = strtoull(value, NULL, 10);
    else if (!strcmp(name, "runs")) plan.runs = strtoull(value, NULL, 10);
    else if (!strcmp(name, "seconds")) plan.seconds = strtod(value, NULL);
    else if (!strcmp(name, "run_seconds")) plan.run_seconds = strtod(value, NULL);
    else if (!strcmp(name, "operations")) options.most_operations = strtoull(value, NULL, 10);
    else if (!strcmp(name, "depth")) options.depth = atoi(value);
    else if (!strcmp(name, "bound")) options.bound = atoi(value);
    else if (!strcmp(name, "log")) options.log = atoi(value);
    else if (!strcmp(name, "show")) plan.show = atoi(value);
    else if (!strcmp(name, "shorten")) plan.shorten = atoi(value);
    else if (!strcmp(name, "times")) plan.times = atoi(value);
    else if (!strcmp(name, "target")) read_target(value);
    else if (!strcmp(name, "processor")) plan.processor = atoi(value);
    else if (!strcmp(name, "first")) options.first = strtoul(value, NULL, 16);
    else if (!strcmp(name, "second")) options.second = strtoul(value, NULL, 16);
    else if (!strcmp(name, "schedule")) read_schedule(value);
}

static void read_plan(const char *path) {
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    if (!file) {
        fprintf(stderr, "fsoft test: no plan %s\n", path);
        _exit(1);
    }
    while (getline(&line, &size, file) > 0) {
        char *value = strchr(line, ' ');
        if (!value) continue;
        *value++ = 0;
        value[strcspn(value, "\n")] = 0;
        read_item(line, value);
    }
    free(line);
    fclose(file);
}

/* ---------------------------------------------------------------- memory that processes share */

static void *map_shared(const char *path, size_t size) {
    int file = path && *path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file >= 0 && ftruncate(file, (off_t)size)) _exit(74);
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | (file < 0 ? MAP_ANONYMOUS : 0), file, 0);
    if (p == MAP_FAILED) _exit(74);
    if (file >= 0) close(file);
    return p;
}

static void share(void) {
    record = map_shared(NULL, sizeof *record);
    memory = map_shared(plan.state, sizeof *memory);
    if (memory->magic != MAGIC) memset(memory, 0, sizeof *memory);
    memory->magic = MAGIC;
}

/* ---------------------------------------------------------------- a run */

static void in_child(void) {
    forked = 1;
    self = NULL;
}

/* Others may still do something before the process ends. */
void last_turns(void) {
    if (!self || self->inside || forked) return;
    if (toss(2)) self->yielded = MANY_TURNS;
    point_at(EXIT, NULL, self->last_pc);
}

/* After everything else that the program does at its end. */
static void at_end(void) {
    if (forked || !self) return;
    last_turns();
    look_for_leaks();
    record->operations = operations;
    if (record->segment_count < SEGMENTS) record->segments[record->segment_count] = (struct segment){self->id, UINT64_MAX};
    if (record->ending == UNFINISHED) record->ending = ENDED;
    self->inside++;
}

static void quiet_streams(void) {
    int nothing = open("/dev/null", O_RDWR);
    int input = *plan.input ? open(plan.input, O_RDONLY) : -1;
    dup2(input >= 0 ? input : nothing, 0);
    if (!plan.show) dup2(nothing, 1), dup2(nothing, 2);
    if (nothing > 2) close(nothing);
    if (input > 2) close(input);
}

static void start_run(void) {
    heap_policy(strategy == &exhaustive ? 0 : mix(options.seed ^ 0x77));
    choose_strategy();
    snprintf((char *)record->findings[FINDINGS - 1].text, 16, "%s", strategy->name);
    catch_crashes();
    pthread_atfork(NULL, NULL, in_child);
    atexit(at_end);
    start_main();
}

/* `_exit` runs nothing of what `exit` runs. */
static void leave_at_once(int code) {
    if (self && !forked && record->ending == UNFINISHED) {
        last_turns();
        record->operations = operations;
        record->ending = ENDED;
        record->exit_code = code;
    }
    syscall(SYS_exit_group, code);
}

PUBLIC _Noreturn void _exit(int code) {
    leave_at_once(code);
    __builtin_unreachable();
}

PUBLIC _Noreturn void _Exit(int code) {
    leave_at_once(code);
    __builtin_unreachable();
}

/* ---------------------------------------------------------------- looking at what is left */

static double now(void) {
    struct timespec t;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void note_finding(const struct finding *f, uint64_t run, const char *name) {
    uint64_t hash = key_of(f);
    int k = 0, switches = (int)record->switches;
    while (k < key_count && keys[k].hash != hash) k++;
    if (k == MOST_KEYS) return;
    if (k == key_count) key_count++, keys[k].hash = hash, keys[k].switches = 1 << 30;
    keys[k].count++;
    if (switches < keys[k].switches) {
        keys[k].switches = switches;
        write_finding(results, f, run, name, options.seed);
    } else {
        dprintf(results, "again %d %lx %lx\n", (int)f->kind, (unsigned long)f->side[0].pc, (unsigned long)f->side[1].pc);
    }
}

static void note_interleaving(uint64_t hash) {
    for (unsigned k = 0; k < 64; k++) {
        uint64_t *place = &memory->seen[(hash + k) % SEEN];
        if (*place == hash) return;
        if (*place) continue;
        *place = hash;
        memory->distinct++;
        return;
    }
}

static void look(int status, int timed_out) {
    const char *name = last_strategy;
    snprintf(last_strategy, sizeof last_strategy, "%s", record->findings[FINDINGS - 1].text);
    for (int k = 0; k < record->finding_count && k < FINDINGS - 1; k++) note_finding(&record->findings[k], runs_done, name);
    if (timed_out || (record->ending == UNFINISHED && !WIFSIGNALED(status) && !WIFEXITED(status))) {
        run_hangs++;
        dprintf(results, "hang %lu %lu %s\n", (unsigned long)runs_done, (unsigned long)options.seed, name);
    } else if (WIFSIGNALED(status) && record->ending == UNFINISHED) {
        run_crashes++;
        dprintf(results, "killed %lu %lu %d\n", (unsigned long)runs_done, (unsigned long)options.seed, WTERMSIG(status));
    }
    run_cuts += record->ending == CUT;
    if (record->ending == CUT && options.most_operations > FEWEST) options.most_operations /= 2; /* such a program may never end */
    run_prunes += record->ending == PRUNED;
    all_operations += record->operations;
    all_switches += record->switches;
    if (record->ending == ENDED) memory->typical = memory->typical ? (memory->typical * 7 + record->decisions) / 8 : record->decisions;
    note_interleaving(mix(record->outcome ^ 1));
    memory->runs++;
    runs_done++;
}

static void write_log(void) {
    for (int k = 0; k < record->step_count; k++) {
        const struct step *s = &record->steps[k];
        dprintf(results, "step %d %d %d %zu %lx %lx %lx %lx\n", s->thread, (int)s->kind, s->how, s->size, (unsigned long)s->address, (unsigned long)s->pc,
                (unsigned long)s->value, (unsigned long)s->after);
    }
    dprintf(results, "ending %d %d %lu\n", (int)record->ending, record->exit_code, (unsigned long)record->operations);
}

static void write_candidates(void) {
    for (uint32_t k = 0; k < memory->candidate_count; k++) {
        const struct candidate *c = &memory->candidates[k];
        dprintf(results, "candidate %lx %lx %u %d\n", (unsigned long)c->first, (unsigned long)c->second, c->tried, c->confirmed);
    }
}

static int write_module(struct dl_phdr_info *info, size_t size, void *about) {
    (void)size, (void)about;
    for (int k = 0; k < info->dlpi_phnum; k++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[k];
        uintptr_t low = info->dlpi_addr + h->p_vaddr;
        if (h->p_type != PT_LOAD) continue;
        dprintf(results, "module %lx %lx %lx %s\n", (unsigned long)low, (unsigned long)(low + h->p_memsz), (unsigned long)info->dlpi_addr, info->dlpi_name);
    }
    return 0;
}

static void write_totals(double seconds) {
    dl_iterate_phdr(write_module, NULL);
    write_candidates();
    dprintf(results, "totals %lu %lu %lu %lu %lu %lu %lu %lu %u %u %.3f %lu\n", (unsigned long)runs_done, (unsigned long)memory->runs, (unsigned long)memory->distinct,
            (unsigned long)all_operations, (unsigned long)all_switches, (unsigned long)run_hangs, (unsigned long)run_cuts, (unsigned long)run_prunes,
            memory->pair_count, memory->both_orders, seconds, (unsigned long)complete);
}

/* ---------------------------------------------------------------- the loop */

static void reset_record(void) {
    size_t used = record->segment_count < SEGMENTS ? (size_t)record->segment_count : SEGMENTS - 1;
    memset(record->segments, 0, (used + 1) * sizeof *record->segments);
    memset(record, 0, offsetof(struct record, segments));
}

static int wait_for_child(pid_t child, int *status) {
    int file = (int)syscall(SYS_pidfd_open, child, 0), timed_out = 0;
    struct pollfd one = {file, POLLIN, 0};
    struct timespec limit = {(time_t)plan.run_seconds, (long)((plan.run_seconds - (double)(time_t)plan.run_seconds) * 1e9)};
    int got = file < 0 ? -1 : (int)syscall(SYS_ppoll, &one, 1, &limit, NULL, 8);
    timed_out = got == 0;
    if (timed_out) kill(child, SIGKILL);
    while (syscall(SYS_wait4, child, status, 0, NULL) < 0 && errno == EINTR) continue;
    kill(-child, SIGKILL);
    if (file >= 0) close(file);
    return timed_out;
}

/* One run in a process of its own. 1 in that process. */
static int run_once(int *status, int *timed_out) {
    *status = 0;
    reset_record();
    pid_t child = (pid_t)fork();
    if (child < 0) syscall(SYS_exit_group, 75);
    if (!child) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        quiet_streams();
        return 1;
    }
    setpgid(child, child);
    *timed_out = wait_for_child(child, status);
    return 0;
}

/* ---------------------------------------------------------------- shortening a schedule */

static int reproduces(void) {
    for (int k = 0; k < record->finding_count && k < FINDINGS - 1; k++)
        if (key_of(&record->findings[k]) == options.target ) return 1;
    return 0;
}

/* The schedule that the run really followed. */
static void take_schedule(void) {
    int count = record->segment_count + 1;
    if (count > SEGMENTS) return;
    given = grab((size_t)count * sizeof *given);
    memcpy(given, record->segments, (size_t)count * sizeof *given);
    given_count = count;
}

static void without(const struct segment *all, int count, int from, int size) {
    given_count = 0;
    given = grab((size_t)count * sizeof *given);
    for (int k = 0; k < count; k++) {
        if (from <= k && k < from + size) continue;
        if (given_count && given[given_count - 1].thread == all[k].thread) given_count--;
        given[given_count++] = all[k];
    }
}

/* Fewer segments while the finding stays: larger parts are left out first. 1 in the process of a run. */
static int shorten(void) {
    double end = now() + plan.seconds;
    int status, timed_out, count, tried = 0;
    if (run_once(&status, &timed_out)) return 1;
    plan.repeated = reproduces();
    if (!plan.repeated) return 0;
    take_schedule();
    const struct segment *best = given;
    count = given_count;
    for (int size = count / 2; size >= 1; size = size == 1 ? 0 : (size + 1) / 2) {
        for (int from = 0; from + size <= count && now() < end && tried < 3000;) {
            without(best, count, from, size);
            tried++;
            if (run_once(&status, &timed_out)) return 1;
            if (!timed_out && reproduces() && record->segment_count + 1 < count) {
                take_schedule();
                best = given;
                count = given_count;
            } else {
                from += size;
            }
        }
    }
    given = (struct segment *)best;
    given_count = count;
    return 0;
}

/* The finding that the plan is about once more, told step by step. 1 in the process of a run. */
static int tell(void) {
    int status, timed_out;
    if (plan.shorten && shorten()) return 1;
    options.log = 1;
    for (int k = 0; k < plan.times; k++) {
        if (run_once(&status, &timed_out)) return 1;
        dprintf(results, "repeated %d\n", reproduces());
    }
    for (int k = 0; k < record->finding_count && k < FINDINGS - 1; k++) write_finding(results, &record->findings[k], 0, "given", options.seed);
    write_log();
    return 0;
}

/* Returns in the process of a run; the server itself never comes back. */
static void serve(void) {
    double start = now();
    uint64_t first = options.seed;
    int status, timed_out;
    if (given) {
        if (tell()) return;
        plan.runs = 0;
    }
    for (uint64_t k = 0; k < plan.runs && now() - start < plan.seconds; k++) {
        options.seed = first + k;
        if (run_once(&status, &timed_out)) return;
        look(status, timed_out);
        if (!strcmp(options.strategy, "exhaustive") && !exhaustive_next()) {
            complete = (uint64_t)exhaustive_complete();
            break;
        }
    }
    write_totals(now() - start);
    syscall(SYS_exit_group, 0);
}

/* Addresses must be the same in every run. */
static void without_random_addresses(void) {
    char *arguments[1024], text[1 << 16];
    int count = 0, file, got;
    if (personality(0xffffffff) & ADDR_NO_RANDOMIZE || personality(ADDR_NO_RANDOMIZE) < 0) return;
    if ((file = open("/proc/self/cmdline", O_RDONLY)) < 0) return;
    for (got = 0; got < (int)sizeof text - 1;) {
        ssize_t n = syscall(SYS_read, file, text + got, sizeof text - 1 - (size_t)got);
        if (n <= 0) break;
        got += (int)n;
    }
    close(file);
    text[got] = 0;
    for (int at = 0; at < got && count < 1023; at += (int)strlen(text + at) + 1) arguments[count++] = text + at;
    arguments[count] = NULL;
    extern char **environ;
    execve("/proc/self/exe", arguments, environ);
}

static void on_one_processor(void) {
    cpu_set_t set;
    unsigned number = 0;
    syscall(SYS_getcpu, &number, NULL, NULL);
    CPU_ZERO(&set);
    CPU_SET(plan.processor >= 0 ? (unsigned)plan.processor : number, &set);
    sched_setaffinity(0, sizeof set, &set);
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FSOFT_TEST");
    real_functions();
    if (path) {
        without_random_addresses();
        read_plan(path);
        unsetenv("FSOFT_TEST");
        results = open(plan.result, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        share();
        read_functions();
        on_one_processor();
        exhaustive_prepare();
        serve();
    } else {
        share();
        read_functions();
    }
    start_run();
}
