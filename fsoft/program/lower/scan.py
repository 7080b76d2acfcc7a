"""Facts about function bodies that the lowering wants before it starts: which variables are assigned, whose address is
used, how often a loop can run, how large a function is with its calls expanded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property

from fsoft.frontend import tree
from fsoft.frontend import types as ct
from fsoft.program.lower.placement import Numbers
from fsoft.program.lower.sequence import EXPRESSIONS, unsequenced

_SKIPPED = frozenset({"type", "loc", "symbol", "field", "end", "bitfield", "compute"})
_COPYING = frozenset({"memcpy", "memmove", "mempcpy", "bcopy", "realloc", "reallocarray", "fread", "read"})
_LOOKING = frozenset({"memcmp", "bcmp", "memchr", "memrchr", "rawmemchr", "memmem", "memccpy"})
_COMPARING = frozenset({"__atomic_compare_exchange", "__c11_atomic_compare_exchange_strong", "__c11_atomic_compare_exchange_weak"})
_WHOLE = frozenset({"free", "memset", "memcpy", "memmove", "bzero", "realloc"})
"""Functions that take a struct as a block of memory and do not say what is in it."""
_BLOCKS = frozenset({"memcpy", "memmove", "mempcpy", "bcopy"})
_MOST_BYTES = 1 << 16
_FIELDS: dict[type, tuple[str, ...]] = {}


def _fields(kind: type) -> tuple[str, ...]:
    """The attributes of a node that can hold other nodes."""
    if kind not in _FIELDS:
        _FIELDS[kind] = tuple(name for name in getattr(kind, "__slots__", ()) if name not in _SKIPPED)
    return _FIELDS[kind]


def walk(root: object) -> Iterator[object]:
    """Every node of a typed tree, parents first, in source order."""
    stack: list[object] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack.extend(reversed(node))
            continue
        if node is None or isinstance(node, (int, str, float, bytes, bool)):
            continue
        yield node
        stack.extend(getattr(node, name) for name in reversed(_fields(type(node))))


def full_expressions(root: object) -> Iterator[tree.TypedExpr]:
    """Those that are no part of another one; those of statements in expressions, too."""
    for node in walk(root):
        if not isinstance(node, EXPRESSIONS):
            yield from (part for name in _fields(type(node)) if isinstance(part := getattr(node, name), EXPRESSIONS))


@dataclass(slots=True)
class FunctionFacts:
    """`back_labels` are the targets of backward gotos; `assigned` counts assignments per variable."""

    assigned: dict[tree.Symbol, int] = field(default_factory=dict)
    functions_used: list[str] = field(default_factory=list)  # address taken
    calls: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)  # calls that are statements: nobody looks at the result
    signs: list[str] = field(default_factory=list)  # calls of which only the sign is looked at
    indirect: bool = False
    copies: bool = False  # a struct or union as a whole, other than from a literal
    views: set[str] = field(default_factory=set)  # how pointers to structs lose their type: "numbers", "forgotten", "guessed"
    forgotten: list[ct.Record] = field(default_factory=list)  # pointers to such structs become `void *`
    regained: list[ct.Record] = field(default_factory=list)  # a `void *` becomes a pointer to such a struct
    back_labels: set[str] = field(default_factory=set)
    numbered: bool = False  # an address becomes a number
    endless: set[str] = field(default_factory=set)  # labels of a statement that only jumps there: `L: goto L;`
    size: int = 0


def facts_of(root: object) -> FunctionFacts:
    facts = FunctionFacts()
    seen_labels: set[str] = set()
    blocks: set[int] = set()
    here = ""  # the label that was just passed
    for node in walk(root):
        facts.size += 1
        facts.copies = facts.copies or _copies(node)
        if isinstance(node, (tree.Assignment, tree.CompoundAssign)):
            if isinstance(node.target, tree.VariableExpr):
                symbol = node.target.symbol
                facts.assigned[symbol] = facts.assigned.get(symbol, 0) + 1
        elif isinstance(node, tree.AsmOperand):
            if isinstance(node.expr, tree.VariableExpr) and node.constraint[:1] in ("=", "+"):
                facts.assigned[node.expr.symbol] = facts.assigned.get(node.expr.symbol, 0) + 1
        elif isinstance(node, tree.AddressOf):
            if isinstance(node.lvalue, tree.FunctionName):
                facts.functions_used.append(node.lvalue.name)
        elif isinstance(node, tree.Call):
            if isinstance(node.callee, tree.FunctionName):
                facts.calls.append(node.callee.name)
                blocks |= {id(argument) for argument in node.args} if node.callee.name in _WHOLE else set()
                facts.views |= _copied(node) if node.callee.name in _BLOCKS else set()
                facts.views |= _compared(node) if node.callee.name in _COMPARING else set()
            else:
                facts.indirect = True
        elif isinstance(node, tree.Cast) and id(node) not in blocks:
            facts.numbered = facts.numbered or (isinstance(node.type, ct.Int) and isinstance(node.operand.type, ct.Pointer))
            facts.views |= _views(node)
            _note_records(node, facts)
        elif isinstance(node, tree.ExprStatement):
            facts.dropped += _called(node.expr)
        elif isinstance(node, tree.BinaryExpr):
            facts.signs += _compared_with_zero(node)
        elif isinstance(node, (tree.If, tree.LoopStatement, tree.Conditional)):
            facts.signs += _called(node.condition) if node.condition is not None else []
        elif isinstance(node, tree.Logical):
            facts.signs += _called(node.left) + _called(node.right)
        elif isinstance(node, tree.UnaryExpr) and node.op == "!":
            facts.signs += _called(node.operand)
        elif isinstance(node, tree.Label):
            seen_labels.add(node.name)
        elif isinstance(node, tree.Asm):
            facts.back_labels.update(seen_labels.intersection(node.labels))
        elif isinstance(node, tree.Goto) and node.label in seen_labels:
            facts.back_labels.add(node.label)
            if node.label == here:
                facts.endless.add(node.label)
        if not isinstance(node, tree.Block):
            here = node.name if isinstance(node, tree.Label) else ""
    return facts


def _changes_type(users: list[FunctionFacts]) -> bool:
    """A pointer to a struct may become one to another struct by way of `void *`, so that padding is read as data."""
    forgotten, regained = ({r for facts in users for r in getattr(facts, kind)} for kind in ("forgotten", "regained"))
    return any(a is not b and padding_meets_data(a, b) for a in forgotten for b in regained)


def _called(expr: tree.TypedExpr) -> list[str]:
    while isinstance(expr, tree.Cast) and isinstance(expr.type, ct.Void):
        expr = expr.operand
    return [expr.callee.name] if isinstance(expr, tree.Call) and isinstance(expr.callee, tree.FunctionName) else []


def _compared_with_zero(node: tree.BinaryExpr) -> list[str]:
    if node.op not in ("==", "!=", "<", "<=", ">", ">="):
        return []
    zero = [isinstance(side, tree.IntConstant) and side.value == 0 for side in (node.left, node.right)]
    return _called(node.left if zero[1] else node.right) if zero[0] != zero[1] else []


def _copies(node: object) -> bool:
    value = node.value if isinstance(node, (tree.Assignment, tree.InitItem)) else None
    return value is not None and isinstance(value.type, ct.Record) and not isinstance(value, tree.CompoundLiteral)


def _views(cast: tree.Cast) -> set[str]:
    """A pointer to a struct becomes one to numbers, or `void *`; or a `void *` becomes one to numbers."""
    if not isinstance(cast.type, ct.Pointer) or not isinstance(cast.operand.type, ct.Pointer):
        return set()
    before, after = cast.operand.type.to, cast.type.to
    while isinstance(before, ct.Array):
        before = before.element
    if isinstance(before, ct.Void):
        return {"guessed"} if isinstance(after, ct.Int) else set()
    if not isinstance(before, ct.Record):
        return set()
    if isinstance(after, ct.Record) and padding_meets_data(before, after):
        return {"numbers"}
    return {"numbers"} if ct.is_scalar(after) else {"forgotten"} if isinstance(after, ct.Void) else set()


def _note_records(cast: tree.Cast, facts: FunctionFacts) -> None:
    """Which structs become `void *` here, or come back from there."""
    if isinstance(cast.type, ct.Pointer) and isinstance(cast.operand.type, ct.Pointer):
        before, after = cast.operand.type.to, cast.type.to
        if isinstance(before, ct.Record) and isinstance(after, ct.Void):
            facts.forgotten.append(before)
        elif isinstance(before, ct.Void) and isinstance(after, ct.Record):
            facts.regained.append(after)


def _compared(call: tree.Call) -> set[str]:
    """An atomic comparison of structs looks at all their bytes."""
    return {"numbers"} if ct.Record in {_pointed(argument) for argument in call.args[:2]} else set()


@cache
def data_bytes(ctype: ct.CType) -> int:
    """The bytes of a type that belong to some scalar, as a bit mask."""
    if isinstance(ctype, ct.Array):
        size, inner = ct.size_of(ctype.element), data_bytes(ctype.element)
        return sum(inner << (k * size) for k in range(min(ctype.count or 0, _MOST_BYTES // max(1, size))))
    if not isinstance(ctype, ct.Record):
        return (1 << ct.size_of(ctype)) - 1
    found = 0
    for member in ctype.fields or ():
        if member.bit_width is None:
            found |= data_bytes(member.type) << member.offset
        else:
            first, last = member.bit_offset // 8, (member.bit_offset + member.bit_width + 7) // 8
            found |= ((1 << last) - (1 << first)) << member.offset
    return found


def padding_meets_data(a: ct.Record, b: ct.Record) -> bool:
    """Whether what is padding in one of the structs is data in the other."""
    common = (1 << min(a.size, b.size, _MOST_BYTES)) - 1
    return (data_bytes(a) ^ data_bytes(b)) & common != 0


def _copied(call: tree.Call) -> set[str]:
    """A struct is copied to numbers, or back; or that may be so."""
    records = [r for r in (_record(argument) for argument in call.args[:2]) if r is not None]
    if len(records) == 2 and padding_meets_data(*records):
        return {"numbers"}
    kinds = {_pointed(argument) for argument in call.args[:2]}
    if kinds == {ct.Record, ct.Int}:
        return {"numbers"}
    return {"guessed"} if ct.Void in kinds and kinds != {ct.Void, ct.Record} else {"forgotten"} if len(kinds) > 1 else set()


def _target(expr: tree.TypedExpr) -> ct.CType:
    """What a pointer points to before it becomes a `void *`; of an array its elements."""
    while isinstance(expr, tree.Cast) and isinstance(expr.operand.type, ct.Pointer):
        expr = expr.operand
    ctype = expr.type.to if isinstance(expr.type, ct.Pointer) else expr.type
    while isinstance(ctype, ct.Array):
        ctype = ctype.element
    return ctype


def _pointed(expr: tree.TypedExpr) -> type:
    """The same as a kind: a Record, a Void, or numbers (Int)."""
    ctype = _target(expr)
    return type(ctype) if isinstance(ctype, (ct.Record, ct.Void)) else ct.Int


def _record(expr: tree.TypedExpr) -> ct.Record | None:
    ctype = _target(expr)
    return ctype if isinstance(ctype, ct.Record) else None


@dataclass(frozen=True, slots=True)
class JumpTarget:
    """Where a jump leads: a label, the blocks around it from the outermost on, and what they declare before it."""

    label: tree.Label | tree.Case | tree.Default
    blocks: tuple[tree.Block, ...]
    declared: tuple[tree.Symbol, ...]


def targets(body: tree.Statement) -> list[JumpTarget]:
    """The labels of a statement in the order of the text; labels of switches only where they belong to the statement itself."""
    out: list[JumpTarget] = []
    stack: list[tuple[tree.Statement | None, tuple[tree.Block, ...], tuple[tree.Symbol, ...], bool]] = [(body, (), (), True)]
    while stack:
        node, blocks, declared, own_cases = stack.pop()
        if isinstance(node, tree.Label) or (own_cases and isinstance(node, (tree.Case, tree.Default))):
            out.append(JumpTarget(node, blocks, declared))
        elif isinstance(node, tree.Block):
            inside = []
            for item in node.items:
                inside.append((item, (*blocks, node), declared, own_cases))
                declared = (*declared, item.symbol) if isinstance(item, tree.Declare) else declared
            stack.extend(reversed(inside))
        elif isinstance(node, tree.If):
            stack += [(node.other, blocks, declared, own_cases), (node.then, blocks, declared, own_cases)]
        elif isinstance(node, (tree.LoopStatement, tree.Switch)):
            stack.append((node.body, blocks, declared, own_cases and isinstance(node, tree.LoopStatement)))
    return out


class Scan:
    """Facts of a whole unit. `looks`: the program may look at the bytes of a struct, those between its members among them. `unsequenced`:
    by identity of an assignment, what it changes while something else uses it. `numbers`: where addresses may be used as numbers."""

    def __init__(self, unit: tree.Unit):
        self.unit = unit
        self.facts = {name: facts_of(definition.body) for name, definition in unit.functions.items()}
        static = [f for g in unit.globals.values() if g.init is not None for f in facts_of(g.init.items).functions_used]
        self.address_taken = list(dict.fromkeys([*(f for facts in self.facts.values() for f in facts.functions_used), *static]))
        self.ever_assigned = {s for facts in self.facts.values() for s in facts.assigned}
        self._sizes: dict[str, int] = {}
        bodies = {name: d.body for name, d in unit.functions.items() if "library" not in d.attributes}
        self.unsequenced = unsequenced(expr for body in bodies.values() for expr in full_expressions(body))
        nodes = {name: list(walk(body)) for name, body in bodies.items()}
        self.numbers = Numbers(unit, nodes, self.address_taken, unit.types.model.pointer).rules
        users = [facts for name, facts in self.facts.items() if "library" not in unit.functions[name].attributes]
        self.user_refers_to = {f for facts in users for f in (*facts.calls, *facts.functions_used)} | set(static)
        called, dropped = (Counter(f for facts in users for f in getattr(facts, kind)) for kind in ("calls", "dropped"))
        self.user_wants = {f for f in self.user_refers_to if f in self.address_taken or called[f] > dropped[f]}
        signs = Counter(f for facts in users for f in facts.signs)
        self.user_measures = {f for f in self.user_wants if f in self.address_taken or called[f] > dropped[f] + signs[f]}
        views = {view for facts in users for view in facts.views}
        self.looks = "numbers" in views or {"forgotten", "guessed"} <= views or not self.user_refers_to.isdisjoint(_LOOKING)
        self.looks = self.looks or _changes_type(users)
        self.reallocates = not self.user_refers_to.isdisjoint({"realloc", "reallocarray"})
        self.numbered = any(facts.numbered for facts in users)
        self.copies = any(facts.copies for facts in users) or not self.user_refers_to.isdisjoint(_COPYING)

    def fixed_value(self, expr: tree.TypedExpr) -> int | None:
        """The value of a constant, or of a global that nothing changes after its constant initialiser."""
        while isinstance(expr, tree.Cast) and isinstance(expr.type, ct.Int):
            expr = expr.operand
        if isinstance(expr, tree.IntConstant):
            return expr.value
        if not isinstance(expr, tree.VariableExpr):
            return None
        symbol = expr.symbol
        if symbol.storage not in ("global", "static") or symbol.address_taken or symbol in self.ever_assigned:
            return None
        definition = self.unit.globals.get(symbol.unique)
        if definition is None or not definition.defined:
            return None
        if definition.init is None or not definition.init.items:
            return 0
        return self.fixed_value(definition.init.items[0].value)

    @cached_property
    def creators(self) -> frozenset[str]:
        """The functions that may create threads, themselves or in what they call by name."""
        callers: dict[str, list[str]] = {}
        for name, facts in self.facts.items():
            for called in facts.calls:
                callers.setdefault(called, []).append(name)
        found, stack = set(), ["__fsoft_create"]
        while stack:
            for name in callers.get(stack.pop(), ()):
                if name not in found:
                    found.add(name)
                    stack.append(name)
        return frozenset(found)

    def expanded_size(self, root: str, limit: int, among: Container[str] | None = None) -> int:
        """Nodes of a function with every call (of a function `among` these) replaced by its body (recursion counted once), up to
        `limit`."""
        sizes: dict[str, int] = {}
        stack: list[tuple[str, bool]] = [(root, False)]
        active: set[str] = set()
        while stack:
            name, done = stack.pop()
            facts = self.facts.get(name)
            if facts is None:
                continue
            if done:
                active.discard(name)
                sizes[name] = min(limit, facts.size + sum(sizes.get(c, 0) for c in facts.calls))
            elif name not in sizes and name not in active and (among is None or name in among):
                active.add(name)
                stack.append((name, True))
                stack.extend((c, False) for c in facts.calls)
        return sizes.get(root, 0)


# ---------------------------------------------------------------- loops


def _variable(expr: tree.TypedExpr | None) -> tree.Symbol | None:
    while isinstance(expr, tree.Cast):
        expr = expr.operand
    return expr.symbol if isinstance(expr, tree.VariableExpr) else None


def _start_value(symbol: tree.Symbol, before: tree.Statement | None, scan: Scan) -> int | None:
    """The constant that the statement just before a loop gives to its counter."""
    if isinstance(before, tree.Declare) and before.symbol is symbol and before.init and len(before.init.items) == 1:
        return scan.fixed_value(before.init.items[0].value)
    if isinstance(before, tree.ExprStatement):
        expr: tree.TypedExpr = before.expr
        while isinstance(expr, tree.Comma):
            expr = expr.right
        if isinstance(expr, tree.Assignment) and _variable(expr.target) is symbol:
            return scan.fixed_value(expr.value)
    return None


def _increment(symbol: tree.Symbol, expr: tree.TypedExpr | None, scan: Scan) -> int | None:
    if isinstance(expr, tree.CompoundAssign) and _variable(expr.target) is symbol and expr.op in "+-":
        step = scan.fixed_value(expr.value)
        return None if step is None else (step if expr.op == "+" else -step)
    return None


def _top_level_increment(symbol: tree.Symbol, loop: tree.LoopStatement, scan: Scan) -> int | None:
    """The step of the counter, if the loop's only assignment to it is unconditional and `continue` cannot pass it by."""
    if facts_of((loop.body, loop.step)).assigned.get(symbol) != 1:
        return None
    if loop.step is not None:
        step = _increment(symbol, loop.step, scan)
        if step is not None:
            return step
    if any(isinstance(n, tree.Continue) for n in walk(loop.body)):
        return None
    items = loop.body.items if isinstance(loop.body, tree.Block) else (loop.body,)
    for item in items:
        if isinstance(item, tree.ExprStatement):
            step = _increment(symbol, item.expr, scan)
            if step is not None:
                return step
    return None


def _jumps(root: object) -> tuple[set[str], list[str]]:
    """Labels defined in a tree, and the targets of its gotos."""
    labels, gotos = set(), []
    for node in walk(root):
        if isinstance(node, tree.Label):
            labels.add(node.name)
        elif isinstance(node, tree.Goto):
            gotos.append(node.label)
        elif isinstance(node, tree.Asm):
            gotos.extend(node.labels)
    return labels, gotos


def jumps_stay_inside(block: tree.Block, function: tree.Block) -> bool:
    """No goto from elsewhere in the function leads to a label in the block: what follows the block runs no more often for it."""
    labels, inside = _jumps(block)
    everywhere = _jumps(function)[1]
    return all(inside.count(name) == everywhere.count(name) for name in labels)


def trip_count(loop: tree.LoopStatement, before: tree.Statement | None, scan: Scan) -> int | None:
    """How often the body of a counting loop can run at most; None where that is not plain to see."""
    condition = loop.condition
    if not isinstance(condition, tree.BinaryExpr) or condition.op not in ("<", "<=", ">", ">=", "!="):
        return None
    symbol, bound = _variable(condition.left), scan.fixed_value(condition.right)
    if symbol is None or bound is None or symbol.address_taken or symbol.storage not in ("local", "param"):
        return None
    start, step = _start_value(symbol, before, scan), _top_level_increment(symbol, loop, scan)
    if start is None or not step:
        return None
    span = bound - start
    if condition.op in ("<=", ">="):
        span += 1 if condition.op == "<=" else -1
    if (span > 0) != (step > 0) or ((condition.op in ("<", "<=")) != (step > 0) and condition.op != "!="):
        return 0 if span == 0 else None
    if condition.op == "!=" and span % step:
        return None
    count = -(-abs(span) // abs(step))
    return count if loop.test_first else max(1, count)
