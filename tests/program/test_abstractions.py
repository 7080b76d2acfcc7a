"""Abstractions: what adds behaviour forbids FALSE and keeps TRUE for safety, what leaves some out forbids TRUE."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.load import Options, check, load
from fsoft.frontend.source import Unsupported
from fsoft.program.abstractions import abstractions, fixed_readings
from fsoft.program.dependence import UnknownValues
from fsoft.program.lower import unknown
from fsoft.program.program import Marker
from fsoft.program.verdict import Verdict

LOCKED = """#include <pthread.h>
int mystery(int); pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *a) { pthread_mutex_lock(&m); %s pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }
"""


def answer(text: str, folder: Path, prop: str = "unreach-call", engine: str = "explicit", **options: object) -> Verdict:
    path = folder / "p.c"
    path.write_text(text)
    return check([str(path)], Options(checks=frozenset({prop}), **options), engine=engine)  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ["explicit", "bmc", "pdr"])
@pytest.mark.parametrize(("prop", "expected"), [("no-data-race", "TRUE"), ("no-deadlock", "UNKNOWN"), ("valid-memtrack", "UNKNOWN")])
def test_what_adds_keeps_true_for_safety_only(tmp_path: Path, prop: str, expected: str, engine: str) -> None:
    if engine == "bmc" and expected == "TRUE":
        pytest.skip("bmc proves nothing")
    assert answer(LOCKED % "mystery(1);", tmp_path, prop, engine).last_line() == expected


@pytest.mark.parametrize("engine", ["explicit", "bmc"])
def test_a_candidate_says_on_what_it_depends(tmp_path: Path, engine: str) -> None:
    text = "#include <assert.h>\nint mystery(int);\nint main(void) { assert(mystery(1) != 7); return 0; }\n"
    verdict = answer(text, tmp_path, engine=engine)
    assert verdict.kind == "UNKNOWN" and verdict.trace
    assert "p.c:3:18: depends on: what 'mystery' does, here mystery() = 7" in str(verdict.cuts[0])


@pytest.mark.parametrize(
    "call",
    ["mystery(&x);", "mystery((long)&x);", "struct s v = { &x }; mystery(v);", "mystery(1, &x);"],
    ids=["pointer", "number", "in a struct", "variadic"],
)
def test_what_is_handed_out_may_change(tmp_path: Path, call: str) -> None:
    text = f"#include <assert.h>\nint x; struct s {{ int *p; }}; int mystery();\nint main(void) {{ {call} assert(x == 0); return 0; }}\n"
    assert answer(text, tmp_path).kind == "UNKNOWN"
    assert answer(text, tmp_path, assume=("quiet-unknown",)).kind == "TRUE"


def test_strict_names_what_is_not_exact(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="'mystery' has no body and no model"):
        answer(LOCKED % "mystery(1);", tmp_path, strict=True)


def test_a_struct_from_nowhere_is_any_struct(tmp_path: Path) -> None:
    text = "#include <assert.h>\nstruct s { int a, b; }; struct s mystery(void);\n"
    text += "int main(void) { struct s v = mystery(); assert(%s); return 0; }\n"
    assert answer(text % "v.a == v.b", tmp_path).lines()[-1].count("depends on") == 1
    assert answer(text % "v.a == v.a", tmp_path, engine="pdr").kind == "TRUE"


def test_the_most_important_come_first(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text("int one(void), two(int *); int main(void) { int x = one(); one(); one(); return two(&x); }\n")
    program = load([str(path)])
    assert [marker.message for marker in abstractions(program)] == ["what 'two' does", *["what 'one' does"] * 3]
    assert [note.split(": ")[0] for note in program.notes if "abstraction" in note] == ["abstraction"] * 4
    assert "reading: memory model: sequential consistency" in fixed_readings(program, "left", ())


CALENDAR = """#include <pthread.h>
#include <time.h>
#include <assert.h>
int year; time_t now = 7;
void *f(void *a) { struct tm *d = LOCAL(&now); if (d) year = d->tm_year; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); %s pthread_join(t, 0); %s return 0; }
"""


@pytest.mark.parametrize("engine", ["explicit", "bmc"])
def test_unknown_values_that_decide_nothing_do_not_weaken_false(tmp_path: Path, engine: str) -> None:
    text = CALENDAR.replace("LOCAL", "localtime") % ("localtime(&now);", "")
    assert answer(text, tmp_path, "no-data-race", engine).last_line() == "FALSE(no-data-race)"


@pytest.mark.parametrize("condition", ["year != 70", "(year & 1) == 0"])
def test_unknown_values_that_decide_make_a_candidate(tmp_path: Path, condition: str) -> None:
    text = CALENDAR.replace("LOCAL", "localtime") % ("", f"assert({condition});")
    verdict = answer(text, tmp_path, engine="bmc")
    assert verdict.kind == "UNKNOWN" and any("which date a time is" in str(cut) for cut in verdict.cuts)


def test_an_unknown_value_that_chooses_a_thread_to_race_decides(tmp_path: Path) -> None:
    text = CALENDAR.replace("LOCAL", "localtime") % ("", "") + "int x;"
    text = text.replace("year = d->tm_year;", "if (d->tm_year == 3) x++;").replace("pthread_join(t, 0);", "x++; pthread_join(t, 0);")
    text = text.replace("int year;", "int year; extern int x;")
    assert answer(text, tmp_path, "no-data-race", "bmc").kind == "UNKNOWN"


LATE = """#include <pthread.h>
#include <time.h>
time_t now; int day; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct tm *today(void) {
    pthread_mutex_lock(&m);
    struct tm *date = localtime(&now);
    if (COPIED && date) day = date->tm_mday;
    pthread_mutex_unlock(&m);
    return date;
}
void *other(void *a) { today(); return 0; }
int main(void) {
    pthread_t t; pthread_create(&t, 0, other, 0);
    struct tm *date = today();
    if (!COPIED && date) day = date->tm_mday;
    pthread_join(t, 0);
    return 0;
}
"""


@pytest.mark.parametrize(("copied", "engine", "expected"), [(0, "bmc", "FALSE(no-data-race)"), (1, "pdr", "TRUE")])
def test_the_result_of_an_earlier_call_is_storage_of_the_library(tmp_path: Path, copied: int, engine: str, expected: str) -> None:
    assert answer(LATE.replace("COPIED", str(copied)), tmp_path, "no-data-race", engine).last_line() == expected


# ---------------------------------------------------------------- each rule is needed


def test_without_the_rule_of_whole_runs_a_deadlock_is_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Marker, "hides", lambda self, props: self.cuts)
    assert answer(LOCKED % "mystery(1);", tmp_path, "no-deadlock").kind == "TRUE"


def test_without_the_rule_of_addresses_a_change_is_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unknown, "carries_address", lambda ctype: False)
    text = "#include <assert.h>\nint x; int mystery(int *);\nint main(void) { mystery(&x); assert(x == 0); return 0; }\n"
    assert answer(text, tmp_path).kind == "TRUE"


def test_without_following_unknown_values_a_candidate_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(UnknownValues, "follow", lambda self, played, prop: [])
    text = CALENDAR.replace("LOCAL", "localtime") % ("", "assert((year & 1) == 0);")
    assert answer(text, tmp_path, engine="bmc").kind == "FALSE"
