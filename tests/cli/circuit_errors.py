"""Commands on circuits that must fail, each with its exit code and the one line it prints."""

# ruff: noqa: E501 (one row, one line)

from __future__ import annotations

from dataclasses import dataclass, field

USAGE, BAD = 1, 2
AAG = "aag 3 1 1 0 1 1\n2\n4 6\n6\n6 2 4\n"


@dataclass(frozen=True)
class Row:
    """A command that must fail with this code and one line that the pattern matches."""

    name: str
    code: int
    pattern: str
    args: str
    files: dict[str, str | bytes] = field(default_factory=dict)


ROWS = [
    Row("build without -o", USAGE, "build needs -o", "build race.c"),
    Row("unknown format", USAGE, r"must end in \.aag", "build race.c -o m.vhdl"),
    Row("no suffix", USAGE, r"must end in \.aag", "build race.c -o aag"),
    Row("unknown bad", BAD, "no bad 'nothing': one of unreach-call", "build race.c -o m.aag --bad nothing"),
    Row("fold for BTOR2", USAGE, "--fold-constraints is for AIGER", "build race.c -o m.btor2 --fold-constraints"),
    Row("depth for AIGER", USAGE, r"--depth is for \.smt2", "build race.c -o m.aag --depth 3"),
    Row("negative depth", USAGE, "--depth", "build race.c -o m.smt2 --depth -3"),
    Row("absurd depth", USAGE, "--depth: at most", "build race.c -o m.smt2 --depth 99999999"),
    Row("folder that is not there", BAD, "cannot be written", "build race.c -o nowhere/m.aag"),
    Row("output is a folder", BAD, "is a folder", "build race.c -o sub.aag"),
    Row("no such race model", USAGE, "--race-model: invalid choice", "check race.c --race-model tso"),
    Row("race model without races", USAGE, "--race-model says what a data race is", "build race.c -o m.aag --race-model c11"),
    Row("race model for a model", USAGE, "the race model is part of the model", "check m.aag --race-model c11", {"m.aag": AAG}),
    Row("no such C file", BAD, "gone.c: error: there is no such file", "build gone.c -o m.aag"),
    Row("zero contexts", USAGE, "--contexts", "check race.c --engine bmc --contexts 0"),
    Row("absurd contexts", USAGE, "--contexts: at most", "check race.c --engine bmc --contexts 99999999999"),
    Row("scheduler without its number", USAGE, "--scheduler round-robin needs --rounds", "check race.c --engine bmc --scheduler round-robin"),
    Row("number of another scheduler", USAGE, "--contexts is for --scheduler context-bounded", "check race.c --engine bmc --scheduler free --contexts 3"),
    Row("unknown thread in a schedule", USAGE, "'9' is no thread", "check race.c --engine bmc --schedule 0,9"),
    Row("scheduler for explicit", USAGE, "explicit has no --scheduler", "check race.c --engine explicit --contexts 3"),
    Row("no contexts", USAGE, "--contexts: must be at least 1, not 0", "check race.c --encoding tcbmc --contexts 0"),
    Row("fewer than no rounds", USAGE, "--rounds: must be at least 1, not -3", "check race.c --encoding lazy --rounds -3"),
    Row("absurdly many contexts", USAGE, "--contexts: from 1 to 4096", "check race.c --encoding tcbmc --contexts 99999999999999999999"),
    Row("absurdly many rounds", USAGE, "--rounds: from 1 to 1000", "check race.c --encoding lazy --rounds 99999999"),
    Row("absurdly many writes", USAGE, "--writes: from 1 to 4096", "check race.c --encoding mu --writes 99999999"),
    Row("absurdly many switches", USAGE, "--context-bound: from 1 to 4096", "check race.c --encoding schedule --context-bound 99999999"),
    Row("absurd unwinding", USAGE, "--unwind wants a number from 1 to", "check race.c --encoding lazy --unwind 99999999999999999999"),
    Row("absurd start", USAGE, "'start' can be unwound at most", "check race.c --encoding lazy --unwindset start:999999999"),
    Row("threads that are not there", USAGE, "--schedule: no thread '7'", "check race.c --encoding lazy --schedule 0,7"),
    Row("absurdly long number", USAGE, "'start' can be unwound at most 100000", f"check race.c --encoding lazy --unwindset start:{'9' * 5000}"),
    Row("a round of nobody", USAGE, "--schedule: a round is empty", "check race.c --encoding lazy --schedule 0::+"),
    Row("proof nowhere", BAD, "nowhere/p.drat: error: cannot be written", "check race.c --encoding tcbmc --proof nowhere/p.drat"),
    Row("proof that is a folder", BAD, "sub.aag: error: is a folder", "check race.c --encoding tcbmc --proof sub.aag"),
    Row("C of too many rounds", USAGE, "--rounds: from 1 to 1000", "sequentialize race.c --rounds 99999999"),
    Row("model of nobody's schedule", USAGE, "--schedule: no thread 'nobody'", "build race.c --encoding lazy --schedule nobody -o n.aag"),
    Row("scheduler for nobody", USAGE, "--contexts is for one engine or encoding", "check race.c --contexts 3"),
    Row("unknown solver", USAGE, "--solver for the engine bmc: one of .*, not abacus", "check race.c --engine bmc --solver abacus"),
    Row("option of another engine", USAGE, "pdr has no --depth", "check race.c --engine pdr --depth 3"),
    Row("witness file for C", USAGE, "the name must end in .graphml or .yml", "check race.c --engine bmc --witness w"),
    Row("explicit on a model", USAGE, "no engine 'explicit' for models", "check m.aag --engine explicit", {"m.aag": AAG}),
    Row("model and C file", USAGE, "is a model: give it alone", "check m.aag race.c", {"m.aag": AAG}),
    Row("deadlocks for values", BAD, "values does not answer no-deadlock: ask explicit", "check race.c --engine values --deadlock-check"),
    Row("leaks for parametric", BAD, "parametric does not answer valid-memtrack", "check race.c --engine parametric --property valid-memtrack"),
    Row("a formula for values", BAD, "values does not answer ltl", "check race.c --engine values --ltl ended()"),
    Row("termination for lock-order", BAD, "lock-order does not answer termination", "check race.c --engine lock-order --property termination"),
    Row("termination for parametric", BAD, "parametric does not answer termination", "check race.c --engine parametric --property termination"),
    Row("termination for sat", BAD, "sat does not answer termination", "check race.c --engine sat --property termination"),
    Row("stubborn sets for parametric", USAGE, "parametric looks at no interleavings", "check race.c --engine parametric --por cstub"),
    Row("stubborn sets for values", USAGE, "values looks at no interleavings", "check race.c --engine values --por cstub"),
    Row("all engines are listed", USAGE, "one of explicit, .*values, bmc, .*portfolio, auto, klive", "check race.c --engine foo"),
    Row("scheduler for a model", USAGE, "part of the model", "check m.aag --contexts 3", {"m.aag": AAG}),
    Row("model that is not there", BAD, "gone.aag: error: there is no such file", "check gone.aag"),
    Row("model that is a folder", BAD, "sub.aag: error: this is a directory", "check sub.aag"),
    Row("empty AIGER", BAD, "m.aag:1: error: not an AIGER file", "check m.aag", {"m.aag": ""}),
    Row("truncated AIGER", BAD, r"m.aag:\d+: error: the AIGER file ends too early", "check m.aag", {"m.aag": AAG[:22]}),
    Row("AIGER of another kind", BAD, "m.aag:1: error: not an AIGER file", "check m.aag", {"m.aag": "hello\n"}),
    Row("AIGER with a huge header", BAD, "m.aag:1: error: ", "check m.aag", {"m.aag": "aag 999999999 999999999 0 0 0\n"}),
    Row("AIGER with a cycle", BAD, "m.aag:.*error: ", "check m.aag", {"m.aag": "aag 3 1 0 0 2 1\n2\n4\n4 6 2\n6 4 2\n"}),
    Row("truncated binary", BAD, "m.aig.*error: .*too early", "check m.aig", {"m.aig": b"aig 3 1 1 0 1 1\n4\n6\n\x82"}),
    Row("binary junk", BAD, "m.aig.*error: ", "check m.aig", {"m.aig": b"aig 3 1 1 0 1 1\n4\n6\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"}),
    Row("BTOR2 that is no text", BAD, "m.btor2: error: not a BTOR2 file", "check m.btor2", {"m.btor2": b"\xff\xfe\x00"}),
    Row("BTOR2 of no sense", BAD, r"m.btor2:1: error: ", "check m.btor2", {"m.btor2": "1 sort fish 3\n"}),
    Row("BTOR2 with a missing node", BAD, r"m.btor2:2: error: ", "check m.btor2", {"m.btor2": "1 sort bitvec 1\n2 bad 7\n"}),
    Row("explain without a map", BAD, "m.map.json: error: there is no such file", "explain m.aag w", {"m.aag": AAG, "w": ""}),
    Row("explain SMV", USAGE, "witnesses are explained for", "explain m.smv w", {"m.smv": "", "w": ""}),
    Row("map that is no JSON", BAD, "m.map.json:1: error: not valid JSON", "explain m.aag w", {"m.aag": AAG, "w": "", "m.map.json": "{"}),
    Row("map of another kind", BAD, "not a map that fsoft wrote", "explain m.aag w", {"m.aag": AAG, "w": "", "m.map.json": "[1, 2]"}),
    Row("map without entries", BAD, "'map' is missing", "explain m.aag w", {"m.aag": AAG, "w": "", "m.map.json": "{}"}),
    Row("deep map", BAD, "not valid JSON", "explain m.aag w", {"m.aag": AAG, "w": "", "m.map.json": "[" * 100_000}),
    Row("binary map", BAD, "not a text file", "explain m.aag w", {"m.aag": AAG, "w": "", "m.map.json": b"\xff\xfe"}),
    Row("witness that is not there", BAD, "gone: error: there is no such file", "explain built.aag gone"),
    Row("empty witness", BAD, r"w(:\d+)?: error: the witness ends too early", "explain built.aag w", {"w": ""}),
    Row("witness of TRUE", BAD, r"w:1: error: the witness says that there is no", "explain built.aag w", {"w": "0\nb0\n.\n"}),
    Row("witness of another model", BAD, r"w:3: error: the witness has 3 latches", "explain built.aag w", {"w": "1\nb0\n000\n0\n.\n"}),
    Row("binary witness", BAD, "w: error: not a text file", "explain built.aag w", {"w": b"\xff\xfe\x00\x01"}),
    Row("witness of no sense", BAD, r"w:\d+: error: ", "explain built.aag w", {"w": "to be or not to be\n"}),
    Row("BTOR2 witness for AIGER", BAD, "belongs to a .btor2 model", "explain built.aag w", {"w": "sat\nb0\n#0\n@0\n.\n"}),
]  # fmt: skip
