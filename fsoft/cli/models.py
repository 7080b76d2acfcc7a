"""`fsoft check model.aag`: the engines on a model from a file."""

from __future__ import annotations

import argparse
import json
import re
import time
from dataclasses import replace

from fsoft.checkers.certify import certify_answer
from fsoft.checkers.registry import ModelChecker, UnknownEngine, model_engine
from fsoft.circuit.bits import BOUND, BitModel, to_bits
from fsoft.circuit.bits.bitblast import bitblast
from fsoft.circuit.bits.words import to_model
from fsoft.circuit.formats.aiger_read import read_aiger
from fsoft.circuit.formats.btor2 import read_btor2
from fsoft.circuit.formats.witness import write_btor2_witness, write_stimulus
from fsoft.circuit.model import Model
from fsoft.circuit.model.liveness import LASSO, lasso_of, to_safety
from fsoft.circuit.model.verdict import Answer, Proved, Unknown, Violated
from fsoft.cli import exits
from fsoft.cli.circuits import made_engine
from fsoft.cli.limits import limited
from fsoft.cli.stages import Watch
from fsoft.frontend.inputs import read_file
from fsoft.frontend.source import InputError, Loc
from fsoft.process.files import utf8, write_file
from fsoft.program.verdict import InternalError, Stats

DEFAULT = "pdr"
_CODES = {"TRUE": exits.TRUE, "FALSE": exits.FALSE, "UNKNOWN": exits.UNKNOWN}


def check_model_file(args: argparse.Namespace, path: str) -> int:
    """Check the model in a file with the engine that the arguments name."""
    name = args.engine or DEFAULT
    try:
        entry = model_engine(name)
    except UnknownEngine as error:
        raise exits.UsageError(f"--engine: {error}") from None
    missing = entry.missing()
    if missing is not None:
        raise exits.UsageError(f"--engine {name}: {missing}")
    if args.ltl or args.fairness:
        raise exits.UsageError("properties are part of the model: --ltl and --fairness cannot be given when a model is checked")
    if args.scheduler or args.contexts or args.rounds or args.schedule:
        raise exits.UsageError("the scheduler is part of the model: it cannot be chosen when a model is checked")
    if args.sarif or args.junit or args.graphml_witness or args.witness_version:
        raise exits.UsageError("--sarif, --junit and SV-COMP witnesses are about C programs; for a model --witness writes the stimulus")
    if args.arrays:
        raise exits.UsageError("--arrays is for C programs: a model has the arrays that its file has")
    if args.por or args.transactions:
        raise exits.UsageError("reduction is part of the model: --por belongs to fsoft build")
    if args.race_model != "svcomp":
        raise exits.UsageError("the race model is part of the model: --race-model belongs to fsoft build")
    engine = made_engine(entry, args)
    return limited(lambda: _work(args, path, entry.name, engine), args.timeout, args.memory)


def _work(args: argparse.Namespace, path: str, name: str, engine: ModelChecker) -> int:
    watch, late = Watch(), False
    try:
        model = read_model(path)
        answer = _ask_all(args, model, name, engine, watch)
    except exits.OutOfTime:
        answer, late = Unknown(watch.stats.depth, "time limit reached"), True
    finally:
        watch.clear()
    if isinstance(answer, Violated) and args.witness:
        write_file(args.witness, utf8(_witness(path, model, answer)))
    kind, lines = describe(answer, name)
    if args.json:
        bad = answer.bad if isinstance(answer, Violated) else None
        print(json.dumps({"files": [path], "verdict": kind, "bad": bad, "reasons": lines}, indent=2, ensure_ascii=False))
    else:
        print("\n".join([*lines, f"FALSE({answer.bad})" if isinstance(answer, Violated) else kind]))
    return exits.TIMEOUT if late or _out_of_time(args, answer) else _CODES[kind]


def _out_of_time(args: argparse.Namespace, answer: Answer) -> bool:
    return args.timeout is not None and isinstance(answer, Unknown) and answer.why == "time limit reached"


def _ask_all(args: argparse.Namespace, model: Model | BitModel, name: str, engine: ModelChecker, watch: Watch) -> Answer:
    """The answer about bads and bounds; where there is justice, about each of its properties with them, by liveness to safety."""
    answers = [_ask(args, one, name, engine, watch) for one in _questions(model)]
    bad = [one for one in answers if isinstance(one, Violated)]
    unknown = [one for one in answers if isinstance(one, Unknown)]
    return (bad or unknown or answers)[0]


def _questions(model: Model | BitModel) -> list[Model | BitModel]:
    if not model.justice:
        return [model]
    words = to_model(model) if isinstance(model, BitModel) else model
    found: list[Model | BitModel] = []
    for name, sets in words.justice.items():
        safe = to_safety(replace(words, justice={name: sets}))
        safe.bad[name] = safe.bad.pop(LASSO)
        found.append(safe)
    return found


def _ask(args: argparse.Namespace, model: Model | BitModel, name: str, engine: ModelChecker, watch: Watch) -> Answer:
    left = None if args.timeout is None else max(0.1, args.timeout - (time.monotonic() - args.started) - 0.3)
    answer = engine.check(model, progress=lambda depth: watch.progress(Stats(depth=depth)), timeout=left)
    if isinstance(answer, Proved) and (answer.certificates or answer.trusted):
        wrong = certify_answer(model if isinstance(model, BitModel) else bitblast(model), answer)
        if wrong is not None:
            raise InternalError(f"the certificate of the engine {name} is refused: {wrong}")
    return answer


def describe(answer: Answer, engine: str) -> tuple[str, list[str]]:
    """TRUE, FALSE or UNKNOWN, and lines for a person."""
    if isinstance(answer, Violated):
        return "FALSE", [f"'{answer.bad}' holds after {answer.depth} steps"]
    if isinstance(answer, Proved):
        return "TRUE", answer.describe(engine)
    lines = [f"bound '{name}' is reachable" for name in answer.bounds] + ["others may be as well"] * answer.more
    if answer.proved:
        return "UNKNOWN", ["no bad is reachable, but a bound forbids TRUE", *(lines or [answer.why])]
    return "UNKNOWN", [f"no bad within {answer.depth} steps ({answer.why})" if answer.depth >= 0 else f"nothing is known: {answer.why}"]


def _witness(path: str, model: Model | BitModel, answer: Violated) -> str:
    """The counterexample as other tools read it."""
    if answer.bad in model.justice:
        return _lasso(model, answer)
    if isinstance(model, Model):
        names = [*model.bad, *(BOUND + name for name in model.bounds)]
        return write_btor2_witness(model, answer.stimulus, names.index(answer.bad))
    return write_stimulus(model, to_bits(model, answer.stimulus), list(model.targets()).index(answer.bad))


def _lasso(model: Model | BitModel, answer: Violated) -> str:
    """A run that comes back to where it was, after its last step."""
    run, number = lasso_of(answer.stimulus), list(model.justice).index(answer.bad)
    if isinstance(model, Model):
        return write_btor2_witness(model, run, number, "j")
    return write_stimulus(model, to_bits(model, run), number, "j")


def read_model(path: str) -> Model | BitModel:
    """The model in a file."""
    data = read_file(path)
    if re.search(r"\.btor2?$", path):
        try:
            text = data.decode()
        except UnicodeDecodeError:
            raise InputError(Loc(path, 0), "not a BTOR2 file: it is not text") from None
        return read_btor2(text, path)
    return read_aiger(data, path)
