"""Fewer latches: an `int` that only counts to 5 gets 3 of them, and the model itself watches that it stays so.

How many bits a word needs is guessed from random runs of the Program. The narrowed model has one more state, `narrow.lost`,
which rises when some word is about to take a value that its bits cannot hold; from then on no bad and no bound counts. The bound
`range` holds where that happens. So the guess needs no trust: a proof covers `range` like every other bound, and a
counterexample is a run of the original model. Where `range` is reachable, ask again about the model as it was.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from fsoft.circuit.encode import Encoding
from fsoft.circuit.model import Model
from fsoft.circuit.simulate import evaluate_all, initial_values
from fsoft.circuit.verdict import Stimulus
from fsoft.program.expr import FALSE, Expr, binary, conj, const, disj, make, negate, postorder, reg, to_signed
from fsoft.program.interpreter import Machine
from fsoft.program.state import Choose, Question, State

RANGE = "range"
LOST = "narrow.lost"
RUNS, STEPS = 30, 200


@dataclass(frozen=True, slots=True)
class Shape:
    """`bits` latches hold the word, extended by its sign or by zeros."""

    bits: int
    signed: bool


# ---------------------------------------------------------------- guessing


def guess(encoding: Encoding, seed: int = 1) -> dict[str, Shape]:
    """Shapes for the words that took only small values in random runs. Words that memory leaves undefined are left alone."""
    low, high = _observed(encoding, Random(seed))
    loose = _undefined(encoding)
    shapes: dict[str, Shape] = {}
    for index, name in enumerate(encoding.words.names):
        width = encoding.words.widths[index]
        if not name or width <= 2 or index not in high or index in loose or encoding.model.init[name] is None:
            continue
        shape = _shape(low[index], high[index])
        if shape.bits < width:
            shapes[name] = shape
    return shapes


def _shape(low: int, high: int) -> Shape:
    if low >= 0:
        return Shape(max(1, high.bit_length()), False)
    return Shape(max((-low - 1).bit_length(), high.bit_length()) + 1, True)


def _undefined(encoding: Encoding) -> set[int]:
    """Entries of the vector that come to life with any value."""
    places = [p for p in encoding.layout.places if p is not None and p.rom is None and (p.object.undefined or not p.object.alive)]
    return {p.base + k for p in places for k in range(p.cells.count)}


def _observed(encoding: Encoding, random: Random) -> tuple[dict[int, int], dict[int, int]]:
    """The least and the greatest value that each entry took, as signed numbers."""
    low: dict[int, int] = {}
    high: dict[int, int] = {}
    machine = Machine(encoding.program)
    widths = encoding.words.widths

    def note(state: State) -> None:
        for index, value in enumerate(state):
            if isinstance(value, int) and widths[index]:
                number = to_signed(value, widths[index])
                low[index] = min(number, low.get(index, number))
                high[index] = max(number, high.get(index, number))

    def choose(question: Question, options: object) -> int:
        if isinstance(options, (list, tuple)) and options:
            return int(random.choice(options))
        return random.randrange(2)

    for _ in range(RUNS):
        state: State | None = machine.initial()
        for _ in range(STEPS):
            if state is None:
                break
            note(state)
            state = _random_step(machine, state, random, choose)
    return low, high


def _random_step(machine: Machine, state: State, random: Random, choose: Choose) -> State | None:
    """The state after a step of a random slot that can move; None if nobody can."""
    slots = machine.movable(state)
    random.shuffle(slots)
    for slot in slots:
        steps = machine.outgoing(slot, state[machine.layout.pc[slot]])
        for index in random.sample(steps, len(steps)):
            guard, vector = machine.guard(slot, index), list(state)
            if (guard is None or guard(vector)) and machine.function(slot, index)(vector, choose, [], []):
                return tuple(vector)
    return None


# ---------------------------------------------------------------- narrowing


def narrow(model: Model, shapes: dict[str, Shape]) -> Model:
    """The model with the words of `shapes` in fewer bits, and the bound `range`."""
    leaves = {name: _extended(name, shape, model.states[name]) for name, shape in shapes.items()}
    new = _rebuilt(model, leaves)
    result = replace(model, states=dict(model.states), init=dict(model.init), next={}, bad={}, bounds={}, constraints={})
    lost = reg(LOST, 1)
    losing: Expr = FALSE
    for name, term in model.next.items():
        following, shape = new[term], shapes.get(name)
        if shape is None:
            result.next[name] = following
            continue
        result.states[name] = shape.bits
        start = model.init[name]
        assert start is not None
        result.init[name] = const(start.value, shape.bits)
        result.next[name] = make("extract", shape.bits, (following,), 0)
        losing = disj(losing, negate(_fits(following, shape)))
    result.states[LOST], result.init[LOST], result.next[LOST] = 1, const(0, 1), disj(lost, losing)
    alive = negate(lost)
    result.bad = {name: conj(alive, new[term]) for name, term in model.bad.items()}
    result.bounds = {name: conj(alive, new[term]) for name, term in model.bounds.items()}
    result.bounds[RANGE] = conj(alive, losing)
    result.constraints = {name: new[term] for name, term in model.constraints.items()}
    result.justice, result.fairness = {}, {}
    return result


def widened(model: Model, run: Stimulus, shapes: dict[str, Shape]) -> Stimulus:
    """A run of the narrowed model as one of the original."""
    initial = {name: value for name, value in run.initial.items() if name in model.states}
    for name in shapes:
        start = model.init[name]
        assert start is not None
        initial[name] = start.value
    return Stimulus(initial, run.inputs)


def refined(model: Model, run: Stimulus, shapes: dict[str, Shape]) -> dict[str, Shape]:
    """Shapes that hold what the run, after its last step, puts into each word. `run` is one of the original model that ends where
    the narrowed one loses a value. A word that needs more bits gets at least twice as many, or all."""
    order = postorder(tuple(model.next.values()))
    values = initial_values(model, run)
    for given in run.inputs:
        terms = evaluate_all(order, values | {name: given.get(name, 0) for name in model.inputs})
        values = {name: terms[term] for name, term in model.next.items()}
    wider: dict[str, Shape] = {}
    for name, shape in shapes.items():
        value, width = values[name], model.states[name]
        if _holds(shape, value, width):
            wider[name] = shape
            continue
        needed = _shape(min(0, to_signed(value, width)), max(0, to_signed(value, width)))
        signed = shape.signed or needed.signed
        bits = max(2 * shape.bits, needed.bits + (signed and not needed.signed))
        if bits < width:
            wider[name] = Shape(bits, signed)
    return wider


def _holds(shape: Shape, value: int, width: int) -> bool:
    short = value & ((1 << shape.bits) - 1)
    extended = to_signed(short, shape.bits) & ((1 << width) - 1) if shape.signed else short
    return extended == value


def _extended(name: str, shape: Shape, width: int) -> Expr:
    return make("sext" if shape.signed else "zext", width, (reg(name, shape.bits),))


def _fits(term: Expr, shape: Shape) -> Expr:
    """The word is what its lowest bits say."""
    short = make("extract", shape.bits, (term,), 0)
    return binary("eq", make("sext" if shape.signed else "zext", term.width, (short,)), term)


def _rebuilt(model: Model, leaves: dict[str, Expr]) -> dict[Expr, Expr]:
    """Every term of the model over the narrow words."""
    roots = [*model.next.values(), *model.bad.values(), *model.bounds.values(), *model.constraints.values()]
    new: dict[Expr, Expr] = {}
    for node in postorder(tuple(roots)):
        if node.op == "reg":
            new[node] = leaves.get(str(node.data), node)
        elif node.args:
            new[node] = make(node.op, node.width, tuple(new[a] for a in node.args), node.data)
        else:
            new[node] = node
    return new
