/* What gcc calls when it compiles with -fsanitize=signed-integer-overflow, shift, integer-divide-by-zero, float-cast-overflow or bounds. */
#include "runtime.h"

#include <string.h>

struct place { /* how every record of the sanitizer begins */
    const char *file;
    unsigned line, column;
};

static void caught(const char *kind, const struct place *at, const void *pc, const char *what) {
    fail_here(kind, line_of(pc), "%s:%u:%u: %s", at->file ? at->file : "?", at->line, at->column, what);
}

#define HANDLER(name, kind, what)                                                          \
    void __ubsan_handle_##name(const struct place *at, void *a, void *b) {                 \
        (void)a, (void)b;                                                                  \
        caught(kind, at, HERE, what);                                                      \
    }
HANDLER(add_overflow, "overflow", "signed addition overflows")
HANDLER(sub_overflow, "overflow", "signed subtraction overflows")
HANDLER(mul_overflow, "overflow", "signed multiplication overflows")
HANDLER(shift_out_of_bounds, "shift", "shift by an amount that is negative or too large, or of a value that does not fit")

void __ubsan_handle_negate_overflow(const struct place *at, void *a) {
    (void)a;
    caught("overflow", at, HERE, "signed negation overflows");
}

void __ubsan_handle_divrem_overflow(const struct place *at, void *a, void *b) {
    (void)a;
    caught(b ? "overflow" : "division", at, HERE, b ? "signed division overflows" : "division by zero");
}

void __ubsan_handle_float_cast_overflow(const struct place *at, void *a) {
    (void)a;
    caught("conversion", at, HERE, "a floating number is converted to an integer type that cannot hold it");
}

void __ubsan_handle_out_of_bounds(const struct place *at, void *index) {
    (void)index;
    caught(strcmp(ending.property, "no-bad-index") ? "access" : "index", at, HERE, "array index out of bounds");
}
