"""--race-on: which bytes a C name means, and that races elsewhere do not count."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsoft.ask.load import Options, check, load
from fsoft.cli.main import main
from fsoft.frontend.source import InputError
from fsoft.properties.race_objects import counts, race_ranges

TEXT = """
#include <pthread.h>
struct pair { int first; char second[4]; };
static struct pair pairs[2];
static int plain, guarded;
static _Thread_local int own;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *argument) {
    static int calls;
    pairs[1].second[2] = 1;
    plain++;
    own++;
    pthread_mutex_lock(&m);
    guarded++;
    calls = guarded;
    pthread_mutex_unlock(&m);
    return argument;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, worker, 0);
    return 0;
}
"""
RACES = frozenset({"no-data-race"})


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("race") / "objects.c"
    path.write_text(TEXT)
    return str(path)


@pytest.mark.parametrize(
    "name, kind",
    [
        ("plain", "FALSE"), ("guarded", "TRUE"), ("worker.calls", "TRUE"), ("own", "TRUE"), ("pairs", "FALSE"), ("pairs[0]", "TRUE"),
        ("pairs[1]", "FALSE"), ("pairs[1].first", "TRUE"), ("pairs[1].second", "FALSE"), ("pairs[1].second[2]", "FALSE"),
        ("pairs[1].second[1]", "TRUE"), ("pairs[].second[*]", "FALSE"), ("pairs[*].first", "TRUE"), ("m", "TRUE"),
    ],
)  # fmt: skip
def test_only_races_on_the_named_object_count(source: str, name: str, kind: str) -> None:
    verdict = check([source], Options(checks=RACES, race_on=(name,)))
    assert verdict.kind == kind


def test_several_names_add_up(source: str) -> None:
    assert check([source], Options(checks=RACES, race_on=("guarded", "own"))).kind == "TRUE"
    assert check([source], Options(checks=RACES, race_on=("guarded", "plain"))).kind == "FALSE"


def test_ranges_are_sorted_apart_and_by_object(source: str) -> None:
    program = load([source], Options(checks=RACES, race_on=("pairs[].first", "pairs[0].second[0]", "own")))
    ranges = race_ranges(program)
    assert ranges is not None
    named = {program.objects[number].name: found for number, found in ranges.items()}
    assert named == {"pairs": [(0, 5), (8, 12)], "own:worker": [(0, 4)], "own:worker#2": [(0, 4)]}
    number = next(o.id for o in program.objects if o.name == "pairs")
    assert [counts(ranges, number, low, low + 1) for low in (4, 5, 7, 8)] == [True, False, False, True]
    assert not counts(ranges, number + 1000, 0, 1)
    assert counts(None, number, 7, 8)


def test_without_names_everything_counts(source: str) -> None:
    assert race_ranges(load([source], Options(checks=RACES))) is None


@pytest.mark.parametrize(
    "name, hint",
    [
        ("plane", "; did you mean 'plain'?"), ("pairs[2]", "'pairs[1]"), ("calls", "; did you mean 'worker.calls'?"),
        ("pairs[1].third", "'pairs[1].first'"), ("quite_different", "'quite_different'"), ("pairs[1].sec", "'pairs[1].second"),
        ("worker", "called 'worker'"), ("", "called ''"),
    ],
)  # fmt: skip
def test_a_name_that_means_nothing(source: str, name: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        load([source], Options(checks=RACES, race_on=(name,)))
    line = str(caught.value)
    assert line.startswith(f"{source}: error: --race-on: no object in memory is called '{name}'")
    assert hint in line and "\n" not in line


def test_the_command(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["check", source, "--no-trace", "--property", "no-data-race", "--race-on"]
    assert main([*asked, "guarded"]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == ["only data races on guarded count (--race-on)", "TRUE"]
    assert main([*asked, "pairs[1].second"]) == 10
    assert "data race on pairs[1].second[2]\n" in capsys.readouterr().out
    assert main([*asked, "plane"]) == 2
    assert main(["check", source, "--race-on", "plain"]) == 1
    assert "--property no-data-race" in capsys.readouterr().err


@pytest.mark.parametrize("how", ["--engine bmc", "--encoding tcbmc", "--encoding mu", "--encoding schedule", "--encoding paths"])
def test_other_engines_and_encodings_ask_about_the_same(how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "two.c"
    path.write_text("""#include <pthread.h>
        struct { int raced, guarded; } s;
        pthread_mutex_t m;
        void *f(void *a) { s.raced = 1; pthread_mutex_lock(&m); s.guarded++; pthread_mutex_unlock(&m); return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); return 0; }""")
    growing = ["--incremental"] if "encoding" in how else []
    asked = ["check", str(path), "--no-trace", "--property", "no-data-race", *how.split(), *growing, "--race-on"]
    assert main([*asked, "s.raced"]) == 10
    assert main([*asked, "s.guarded"]) == 0, capsys.readouterr()
