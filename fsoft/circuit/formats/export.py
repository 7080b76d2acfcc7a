"""A circuit as it leaves for a file: which reductions and transformations are in force, and the way home for a witness.

The same Encoding and the same options give the same bytes, so a file can be recognised by building it again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from fsoft.circuit.bits import BOUND, BitModel, BitStimulus, bit_names, to_words
from fsoft.circuit.bits.bitblast import bitblast
from fsoft.circuit.bits.sweep import sweep
from fsoft.circuit.bits.transform import fold_constraints, original_run
from fsoft.circuit.encode.encoding import ProgramCircuit
from fsoft.circuit.encode.narrow import narrow, widened
from fsoft.circuit.encode.ranges import Ranges
from fsoft.circuit.formats.aiger_write import write_aiger
from fsoft.circuit.formats.btor2 import write_btor2
from fsoft.circuit.formats.btor2_write import constants_as_states
from fsoft.circuit.formats.smtlib import write_smtlib
from fsoft.circuit.formats.smv import write_smv
from fsoft.circuit.model import Model
from fsoft.circuit.model.reduce import cone_of_influence, reduce_words
from fsoft.circuit.model.verdict import Stimulus
from fsoft.frontend.source import InputError, Loc

BIT_FORMATS = ("aag", "aig")
WORD_FORMATS = ("btor2", "btor", "smv", "smt2")
FORMATS = (*BIT_FORMATS, *WORD_FORMATS)
ARRAY_FORMATS = ("btor2", "btor", "smt2")
"""Formats in which arrays are at home; the others get a circuit without."""


@dataclass(frozen=True, slots=True)
class Form:
    """How a circuit is written. `narrow` gives words the bits that they seem to need, and the bound `range`; `bad` keeps one target
    only; `depth` is for SMT-LIB 2; `fold` and `aiger` are for AIGER; `arrays` says that the circuit was encoded with arrays."""

    format: str
    reduce: bool = True
    narrow: bool = False
    bad: str | None = None
    fold: bool = False
    aiger: str = "1.9"
    depth: int | None = None
    arrays: bool = False


@dataclass(slots=True)
class Exported:
    """The file's bytes, the symbols of its input and state bits (or words) in order, its targets. `bits` or `words` is the model as it was
    written; `model` is that before reduction, and `bits_home` and `words_home` read a run of the file as one of the whole circuit."""

    data: bytes
    inputs: list[str]
    states: list[str]
    targets: list[str]
    bits: BitModel | None
    words: Model | None
    model: Model
    bits_home: Callable[[BitStimulus], Stimulus]
    words_home: Callable[[Stimulus], Stimulus]


def targets_of(model: Model) -> list[str]:
    """Bads, then bounds with their prefix: what the files call them."""
    return [*model.bad, *(BOUND + name for name in model.bounds)]


def export(encoding: ProgramCircuit, form: Form, comment: str = "") -> Exported:
    """The circuit in a format. A bad that it does not have is an InputError."""
    shapes = Ranges(encoding).shapes() if form.narrow else {}
    model = narrow(encoding.model, shapes) if shapes else encoding.model
    return export_model(model, form, comment, encoding.program.name, lambda run: widened(encoding.model, run, shapes))


def export_model(model: Model, form: Form, comment: str, where: str, home: Callable[[Stimulus], Stimulus] = lambda run: run) -> Exported:
    """A model in a format; `home` leads from its runs to those of whatever it was made from. `where` is for errors."""
    known = targets_of(model)
    if form.bad is not None and form.bad not in known:
        raise InputError(Loc(where, 0), f"the circuit has no bad '{form.bad}': one of {', '.join(known) or 'none'}")
    return _bits(model, form, comment, home) if form.format in BIT_FORMATS else _words(model, form, comment, home)


def _bits(model: Model, form: Form, comment: str, outer: Callable[[Stimulus], Stimulus]) -> Exported:
    whole = bitblast(cone_of_influence(one_target(model, form.bad))[0] if form.reduce else model)
    targets = {name: literal for name, literal in whole.targets().items() if form.bad in (None, name)}
    reduction = sweep(whole, targets) if form.reduce else None
    if reduction is not None:
        small = reduction.bits
    else:
        small = whole
        small.bad, small.bounds = targets, {}
    final = fold_constraints(small) if form.fold else small

    def home(run: BitStimulus) -> Stimulus:
        inner = original_run(small, run)
        return outer(to_words(whole, inner if reduction is None else reduction.lift_run(inner)))

    data = write_aiger(final, binary=form.format == "aig", version=form.aiger, comment=comment)
    names = bit_names(final.input_words), bit_names(final.latch_words), list(final.targets())
    return Exported(data, *names, final, None, model, home, outer)


def _words(model: Model, form: Form, comment: str, home: Callable[[Stimulus], Stimulus]) -> Exported:
    wanted = one_target(model, form.bad)
    small = reduce_words(wanted) if form.reduce else wanted
    if form.format in ARRAY_FORMATS[:2]:
        small = constants_as_states(small)
    text = _text(small, form, comment)
    return Exported(text.encode(), list(small.inputs), list(small.states), targets_of(small), None, small, model, _no_bits, home)


def _no_bits(run: BitStimulus) -> Stimulus:
    raise AssertionError("a format with words has no bits")


def one_target(model: Model, name: str | None) -> Model:
    """The model with all its targets, or the one of that name."""
    if name is None:
        return model
    bad = {k: v for k, v in model.bad.items() if k == name}
    bounds = {k: v for k, v in model.bounds.items() if BOUND + k == name}
    return replace(model, bad=bad, bounds=bounds, justice={}, fairness={})


def _text(model: Model, form: Form, comment: str) -> str:
    if form.format in ("btor2", "btor"):
        return write_btor2(model, comment)
    if form.format == "smv":
        return write_smv(model, comment)
    return write_smtlib(model, 0 if form.depth is None else form.depth, comment)


def export_live(model: Model, form: Form, comment: str) -> tuple[Exported, Model]:
    """A model with justice in a format, and the model in words as it was written."""
    small = reduce_words(model) if form.reduce else model
    if form.format not in BIT_FORMATS:
        text, symbols = _text(small, form, comment), (list(small.inputs), list(small.states), targets_of(small))
        return Exported(text.encode(), *symbols, None, small, model, _no_bits, lambda run: run), small
    bits = bitblast(small)
    final = fold_constraints(bits) if form.fold else bits
    data = write_aiger(final, binary=form.format == "aig", version=form.aiger, comment=comment)
    names = bit_names(final.input_words), bit_names(final.latch_words), list(final.targets())

    def home(run: BitStimulus) -> Stimulus:
        return to_words(bits, original_run(bits, run))

    return Exported(data, *names, final, None, model, home, lambda run: run), small


__all__ = [
    "ARRAY_FORMATS", "BIT_FORMATS", "FORMATS", "WORD_FORMATS", "Exported", "Form", "export", "export_live", "export_model",
    "one_target", "targets_of",
]  # fmt: skip
