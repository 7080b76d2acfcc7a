"""The bubble-sort table of the TCBMC paper (its table 1): `python benchmarks/bubble_sort.py [--encoding E] [--timeout S]`.

Two threads sort an array without a lock; elements get lost. Arrays of 3, 4, 5 elements of 8, 16 and 32 bits, in 6 and 10 contexts. Each
cell is the processor time of one `fsoft check` that finds the bug, start-up included, with the paper's seconds (another machine, 2005)
beside it. Exits with 1 if a cell is not FALSE within the limit.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measured import PROGRAMS, fsoft, table

PAPER = {
    3: ("0.4", "0.2", "3.6", "4.0", "20.3", "48.3"),
    4: ("11.5", "1.3", "14.6", "58.7", "135.2", "323.0"),
    5: ("71.0", "94.1", "125.7", "3013.0", "1124.0", "> 3600"),
}
COLUMNS = [(bits, contexts) for bits in (8, 16, 32) for contexts in (6, 10)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoding", default="tcbmc")
    parser.add_argument("--order", default="round-robin")
    parser.add_argument("--timeout", type=float, default=60)
    args = parser.parse_args()
    rows, missing = [], 0
    for size, paper in PAPER.items():
        row = [str(size)]
        for (bits, contexts), then in zip(COLUMNS, paper, strict=True):
            bound = ["--contexts", str(contexts), "--order", args.order] if args.encoding == "tcbmc" else ["--incremental"]
            run = fsoft(
                ["check", str(PROGRAMS / "bubble_sort.c"), "-D", f"N={size}", "-D", f"BITS={bits}", "--32", "--no-trace",
                 "--encoding", args.encoding, *bound], args.timeout,
            )  # fmt: skip
            missing += not run.answer.startswith("FALSE")
            row.append(f"{run.seconds:.1f} s ({then} s)" if run.answer.startswith("FALSE") else f"{run.answer} ({then} s)")
        rows.append(row)
        print(f"array of {size}: " + ", ".join(row[1:]), file=sys.stderr, flush=True)
    print(table(["elements", *(f"{bits} bits, n = {contexts}" for bits, contexts in COLUMNS)], rows))
    print(f"found {len(PAPER) * len(COLUMNS) - missing}/{len(PAPER) * len(COLUMNS)}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
