/* The functions that gcc calls when it compiles with -fsanitize=signed-integer-overflow, shift, integer-divide-by-zero, float-cast-overflow or
   bounds. Who includes this defines `undefined_behaviour`, which is told the kind: overflow, shift, division, conversion or bounds. */
#pragma once

struct source_place { /* how every record of the sanitizer begins */
    const char *file;
    unsigned line, column;
};

static void undefined_behaviour(const char *kind, const struct source_place *at, const void *pc, const char *what);

#define UNDEFINED_BINARY(how, name, kind, what)                                                                        \
    how void __ubsan_handle_##name(const struct source_place *at, void *a, void *b) {                                  \
        (void)a, (void)b;                                                                                              \
        undefined_behaviour(kind, at, __builtin_return_address(0), what);                                              \
    }

#define UNDEFINED_HANDLERS(how)                                                                                        \
    UNDEFINED_BINARY(how, add_overflow, "overflow", "signed addition overflows")                                       \
    UNDEFINED_BINARY(how, sub_overflow, "overflow", "signed subtraction overflows")                                    \
    UNDEFINED_BINARY(how, mul_overflow, "overflow", "signed multiplication overflows")                                 \
    UNDEFINED_BINARY(how, shift_out_of_bounds, "shift",                                                                \
                     "shift by an amount that is negative or too large, or of a value that does not fit")              \
    how void __ubsan_handle_negate_overflow(const struct source_place *at, void *a) {                                  \
        (void)a;                                                                                                       \
        undefined_behaviour("overflow", at, __builtin_return_address(0), "signed negation overflows");                 \
    }                                                                                                                  \
    how void __ubsan_handle_divrem_overflow(const struct source_place *at, void *a, void *b) {                         \
        (void)a;                                                                                                       \
        undefined_behaviour(b ? "overflow" : "division", at, __builtin_return_address(0),                              \
                            b ? "signed division overflows" : "division by zero");                                     \
    }                                                                                                                  \
    how void __ubsan_handle_float_cast_overflow(const struct source_place *at, void *a) {                              \
        (void)a;                                                                                                       \
        undefined_behaviour("conversion", at, __builtin_return_address(0),                                             \
                            "a floating number is converted to an integer type that cannot hold it");                  \
    }                                                                                                                  \
    how void __ubsan_handle_out_of_bounds(const struct source_place *at, void *index) {                                \
        (void)index;                                                                                                   \
        undefined_behaviour("bounds", at, __builtin_return_address(0), "array index out of bounds");                   \
    }
