#include "shadow.h"
#include <stdlib.h>

struct shadow *shadow_of(const void *address) {
    static struct shadow *all;
    static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&guard);
    struct shadow *s = all;
    while (s && s->address != address) s = s->next;
    if (!s) {
        s = calloc(1, sizeof *s);
        if (!s) abort();
        s->address = address;
        s->next = all;
        all = s;
    }
    pthread_mutex_unlock(&guard);
    return s;
}

int waiters(const struct shadow *s) {
    int count = 0;
    for (int k = 0; k < MOST_THREADS; k++) count += s->waiting[k] != 0;
    return count;
}

int readers(const struct shadow *s) {
    int count = 0;
    for (int k = 0; k < MOST_THREADS; k++) count += s->readers[k] != 0;
    return count;
}

void misuse(int wrong, const void *pc, const char *message) {
    if (wrong) fail_here("misuse", line_of(pc), "%s", message);
}

void misuse_static(int wrong, const void *object, const void *pc, const char *message) {
    extern const char __data_start[], _end[];
    misuse(wrong && __data_start <= (const char *)object && (const char *)object < _end, pc, message);
}

void enter_call(const char *name) {
    self->call = name;
    arrivals++;
}

void leave_call(void) {
    self->call = NULL;
    self->escaped |= self->released;
    arrivals++;
}
