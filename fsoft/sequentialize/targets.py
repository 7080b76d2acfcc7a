"""What printed programs call: the names that each verifier has for choosing, assuming and asserting; and a harness for gcc."""

from __future__ import annotations

from dataclasses import dataclass

TYPES = """typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;"""
WIDE = """typedef unsigned __int128 u128;
typedef __int128 s128;"""

_SVCOMP = {1: "_Bool", 8: "uchar", 16: "ushort", 32: "uint", 64: "ulonglong"}
_PLAIN = {1: "bool", 8: "uchar", 16: "ushort", 32: "uint", 64: "ulonglong"}


@dataclass(frozen=True, slots=True)
class Target:
    """One tool. `nondet(bits, site)` is an expression, `assume` and `check` are statements with the condition (and the claim) put in.
    `vectors`: it has bit-vector types of any width. `harness`: the program is run, not verified."""

    name: str
    prelude: tuple[str, ...]
    assume: str
    check: str
    vectors: bool = False
    harness: bool = False

    def nondet(self, bits: int, site: int) -> str:
        if self.name == "gcc":
            return f"({'_Bool' if bits == 1 else f'u{bits}'})choose({site})" if bits > 1 else f"(choose({site}) & 1u) != 0"
        if self.name == "klee":
            return f"symbolic_{bits}()"
        if self.name == "svcomp":
            return f"__VERIFIER_nondet_{'bool' if bits == 1 else _SVCOMP[bits]}()"
        return f"nondet_{_PLAIN[bits]}()"

    def declarations(self, used: set[int]) -> list[str]:
        """Of the functions that choose words of these sizes."""
        if self.name == "gcc":
            return []
        types = {bits: "_Bool" if bits == 1 else f"u{bits}" for bits in sorted(used)}
        if self.name == "klee":
            body = 'klee_make_symbolic(&v, sizeof v, "v"); return v;'
            return [f"static {kind} symbolic_{bits}(void) {{ {kind} v; {body} }}" for bits, kind in types.items()]
        return [f"extern {kind} {self.nondet(bits, 0)[:-2]}(void);" for bits, kind in types.items()]


_VECTORS = """#ifdef __CPROVER__
#define BITS(n, kind) unsigned __CPROVER_bitvector[n]
#else
#define BITS(n, kind) kind
#endif"""
"""Bit-vectors of any width are CBMC's alone: a compiler gets the type in which other files have them."""

_GCC = """#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* Runs of this program: without arguments one at random, `-n N` as many at random, `-s SEED` other ones, `-v FILE` the
   one that the file says (a line "site value" for each choice). Exit code 10 and the failed claim if one fails. */
static jmp_buf over;
static const char *failed;
static u64 *given, dice = 88172645463325252ull;
__attribute__((unused)) static u64 choose(u32 site) {
    if (given) return given[site];
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return dice >> 8;
}
__attribute__((unused)) static void assume(_Bool c) { if (!c) longjmp(over, 1); }
__attribute__((unused)) static void check(_Bool c, const char *what) { if (!c) { failed = what; longjmp(over, 2); } }"""

GCC_MAIN = """static void play(void) {
    reset();
    if (!setjmp(over)) run();
}
int main(int argc, char **argv) {
    long count = 1;
    for (int k = 1; k + 1 < argc; k += 2) {
        if (!strcmp(argv[k], "-n")) count = atol(argv[k + 1]);
        else if (!strcmp(argv[k], "-s")) dice += 2862933555777941757ull * (u64)atol(argv[k + 1]);
        else if (!strcmp(argv[k], "-v")) {
            FILE *file = fopen(argv[k + 1], "r");
            unsigned long site;
            unsigned long long value;
            if (!file || !(given = calloc(SITES + 1u, sizeof *given))) return 2;
            while (fscanf(file, "%lu %llu", &site, &value) == 2) if (site < SITES) given[site] = value;
            fclose(file);
        }
    }
    for (long k = 0; k < count && !failed; k++) play();
    if (failed) printf("%s\\n", failed);
    return failed ? 10 : 0;
}"""

TARGETS = {
    one.name: one
    for one in (
        Target(
            "cbmc",
            (_VECTORS, "extern void __CPROVER_assume(_Bool);", "extern void __CPROVER_assert(_Bool, const char *);"),
            "__CPROVER_assume({0});",
            '__CPROVER_assert({0}, "{1}");',
            vectors=True,
        ),
        Target(
            "esbmc",
            ("extern void __ESBMC_assume(_Bool);", "extern void __ESBMC_assert(_Bool, const char *);"),
            "__ESBMC_assume({0});",
            '__ESBMC_assert({0}, "{1}");',
        ),
        Target(
            "klee",
            (
                "extern void klee_make_symbolic(void *, unsigned long, const char *);",
                "extern void klee_silent_exit(int) __attribute__((noreturn));",
                "extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));",
            ),
            "if (!({0})) klee_silent_exit(0);",
            'if (!({0})) __assert_fail("{1}", __FILE__, __LINE__, "main");',
        ),
        Target(
            "svcomp",
            (
                "extern void abort(void) __attribute__((noreturn));",
                "extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));",
                'void reach_error(void) { __assert_fail("0", "fsoft", 0, "reach_error"); }',
            ),
            "if (!({0})) abort();",
            "if (!({0})) reach_error(); /* {1} */",
        ),
        Target("gcc", (_GCC,), "assume({0});", 'check({0}, "{1}");', harness=True),
    )
}
"""Tools by name."""
