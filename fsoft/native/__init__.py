"""The enumeration of all states at machine speed: a Program becomes a C program of its own that runs on all cores.

`source.py` writes it (`packing.py` lays states out in words, `ctext.py` writes expressions, `steps.py` steps, `tables.py` what they
look up), `build.py` compiles it and remembers what was compiled, `run.py` runs it in a process of its own and reads what it reports.
`runtime/` is written by hand: memory, the set of states, the search. Who asks is `checkers/explicit`; every answer is replayed by the
definition.
"""
