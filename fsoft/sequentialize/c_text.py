"""Any Program with one thread and no cycles as C, for other verifiers (Lazy-CSeq, section III: the last module of the chain).

Registers are variables, cells of memory are variables (`c_memory.py`), every choice has a name of its own (`in_7`, numbered as in
`sites.py`), so that a trace of whatever tool can be read back. `#line` directives name the user's lines. What ends a run (a failed
assume, a bound) is an assume.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from fsoft.analysis.actions import defined, expressions
from fsoft.frontend.source import NOWHERE
from fsoft.passes.ways import all_exclusive
from fsoft.program.expr import TRUE, Expr
from fsoft.program.program import (
    Action,
    Alloc,
    Assign,
    Check,
    Enter,
    Free,
    Halt,
    Input,
    Leave,
    Load,
    Measure,
    Program,
    Require,
    Step,
    Store,
)
from fsoft.program.state import ALIVE, DEAD, NEVER, can_die
from fsoft.sequentialize.c_access import Accesses
from fsoft.sequentialize.c_expr import ExpressionPrinter, identifier
from fsoft.sequentialize.c_memory import CMemory, CVariable
from fsoft.sequentialize.c_words import number, size_of, type_of
from fsoft.sequentialize.sites import START, Sites
from fsoft.sequentialize.targets import GCC_MAIN, TYPES, WIDE, Target

_MARK = "\0"
_NAME = re.compile(r"\w+", re.ASCII)
_LONG = 400  # characters of a line
_DRIVER = "fsoft"
"""The file that `#line` names where no line of the user's stands behind a statement."""


def c_text(program: Program, target: Target, about: str = "") -> str:
    """The program as C for a tool."""
    return _Printer(program, target).text(about)


class _Printer:
    def __init__(self, program: Program, target: Target):
        self.program, self.target = program, target
        self.template = program.threads[0].template
        self.sites = Sites(program)
        self.memory = CMemory(program)
        self.accesses = Accesses(self.memory, target.assume.format("0"))
        self.exprs = ExpressionPrinter()
        self.body: list[str] = []
        self.used: set[int] = set()
        self.registers: list[CVariable] = []
        taken: set[str] = set()
        for name, register in self.template.registers.items():
            plain = identifier(name)
            while plain in taken:
                plain += "_"
            taken.add(plain)
            self.exprs.names[name] = f"r_{plain}"
            self.registers.append(CVariable(f"r_{plain}", self._type(register.width)))

    def _type(self, width: int) -> str:
        if self.target.vectors and size_of(width) != width:
            return f"BITS({width}, {type_of(width)})"
        return type_of(width)

    # ------------------------------------------------------------ the file

    def text(self, about: str) -> str:
        self._start()
        self._steps()
        parts = [f"/* {about or self.program.name}: one thread, every run ends. Made by fsoft for {self.target.name}. */", TYPES]
        functions = self.accesses.text()
        helpers = "\n".join(self.exprs.helpers.values())
        if any("128" in part for part in (functions, helpers, *self.body, *(register.ctype for register in self.registers))):
            parts.append(WIDE)
        parts += [*self.target.prelude, *self.target.declarations(self.used)]
        text = "\n".join(_lined(self.body))
        mentioned = {*_NAME.findall(text), *_NAME.findall(functions)}
        variables = [v for v in self.memory.variables if v.name in mentioned]
        parts += [variable.declaration() for variable in variables]
        parts += [helpers, functions, "static void run(void) {", *self._locals(mentioned), text, "}"]
        if self.target.harness:
            resets = [line for variable in variables if not variable.constant for line in variable.reset()]
            parts += ["static void reset(void) {", *(f"    {line}" for line in resets), "}"]
            parts += [f"enum {{ SITES = {len(self.sites.width)} }};", GCC_MAIN]
        else:
            parts.append("int main(void) {\n    run();\n    return 0;\n}")
        return "\n".join(part for part in parts if part) + "\n"

    def _locals(self, mentioned: set[str]) -> list[str]:
        """Registers are variables of the one function: tools need not ask who else may write them."""
        read = {name for step in self.template.steps for name in step.guard.reads}
        read |= {name for step in self.template.steps for a in step.actions for e in (a.when, *expressions(a)) for name in e.reads}
        unread = [self.exprs.names[name] for name in self.template.registers if name not in read]
        declarations = [f"    {register.local()}" for register in self.registers if register.name in mentioned]
        return [*declarations, *(f"    (void){name};" for name in unread if name in mentioned)]

    def _start(self) -> None:
        """What is undefined from the start."""
        for obj in self.program.objects[1:]:
            if obj.alive and obj.undefined and any(v.name == self.memory.run(obj, 0) for v in self.memory.variables):
                self._havoc((START, obj.id), self.memory.cells(obj), "    ")

    # ------------------------------------------------------------ control

    def _steps(self) -> None:
        out: list[list[int]] = [[] for _ in self.template.locations]
        jumps: set[int] = set()
        for index, step in enumerate(self.template.steps):
            out[step.source].append(index)
        order = [at for at in range(len(out)) if out[at]]
        following = dict(pairwise(order))
        plain = {at: len(out[at]) == 1 and self.template.steps[out[at][0]].guard is TRUE for at in order}
        for at in order:
            for index in out[at]:
                target = self.template.steps[index].target
                if out[target] and not (plain[at] and following.get(at) == target):
                    jumps.add(target)
        for at in order:
            if at in jumps:
                self.body.append(f"L{at}: ;")
            self._location(at, out, plain[at], following.get(at))

    def _location(self, at: int, out: list[list[int]], plain: bool, following: int | None) -> None:
        steps = [self.template.steps[index] for index in out[at]]
        if plain:
            self._step(out[at][0], steps[0], "    ")
            self._goto(steps[0], out, following, "    ")
            return
        pick = ""
        if not all_exclusive([step.guard for step in steps]):
            pick = self._choice((START - 1 - at, 0, -1), "    ")
        left = f"n{at}"
        if pick:
            guards = [self._inline(step.guard) for step in steps]
            self.body.append(f"    u32 {left} = {' + '.join(f'(u32){g}' for g in guards)};")
            self.body.append(f"    {left} = {left} ? {pick} % {left} : 0;")
        for index, step in zip(out[at], steps, strict=True):
            guard = self._inline(step.guard)
            self.body.append(f"    if ({guard}{f' && !{left}--' if pick else ''}) {{")
            self._step(index, step, "        ")
            self._goto(step, out, None, "        ")
            self.body.append("    }")
        self.body.append("    return;")

    def _goto(self, step: Step, out: list[list[int]], following: int | None, indent: str) -> None:
        if not out[step.target]:
            if following is not None or indent != "    ":
                self.body.append(f"{indent}return;")
        elif step.target != following:
            self.body.append(f"{indent}goto L{step.target};")

    def _inline(self, expr: Expr) -> str:
        """An expression over the registers as they are now, its parts before it."""
        (text,), before = self.exprs.text([expr])
        self.body += [f"    {line}" for line in before]
        return text

    # ------------------------------------------------------------ steps

    def _step(self, index: int, step: Step, indent: str) -> None:
        place = 0
        while place < len(step.actions):
            place = self._group(index, step, place, indent)

    def _group(self, index: int, step: Step, place: int, indent: str) -> int:
        """The actions from `place` on that have the same predicate; where they end."""
        when, end = step.actions[place].when, place
        while end < len(step.actions) and step.actions[end].when is when:
            name = defined(step.actions[end])
            end += 1
            if name in when.reads or when is TRUE:
                break
        group = [(k, step.actions[k]) for k in range(place, end)]
        self._mark(step.actions[place], step)
        if len(group) == 1 and isinstance(group[0][1], Halt):
            self._halt(when, indent)
        elif when is TRUE:
            for k, action in group:
                self._action((index, k), action, step, indent)
        else:
            (text,), before = self.exprs.text([when])
            opened = "{ " + " ".join(before) + " " if before else ""
            self.body.append(f"{indent}{opened}if ({text}) {{")
            for k, action in group:
                self._action((index, k), action, step, indent + "    ")
            self.body.append(f"{indent}}}{' }' if before else ''}")
        return end

    def _mark(self, action: Action, step: Step) -> None:
        """What follows belongs to the line of the action."""
        loc = getattr(action, "loc", NOWHERE)
        loc = step.loc if loc == NOWHERE or loc.line <= 0 or loc.file.startswith("<") else loc
        known = loc != NOWHERE and loc.line > 0
        self.body.append(f"{_MARK}{loc.line} {_string(loc.file)}" if known else f'{_MARK}1 "{_DRIVER}"')

    def _halt(self, when: Expr, indent: str) -> None:
        (text,), before = self.exprs.text([when])
        self._emit(before, [self.target.assume.format(f"!{text}")], indent)

    def _emit(self, before: list[str], lines: Iterable[str], indent: str) -> None:
        if before:
            self.body.append(f"{indent}{{")
            self.body += [f"{indent}    {line}" for line in [*before, *lines]]
            self.body.append(f"{indent}}}")
        else:
            self.body += [f"{indent}{line}" for line in lines]

    def _action(self, where: tuple[int, int], action: Action, step: Step, indent: str) -> None:
        self._mark(action, step)
        texts, before = self.exprs.text(expressions(action))
        target = self.exprs.names.get(defined(action) or "", "")
        if isinstance(action, Assign):
            self._emit(before, [f"{target} = {texts[0]};"], indent)
        elif isinstance(action, (Load, Store)):
            self._emit(before, self._access(action, texts, target), indent)
        elif isinstance(action, Input):
            self._emit(before, self._input(where, action, texts, target), indent)
        elif isinstance(action, (Require, Check)):
            claim = _quoted(f"{action.prop}: {action.message}{_at(action, step)}") if isinstance(action, Check) else ""
            pattern = self.target.check if isinstance(action, Check) else self.target.assume
            self._emit(before, [pattern.format(texts[0], claim)], indent)
        elif isinstance(action, Halt):
            self.body.append(indent + self.target.assume.format("0"))
        elif isinstance(action, Measure):
            self._emit(before, [*self._foreseen(action, texts[0]), f"{target} = ({type_of(self.template.registers[action.reg].width)})"
                                f"{self.accesses.function('size', 0, action)}({texts[0]});"], indent)  # fmt: skip
        elif isinstance(action, Free):
            self._emit(before, self._free(action, texts[0], step), indent)
        elif isinstance(action, Alloc):
            self._alloc(where, action, texts[0], before, target, indent)
        else:
            self._lifetime(where, action, indent)

    def _claim(self, prop: str, condition: str, message: str, action: Action, step: Step) -> str:
        """A property where it is on; else the run ends."""
        if prop in self.program.checks:
            return self.target.check.format(condition, _quoted(f"{prop}: {message}{_at(action, step)}"))
        return self.target.assume.format(condition)

    def _foreseen(self, action: Load | Store | Measure | Free, address: str) -> list[str]:
        """A run ends at an address that names an object to which it was not seen to point: the formula does not follow it."""
        if action.address.is_const:
            return []
        return [self.target.assume.format(f"{self.accesses.function('foreseen', 0, action)}({address})")]

    def _access(self, action: Load | Store, texts: list[str], target: str) -> list[str]:
        write, size, lines = isinstance(action, Store), action.size, []
        cell = self.memory.known(action.address.value, size) if action.address.is_const else None
        if cell is None:
            lines += self._foreseen(action, texts[0]) if "valid-deref" in self.program.checks else []
            valid = f"{self.accesses.function('writable' if write else 'valid', size, action)}({texts[0]})"
        else:
            valid = self.memory.usable(action.address.value, size, write)
        if valid:
            lines.append(self._claim("valid-deref", valid, "invalid access", action, _NO_STEP))
        if isinstance(action, Store):
            if cell is not None and self.memory.readonly(action.address.value):
                return lines  # the run ends there
            store = "" if cell is not None else self.accesses.function("store", size, action)
            return [*lines, f"{cell} = {texts[1]};" if cell is not None else f"{store}({texts[0]}, {texts[1]});"]
        load = cell if cell is not None else f"{self.accesses.function('load', size, action)}({texts[0]})"
        return [*lines, f"{target} = {load};"]

    # ------------------------------------------------------------ choices

    def _choice(self, key: tuple[int, int, int], indent: str) -> str:
        """A variable with what is chosen at a site."""
        name, declaration = self._chosen(key)
        self.body.append(indent + declaration)
        return name

    def _chosen(self, key: tuple[int, int, int]) -> tuple[str, str]:
        """The name of a variable with what is chosen at a site, and its declaration."""
        site = self.sites.number[key]
        width = self.sites.width[site]
        bits = size_of(width)
        self.used.add(bits)
        text = self.target.nondet(bits, site)
        if bits != width:
            text = f"({type_of(width)})({text} & {number((1 << width) - 1, width)})"
        return f"in_{site}", f"const {type_of(width)} in_{site} = {text};"

    def _input(self, where: tuple[int, int], action: Input, texts: list[str], target: str) -> list[str]:
        name, declaration = self._chosen((*where, -1))
        if action.among is None:
            return [declaration, f"{target} = {name};"]
        mask, width = texts[0], self.template.registers[action.reg].width
        kind = type_of(action.among.width)
        find = f"{{ const {kind} m = {mask}; {_lowest(action.among.width)} "
        pick = f"u32 k = (u32){name}; if (k >= {action.among.width}u || !(m >> k & 1u)) k = low; {target} = ({type_of(width)})k; }}"
        return [declaration, find + pick]

    def _havoc(self, where: tuple[int, int], cells: list[tuple[str, int]], indent: str) -> None:
        for k, (cell, _) in enumerate(cells):
            self.body.append(f"{indent}{cell} = {self._choice((*where, k), indent)};")

    # ------------------------------------------------------------ lifetimes

    def _lifetime(self, where: tuple[int, int], action: Action, indent: str) -> None:
        assert isinstance(action, (Enter, Leave)) and action.address.is_const
        obj = self.program.objects[action.address.value >> self.program.offset_bits]
        if can_die(obj):
            self.body.append(f"{indent}{self.memory.status(obj)} = {ALIVE if isinstance(action, Enter) else DEAD}u;")
            if isinstance(action, Enter):
                self._havoc(where, self.memory.cells(obj), indent)

    def _alloc(self, where: tuple[int, int], action: Alloc, size: str, before: list[str], target: str, indent: str) -> None:
        pool, word = self.program.pools[action.pool], type_of(self.program.word)
        objects = [self.program.objects[k] for k in pool.objects]
        self.body.append(f"{indent}{{")
        inner = indent + "    "
        self.body += [f"{inner}{line}" for line in before]
        chosen = self._choice((*where, -1), inner) if self.program.heap_reuse else ""
        self.body.append(f"{inner}{word} got = 0;")
        for obj in reversed(objects):
            address = number(self.program.address(obj), self.program.word)
            self.body.append(f"{inner}if ({self.memory.status(obj)} == {NEVER}u) got = {address};")
        for obj in objects if self.program.heap_reuse else ():
            address = number(self.program.address(obj), self.program.word)
            self.body.append(f"{inner}if ({self.memory.status(obj)} == {DEAD}u && {chosen} == {address}) got = {address};")
        self.body.append(inner + self.target.assume.format(f"got != 0 && {size} <= {pool.capacity}u"))
        for obj in objects:
            self.body.append(f"{inner}if (got == {number(self.program.address(obj), self.program.word)}) {{")
            self.body.append(f"{inner}    {self.memory.status(obj)} = {ALIVE}u;")
            if self.memory.has_extent(obj):
                self.body.append(f"{inner}    {self.memory.extent(obj)} = ({word}){size};")
            for k, (cell, _) in enumerate(self.memory.cells(obj)):
                value = "0" if action.zero else f"in_{self.sites.number[(*where, k)]}"
                self.body.append(f"{inner}    {cell} = {value};")
            self.body.append(f"{inner}}}")
        self.body += [f"{inner}{target} = got;", f"{indent}}}"]
        if not action.zero and objects:
            at = next(k for k in reversed(range(len(self.body))) if self.body[k] == f"{inner}{word} got = 0;")
            fresh = [self._chosen((*where, k))[1] for k in range(len(self.memory.cells(objects[0])))]
            self.body[at:at] = [f"{inner}{line}" for line in fresh]

    def _free(self, action: Free, address: str, step: Step) -> list[str]:
        lines = self._foreseen(action, address)
        lines += [self._claim("valid-free", f"{self.accesses.function('freeable', 0, action)}({address})", "invalid free", action, step)]
        mask = self.memory.candidates_mask(action)
        for obj in self.program.objects[1:]:
            if mask >> obj.id & 1 and obj.storage == "heap":
                base = number(self.program.address(obj), self.program.word)
                extent = f" {self.memory.extent(obj)} = 0;" if self.memory.has_extent(obj) else ""
                lines.append(f"if ({address} == {base}) {{ {self.memory.status(obj)} = {DEAD}u;{extent} }}")
        return lines


_NO_STEP = Step(0, TRUE, (), 0)


def _lined(body: list[str]) -> list[str]:
    """The text with `#line` directives. What belongs to one line of the user's stands on one line."""
    lines: list[str] = []
    current = wanted = ""
    for part in body:
        if part.startswith(_MARK):
            wanted = part.removeprefix(_MARK)
        elif wanted != current or (wanted and len(lines[-1]) > _LONG):
            lines += [f"#line {wanted}", part]
            current = wanted
        elif wanted:
            lines[-1] += f" {part.strip()}"
        else:
            lines.append(part)
    return lines


def _lowest(width: int) -> str:
    """C for `low`, the place of the lowest bit that is set in `m`; without a loop, for tools that would have to unwind it."""
    kind, steps = type_of(width), [1 << k for k in reversed(range((width - 1).bit_length()))]
    halves = [f"if (!(rest & {number((1 << half) - 1, width)})) {{ rest >>= {half}; low += {half}u; }}" for half in steps]
    return f"u32 low = 0; if (m) {{ {kind} rest = m; {' '.join(halves)} }}" if halves else "const u32 low = 0;"


def _string(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _at(action: Action, step: Step) -> str:
    loc = getattr(action, "loc", NOWHERE)
    loc = step.loc if loc == NOWHERE else loc
    return "" if loc == NOWHERE else f" at {loc.file}:{loc.line}"


def _quoted(text: str) -> str:
    """Text inside a C string (and a comment)."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("*/", "* /").replace("\n", " ")
