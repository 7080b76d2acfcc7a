/* Undefined behaviour that gcc's own checks find ends the replay. */
#include "../../common/undefined.h"
#include "runtime.h"
#include <string.h>

static void undefined_behaviour(const char *kind, const struct source_place *at, const void *pc, const char *what) {
    const char *bounds = strcmp(ending.property, "no-bad-index") ? "access" : "index";
    fail_here(strcmp(kind, "bounds") ? kind : bounds, line_of(pc), "%s:%u:%u: %s", at->file ? at->file : "?", at->line, at->column, what);
}

UNDEFINED_HANDLERS()
