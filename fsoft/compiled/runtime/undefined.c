/* What gcc calls when it compiles with -fsanitize=signed-integer-overflow, shift, integer-divide-by-zero, float-cast-overflow or bounds. */
#include "../common/undefined.h"
#include "runtime.h"
#include <string.h>

static const char *property_of(const char *kind) {
    static const char *const names[][2] = {
        {"overflow", "no-overflow"}, {"shift", "no-bad-shift"}, {"division", "no-division-by-zero"},
        {"conversion", "no-bad-conversion"}, {"bounds", "no-bad-index"},
    };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(kind, names[k][0])) return names[k][1];
    return "no-undefined-behaviour";
}

static void undefined_behaviour(const char *kind, const struct source_place *at, const void *pc, const char *what) {
    if (self && !self->inside) report(UNDEFINED, property_of(kind), 0, (uintptr_t)pc, "%s:%u:%u: %s", at->file ? at->file : "?", at->line, at->column, what);
}

UNDEFINED_HANDLERS(PUBLIC)
