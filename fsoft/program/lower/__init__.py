"""Typed C to a Program: `lower(unit, options)`.

Each start routine becomes a template by walking its typed tree with calls expanded; creation sites found on the way name further start
routines. When all are done, slots, local objects and heap pools are numbered (`threads.py`).
"""

from __future__ import annotations

import os
import shlex
from dataclasses import replace

from fsoft.frontend import tree
from fsoft.frontend import types as ct
from fsoft.frontend.source import NOWHERE, InputError, Loc
from fsoft.program import descriptor
from fsoft.program.expr import Expr, const, eq, ite, own, resize
from fsoft.program.local import travelling_names
from fsoft.program.lower.arguments import ARGC, Arguments, mentioned
from fsoft.program.lower.calls import Copy
from fsoft.program.lower.context import Expansion, ProgramContext
from fsoft.program.lower.creation import MAX_NUMBERED, MAX_THREADS
from fsoft.program.lower.layout import is_signed, value_bits
from fsoft.program.lower.memory import LoweredMemory
from fsoft.program.lower.scan import Scan, facts_of, walk
from fsoft.program.lower.statements import StatementLowering
from fsoft.program.lower.threads import Assembly
from fsoft.program.options import Options
from fsoft.program.program import Action, Assign, Enter, Halt, Input, Leave, Load, Program, Require, Step, Store, Template

_NOBODY = tree.FunctionDef("<static>", ct.Function(ct.VOID, ()), (), tree.Block(NOWHERE, (), NOWHERE), NOWHERE)


class TemplateLowering(StatementLowering):
    """One template."""

    def __init__(self, shared: ProgramContext, name: str):
        super().__init__(shared, name)
        self.copies: dict[tuple[str, int, int], Copy] = {}
        self.frame = Expansion(_NOBODY, "", None, 0)
        self.argument_count: Expr | None = None

    def template(self, definition: tree.FunctionDef, is_entry: bool) -> Template:
        """Wait to be started, run the start routine, say that it has finished."""
        self.b.loc = definition.loc
        self.b.function = definition.name
        finish = self.b.location()
        frame = self.new_frame(definition, None, finish)
        argument = self._start()
        before = self.b.seal()
        assert before is not None
        body = self.b.location()
        self.b.jump(body)
        init = len(self.b.template.steps) - 1
        self.b.place(body)
        if is_entry:
            self._constructors()
        self._parameters(definition, frame, argument, is_entry)
        self._run(None, definition, frame)
        self.finish_jumps()
        self.b.place(finish)
        if is_entry and self.options.main_return == "ends":
            self.b.calls = ()
            self._at_process_exit(definition.loc)
            self.halt("ended", None, self.b.loc)
        elif is_entry and self._has_exit_functions():
            self.undefined(
                "main's return does not end the process: what is registered for its end runs with the last thread", definition.loc
            )
        else:
            ctype, result = definition.type.result, self.word_const(0)
            if frame.result is not None and ct.is_scalar(ctype):
                result = resize(frame.result, self.word, is_signed(ctype))
            self.b.emit(Assign(str(self.thread_result().data), result))
            self.b.jump(self.thread_end)
        dying = self._close_thread()
        self._thread_locals(init, dying)
        return self.b.template

    def _constructors(self) -> None:
        """Functions with the attribute `constructor` run before main, in the order of the files."""
        for definition in self.shared.unit.globals.values():
            for item in definition.init.items if definition.init else ():
                if isinstance(item.value, tree.FloatConstant) and not item.value.exact:
                    self.rounded(item.value.type, definition.symbol.loc)
        for hook in self.shared.unit.functions.values():
            if "constructor" in hook.attributes:
                self._inline(tree.Call(ct.VOID, hook.loc, tree.FunctionName(hook.type, hook.loc, hook.name), ()), hook)

    def _has_exit_functions(self) -> bool:
        """Something may be called when the process ends."""
        hooks = any("destructor" in hook.attributes for hook in self.shared.unit.functions.values())
        return hooks or "atexit" in self.shared.scan.user_refers_to

    def _at_process_exit(self, loc: Loc) -> None:
        """Main returns: what `atexit` has registered, then destructors, while other threads go on."""
        hook = self.shared.unit.functions.get("__fsoft_at_process_exit")
        if hook is not None and "atexit" in self.shared.scan.user_refers_to:
            self._inline(tree.Call(ct.VOID, loc, tree.FunctionName(hook.type, loc, hook.name), ()), hook)
        self.destructors(tree.Call(ct.VOID, loc, tree.FunctionName(_NOBODY.type, loc, _NOBODY.name), ()))

    def _start(self) -> Expr:
        """Location 0: blocked until the descriptor says RUNNING."""
        word = self.memory.word_bytes
        mine = own("descriptor", self.word)
        with self.b.one_step():
            self.b.tag("start")
            state = self.load_bytes(mine, word, self.b.loc, sync=True)
            self.b.emit(Require(eq(state, self.word_const(descriptor.RUNNING))))
            at = self.add_bytes(mine, self.word_const(descriptor.offset(0, "arg", word)))
            argument = self.b.register(f"{self.name}.thread-argument", self.word, ctype="void *")
            self.b.emit(Load(str(argument.data), at, word, True, loc=self.b.loc))
        return argument

    def _parameters(self, definition: tree.FunctionDef, frame: Expansion, argument: Expr, is_entry: bool) -> None:
        outer, self.frame = self.frame, frame
        for index, symbol in enumerate(definition.params):
            if isinstance(symbol.type, ct.Record):
                raise InputError(symbol.loc, f"the start routine '{definition.name}' takes a struct; give it a pointer")
            value = self._entry_argument(index, symbol, definition) if is_entry else self._thread_argument(index, symbol, argument)
            self.frame = outer
            fixed = value.is_const and symbol not in self.shared.scan.facts[definition.name].assigned and not symbol.address_taken
            if fixed:
                frame.bindings[symbol] = value
            else:
                self.pass_scalar(symbol, value, frame)
            self.frame = frame
        self.frame = outer

    def _entry_argument(self, index: int, symbol: tree.Symbol, definition: tree.FunctionDef) -> Expr:
        """`main` gets its arguments; another entry gets any values and null pointers."""
        if self.options.entry == "main" and index < 3:
            return self._main_argument(index, symbol, definition)
        if isinstance(symbol.type, ct.Pointer):
            return self.word_const(0)
        return self._missing(symbol)

    def _main_argument(self, index: int, symbol: tree.Symbol, definition: tree.FunctionDef) -> Expr:
        """argc, argv or envp. What main does not mention is nobody's business."""
        arguments, width = Arguments(self.shared, definition), value_bits(symbol.type)
        if symbol not in arguments.used:
            return const(0, width)
        if index == 2:
            return arguments.environment()
        strings = arguments.given()
        if strings is not None:
            self.shared.notes["main is called with the arguments " + " ".join(shlex.quote(os.fsdecode(text)) for text in strings)] = None
            return const(len(strings), width) if index == 0 else arguments.fixed(strings)
        self.shared.notes[f"main is called with any arguments, at most {arguments.most} of them"] = None
        if self.argument_count is None:
            self.argument_count = self.b.register(f"main.{ARGC}.given", value_bits(definition.params[0].type), "", True, "int")
            self.b.emit(Input(str(self.argument_count.data), ARGC, loc=self.b.loc, signed=True))
            self.b.emit(Halt("pruned", None, arguments.too_many(self.argument_count), self.b.loc))
        return self.argument_count if index == 0 else arguments.free(self.argument_count)

    def _thread_argument(self, index: int, symbol: tree.Symbol, argument: Expr) -> Expr:
        width = value_bits(symbol.type)
        if index > 0 or width > self.word:
            return self._missing(symbol)
        return resize(argument, width, False)

    def _close_thread(self) -> list[str]:
        """The result goes into the descriptor; a detached slot is free again at once. Gives the thread-locals whose life ends there."""
        word = self.memory.word_bytes
        mine = own("descriptor", self.word)
        self.b.place(self.thread_end)
        if self.b.here is None:
            return []
        self.b.calls = ()
        hook = self.shared.unit.functions.get("__fsoft_at_thread_exit")
        if hook is not None:
            self._inline(tree.Call(ct.VOID, hook.loc, tree.FunctionName(hook.type, hook.loc, hook.name), ()), hook)
        self.b.seal()
        dying = self._mortal_thread_locals()
        for key in dying:
            self.b.emit(Leave(own(key, self.word), loc=self.locals[key].loc))
        with self.b.one_step():
            self.b.tag("exit", mine)
            detached = self.load_bytes(self._field(mine, "detached"), word, self.b.loc, sync=True)
            self.store_bytes(self._field(mine, "result"), self.thread_result(), self.b.loc, sync=True)
            joinable = eq(detached, self.word_const(0))
            self.b.emit(Store(mine, ite(joinable, self.word_const(descriptor.FINISHED), self._reaped(mine)), word, True, loc=self.b.loc))
        self.b.jump(0)
        return dying

    def _mortal_thread_locals(self) -> list[str]:
        """The thread-local objects of which somebody may notice that they end with their thread: their address travels, or leaks are
        asked for (what only they lead to is lost)."""
        if "valid-memtrack" in self.options.checks:
            return list(self.thread_locals)
        travelling = travelling_names(self.b.template)
        return [key for key in self.thread_locals if key in travelling]

    def _field(self, mine: Expr, name: str) -> Expr:
        return self.add_bytes(mine, self.word_const(descriptor.offset(0, name, self.memory.word_bytes)))

    def _reaped(self, mine: Expr) -> Expr:
        """The state of a slot whose thread is gone: free, unless a lock still names it as its owner."""
        if not self.shared.reuses:
            return self.word_const(descriptor.UNUSED)
        held = self.load_bytes(self._field(mine, "held"), self.memory.word_bytes, self.b.loc, sync=True)
        return ite(eq(held, self.word_const(0)), self.word_const(descriptor.UNUSED), self.word_const(descriptor.LEFT))

    def _thread_locals(self, index: int, dying: list[str]) -> None:
        """A slot that is started, again or for the first time, finds its thread-local objects as new."""
        actions: list[Action] = []
        for key, local in self.locals.items():
            if local.image is None:
                continue
            if key in dying:
                local.dies = True
                actions.append(Enter(own(key, self.word)))
            for run in self.memory.runs(local.type, local.loc):
                for k in range(run.count):
                    at = run.start + k * run.stride
                    value = const(int.from_bytes(local.image[at : at + run.size], "little"), run.size * 8)
                    address = self.add_bytes(own(key, self.word), self.word_const(at))
                    actions.append(Store(address, value, run.size, loc=local.loc))
        step = self.b.template.steps[index]
        self.b.template.steps[index] = Step(step.source, step.guard, tuple(actions), step.target, step.loc, step.text, step.tags)


def _offset_bits(unit: tree.Unit, options: Options) -> int:
    """Enough for the largest object and its neighbourhood; the rest of the word numbers the objects."""
    if unit.types.model.pointer == 8:
        return 32
    sizes = [ct.size_of(g.symbol.type) for g in unit.globals.values()] + [options.heap_size]
    for function in unit.functions.values():
        sizes += [ct.size_of(node.symbol.type) for node in walk(function.body) if isinstance(node, tree.Declare)]
    main = unit.functions.get("main")
    least = 22 if main is not None and mentioned(main) and options.arguments is None else 20  # a large array of pointers
    return min(26, max(least, max(sizes).bit_length() + 1))


def _shared(unit: tree.Unit, options: Options) -> ProgramContext:
    scan = Scan(unit)
    memory = LoweredMemory(unit, unit.types.model.pointer, _offset_bits(unit, options), scan.looks)
    calls, most = options.calls, options.expansion
    if calls == "auto":
        calls = "once" if any(scan.expanded_size(name, most) >= most for name in unit.functions) else "inline"
    chosen = Options(**{**{k: getattr(options, k) for k in options.__slots__}, "calls": calls})
    shared = ProgramContext(unit, chosen, memory, scan)
    most_of_creators = most // 4
    shared.copies_creators = any(scan.expanded_size(name, most_of_creators, scan.creators) >= most_of_creators for name in scan.creators)
    memory.constant = TemplateLowering(shared, "<static>").value
    return shared


def lower(unit: tree.Unit, options: Options) -> Program:
    """The Program of a linked unit, before any pass. Raises InputError for what cannot be lowered."""
    entries = list(options.thread_functions) or [options.entry]
    for entry in [*entries, *filter(None, [options.observer])]:
        if entry not in unit.functions:
            raise InputError(NOWHERE, f"no function '{entry}' to start from; use --entry or --thread to name one")
    most = MAX_NUMBERED if options.unbounded else MAX_THREADS
    program, reuses, crowded = _attempt(unit, options, entries, False, most)
    if crowded:  # a few slots for each of the sites, and a cut where one needs more
        most = min(options.threads, most)
        program, reuses, _ = _attempt(unit, options, entries, False, most)
    if options.unbounded and not program.unbounded:
        return lower(unit, replace(options, unbounded=False))
    if reuses and any("__fsoft_reuses" in facts for facts in _calls(unit)):
        program, _, _ = _attempt(unit, options, entries, True, most)
    return program


def _calls(unit: tree.Unit) -> list[list[str]]:
    return [facts_of(definition.body).calls for definition in unit.functions.values() if "library" in definition.attributes]


def _attempt(unit: tree.Unit, options: Options, entries: list[str], reuses: bool, most: int) -> tuple[Program, bool, bool]:
    """The Program, whether a slot of it may run several threads, and whether there was no room for some site. Library models ask for the
    former (`__fsoft_reuses`) before all creation sites are known, so the answers are found by a first attempt."""
    shared = _shared(unit, options)
    shared.reuses, shared.most_created = reuses, most
    shared.wanted = [*entries, *filter(None, [options.observer])]
    templates: dict[str, Template] = {}
    local_objects = {}
    for name in shared.wanted:  # grows while we walk it
        if name not in unit.functions:
            raise InputError(NOWHERE, f"the start routine '{name}' has no body")
        lowering = TemplateLowering(shared, name)
        templates[name] = lowering.template(unit.functions[name], name == options.entry and not options.thread_functions)
        local_objects[name] = lowering.locals
    assembly = Assembly(shared, templates, local_objects)
    program = assembly.program(entries[0], entries)
    return program, any(site.repeat != 1 and not (options.unbounded and site.repeat is None) for site in shared.creates), assembly.crowded


__all__ = ["lower"]
