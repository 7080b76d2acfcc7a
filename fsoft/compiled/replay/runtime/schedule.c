/* The schedule file: one item per line, written by fsoft/compiled/replay/schedule.py. */
#include "runtime.h"
#include <stdlib.h>
#include <string.h>

const char *const kind_names[KINDS] = {
    "access", "section", "free", "create", "join", "exit", "acquire", "release", "try", "rdlock", "wrlock", "rwunlock", "wait", "wake",
    "signal", "broadcast", "semwait", "post", "arrive", "barrier", "once", "init", "destroy", "detach", "cancel", "alloc",
};

struct row {
    uintptr_t pc;
    int line;
};
struct function {
    uintptr_t start, end;
    int kind;
};
struct range {
    uintptr_t low, high;
};

struct event *events;
int event_count, now;
struct input *inputs;
int input_count;
struct allocation *allocations;
int allocation_count;
struct creation *creations;
int creation_count;
struct ending ending = {.slot = -1, .object = -1};
int blocked[MOST_THREADS], blocked_count;
static struct row *rows;
static int row_count;
static struct function *functions;
static int function_count;
static struct object *objects;
static int object_count;
static struct range *ranges;
static int range_count;

/* Room for one more; grows in powers of two. */
static void *more(void *items, int count, size_t size) {
    if (count & (count - 1)) return items;
    items = realloc(items, (count ? 2 * (size_t)count : 1) * size);
    if (!items) abort();
    return items;
}

#define ADD(items, count) (items = more(items, count, sizeof *items), memset(&items[count], 0, sizeof *items), &items[count++])

static void read_event(const char *line) {
    struct event *e = ADD(events, event_count);
    char kind[24];
    sscanf(line, "event %d %23s %d %ld %zu %d %d %d %d", &e->slot, kind, &e->object, &e->offset, &e->size, &e->how, &e->line, &e->flags, &e->detail);
    while (e->kind < KINDS && strcmp(kind, kind_names[e->kind])) e->kind++;
}

static void read_poke(const char *line) {
    struct poke *p = calloc(1, sizeof *p);
    if (!p || !event_count) abort();
    sscanf(line, "poke %d %ld %d %llx", &p->object, &p->offset, &p->size, &p->value);
    p->next = events[event_count - 1].pokes;
    events[event_count - 1].pokes = p;
}

static void read_line(const char *line) {
    unsigned long a, b;
    int n, kind;
    if (sscanf(line, "line %lx %d", &a, &n) == 2) {
        struct row *r = ADD(rows, row_count);
        r->pc = a, r->line = n;
    } else if (sscanf(line, "function %lx %lx %d", &a, &b, &kind) == 3) {
        struct function *f = ADD(functions, function_count);
        f->start = a, f->end = b, f->kind = kind;
    } else if (sscanf(line, "object %d %lx %lu", &n, &a, &b) == 3) {
        struct object *o = ADD(objects, object_count);
        o->id = n, o->base = a, o->size = b, o->firm = a != 0;
    } else if (sscanf(line, "static %lx %lx", &a, &b) == 2) {
        struct range *r = ADD(ranges, range_count);
        r->low = a, r->high = a + b;
    } else if (!strncmp(line, "event ", 6)) {
        read_event(line);
    } else if (!strncmp(line, "poke ", 5)) {
        read_poke(line);
    } else if (!strncmp(line, "input ", 6)) {
        struct input *i = ADD(inputs, input_count);
        sscanf(line, "input %d %d %llx %63s", &i->slot, &i->line, &i->value, i->name);
    } else if (!strncmp(line, "alloc ", 6)) {
        struct allocation *x = ADD(allocations, allocation_count);
        sscanf(line, "alloc %d %d %d %zu", &x->slot, &x->line, &x->object, &x->size);
    } else if (!strncmp(line, "creates ", 8)) {
        struct creation *c = ADD(creations, creation_count);
        sscanf(line, "creates %d %d", &c->slot, &c->created);
    } else if (!strncmp(line, "end ", 4)) {
        sscanf(line, "end %23s %31s %d %d %d %ld", ending.kind, ending.property, &ending.slot, &ending.line, &ending.object, &ending.offset);
    } else if (sscanf(line, "blocked %d", &n) == 1) {
        blocked[blocked_count++ % MOST_THREADS] = n;
    }
}

void read_schedule(const char *path) {
    char line[512];
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!file) {
        fprintf(stderr, "fsoft replay: no schedule (FSOFT_REPLAY names the file)\n");
        exit(1);
    }
    while (fgets(line, sizeof line, file)) read_line(line);
    fclose(file);
}

struct object *object_of(int id) {
    for (int k = 0; k < object_count; k++)
        if (objects[k].id == id) return &objects[k];
    return NULL;
}

struct object *global_at(uintptr_t address) {
    for (int k = 0; k < object_count; k++)
        if (objects[k].firm && objects[k].base <= address && address < objects[k].base + objects[k].size) return &objects[k];
    return NULL;
}

/* The line of the call that returns to `pc`: rows are sorted by address. */
int line_of(const void *pc) {
    uintptr_t at = (uintptr_t)pc - 1;
    int low = 0, high = row_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (rows[middle].pc <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return pc && low ? rows[low - 1].line : 0;
}

enum function_kind function_at(const void *pc) {
    uintptr_t at = (uintptr_t)pc;
    for (int k = 0; k < function_count; k++)
        if (functions[k].start < at && at <= functions[k].end) return functions[k].kind;
    return PLAIN;
}

int static_range(int k, uintptr_t *low, uintptr_t *high) {
    if (k >= range_count) return 0;
    *low = ranges[k].low, *high = ranges[k].high;
    return 1;
}
