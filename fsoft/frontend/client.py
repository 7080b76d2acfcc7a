"""A client for a library without `main`: threads that call its functions in any order, as C text that is read after the file.

    client = Client(("push", "pop"), init="open", fini="close")
    sources = with_client(sources, client)          # then start at ENTRY

Parameters that are numbers are free. A pointer of the type that `init` gives or fills is the shared handle (without `init`: the first
pointer to a struct is a shared object, zero at the start); any other pointer points to a buffer of the thread's own.

`linearizable`: each thread makes its calls once; then the same calls are made again one after the other, in every order that keeps the
order within threads and that of calls which did not overlap (Herlihy and Wing, TOPLAS 1990), and one of these orders must give the same
results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pycparser import c_ast, c_generator

from fsoft.frontend.parse import ParsedFile, parse_source
from fsoft.frontend.source import InputError, Loc, Source
from fsoft.frontend.types import HOST

ENTRY = "__client_main"
BUFFER = 4  # elements of a private buffer
MOST_ORDERS = 5_000
_WAITING = frozenset({"pthread_cond_wait", "pthread_cond_timedwait", "sem_wait", "sem_timedwait", "pthread_barrier_wait", "pthread_join",
                      "cnd_wait", "cnd_timedwait", "thrd_join"})  # fmt: skip
Node = Any  # pycparser's nodes are not typed


@dataclass(frozen=True, slots=True)
class Client:
    """`entries` are called by `threads` threads, each any number of times or `calls_each` times, after `init` and before `fini`."""

    entries: tuple[str, ...]
    init: str = ""
    fini: str = ""
    threads: int = 2
    calls_each: int | None = None
    linearizable: bool = False

    def said(self) -> str:
        """The client as a person reads it."""
        times = "any number of times" if self.calls_each is None else "once" if self.calls_each == 1 else f"{self.calls_each} times"
        around = " after ".join(["", f"{self.init}()"]) if self.init else ""
        around += f" and before {self.fini}()" if self.init and self.fini else f" before {self.fini}()" if self.fini else ""
        calls = f"{self.threads} threads call {', '.join(self.entries)} in any order, each {times}{around}"
        return f"client: {calls}" + ("; calls return where nobody else runs" if self.linearizable else "")


def with_client(sources: Sequence[Source], client: Client, cpp: str = "builtin", bits: int = HOST.pointer_bits) -> list[Source]:
    """The sources, with the client behind the file that defines the first of the functions."""
    files = [parse_source(source, cpp=cpp, bits=bits) for source in sources]
    home = next((k for k, file in enumerate(files) if client.entries[0] in _definitions(file)), None)
    if home is None:
        raise InputError(
            Loc(sources[0].path, 0), f"no definition of function '{client.entries[0]}': --entry names functions of the library"
        )
    if client.linearizable:
        _check_returning(files)
    text = _Harness(files[home], client).text()
    return [replace(source, more=f"{source.more}\n{text}") if k == home else source for k, source in enumerate(sources)]


def _definitions(file: ParsedFile) -> dict[str, Node]:
    return {node.decl.name: node.decl for node in file.ast.ext if isinstance(node, c_ast.FuncDef)}


def _check_returning(files: Sequence[ParsedFile]) -> None:
    for file in files:
        for node in _nodes(file.ast):
            if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID) and node.name.name in _WAITING:
                loc = Loc(node.coord.file, node.coord.line, node.coord.column or 0)
                raise InputError(
                    loc, f"'{node.name.name}' waits for other threads: --linearizable compares calls that return by themselves"
                )


def _nodes(root: Node) -> Iterator[Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(child for _, child in node.children())


@dataclass(frozen=True, slots=True)
class _Parameter:
    """`type` is its C type without a name; `kind`: "number", "pointer", "handle" (the shared handle), "record"; `to`: of a pointer, what it
    points to."""

    type: str
    kind: str
    to: str = ""


class _Harness:
    """Writes the client of one file. Functions of other files must be declared in it."""

    def __init__(self, file: ParsedFile, client: Client):
        self.file, self.client = file, client
        self.typedefs = {node.name: node.type for node in file.ast.ext if isinstance(node, c_ast.Typedef)}
        self.declared = {node.name: node for node in file.ast.ext if isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl)}
        self.declared.update(_definitions(file))
        self.lines: list[str] = []
        self.handle = ""  # the type of the shared handle
        self.opening = ""  # the statement that makes it
        self.calls = client.calls_each or 1
        self._handle()

    # ------------------------------------------------------------ what the functions look like

    def _function(self, name: str) -> Node:
        if name not in self.declared:
            raise InputError(
                Loc(self.file.name, 0), f"no function '{name}' is declared in this file: it defines '{self.client.entries[0]}'"
            )
        return self.declared[name]

    def _parameters(self, name: str) -> list[Node]:
        declaration = self._function(name)
        args = declaration.type.args
        found = [one for one in (args.params if args is not None else ()) if not isinstance(one, c_ast.EllipsisParam)]
        return [one.type for one in found if not self._is_void(one.type)]

    def _is_void(self, node: Node) -> bool:
        node = self._resolved(node)
        return isinstance(node, c_ast.TypeDecl) and isinstance(node.type, c_ast.IdentifierType) and node.type.names == ["void"]

    def _resolved(self, node: Node) -> Node:
        """Without typedef names on top."""
        while isinstance(node, c_ast.TypeDecl) and isinstance(node.type, c_ast.IdentifierType) and node.type.names[0] in self.typedefs:
            node = self.typedefs[node.type.names[0]]
        return node

    def _pointed(self, node: Node) -> Node | None:
        node = self._resolved(node)
        return node.type if isinstance(node, (c_ast.PtrDecl, c_ast.ArrayDecl)) else None

    def _is_record(self, node: Node) -> bool:
        node = self._resolved(node)
        return isinstance(node, c_ast.TypeDecl) and isinstance(node.type, (c_ast.Struct, c_ast.Union))

    def _spelled(self, node: Node) -> str:
        """The type as C, without qualifiers: objects of it are made here."""
        words = c_generator.CGenerator().visit(c_ast.Typename(None, [], None, _nameless(node)))
        return " ".join(word for word in words.split() if word not in ("const", "volatile", "restrict"))

    def _parameter(self, name: str, node: Node) -> _Parameter:
        to = self._pointed(node)
        if to is None:
            return _Parameter(self._spelled(node), "record" if self._is_record(node) else "number")
        if isinstance(self._resolved(to), c_ast.FuncDecl):
            place = self._function(name).coord
            loc = Loc(place.file, place.line, place.column or 0)
            raise InputError(loc, f"'{name}' takes a pointer to a function: a client for that has to be written by hand")
        spelled = "char" if self._is_void(to) else self._spelled(to)
        return _Parameter(f"{self._spelled(to)} *", "handle" if self.handle and spelled == self.handle else "pointer", spelled)

    def _handle(self) -> None:
        """What the threads share: the result of init, what it is given to fill, or the first struct that a function takes."""
        init = self.client.init
        if init:
            result = self._function(init).type.type
            nodes = self._parameters(init)
            to = self._pointed(result)
            if to is not None:
                self.handle = "char" if self._is_void(to) else self._spelled(to)
                self._declare(f"static {self.handle} *__client_handle;")
                self.opening = f"__client_handle = {init}({self._arguments(init, '0', '0')});"
                return
            for node in nodes:
                to = self._pointed(node)
                inner = self._pointed(to) if to is not None else None
                if inner is not None:
                    self.handle = "char" if self._is_void(inner) else self._spelled(inner)
                    self._declare(f"static {self.handle} *__client_handle;")
                    self.opening = f"{init}({self._arguments(init, '0', '0', {self.handle + ' *': '&__client_handle'})});"
                    return
        names = [init] if init else list(self.client.entries)
        records = (
            to for name in names for node in self._parameters(name) if (to := self._pointed(node)) is not None and self._is_record(to)
        )
        first = next(records, None)
        if first is not None:
            self.handle = self._spelled(first)
            self._declare(f"static {self.handle} __client_object;")
            self._declare(f"static {self.handle} *__client_handle = &__client_object;")
        if init:
            self.opening = f"{init}({self._arguments(init, '0', '0')});"

    # ------------------------------------------------------------ arguments

    def _declare(self, line: str) -> None:
        if line not in self.lines:
            self.lines.append(line)

    def _arguments(self, name: str, thread: str, call: str, special: dict[str, str] | None = None) -> str:
        """The arguments of a call: of a thread's k-th call its own buffers and stored numbers."""
        out = []
        for k, node in enumerate(self._parameters(name)):
            one = self._parameter(name, node)
            place = f"__client_{name}_{k}[{thread}][{call}]"
            if special and one.to in special:
                out.append(special[one.to])
            elif one.kind == "handle":
                out.append("__client_handle")
            elif one.kind == "pointer":
                self._declare(f"static {one.to} __client_{name}_{k}[{self.client.threads}][{self.calls}][{BUFFER}];")
                out.append(f"({one.type}){place}")
            else:
                self._declare(f"static {one.type} __client_{name}_{k}[{self.client.threads}][{self.calls}];")
                out.append(place)
        return ", ".join(out)

    def _choices(self, name: str, thread: str, call: str) -> Iterator[str]:
        """Statements that give a call its free arguments."""
        for k, node in enumerate(self._parameters(name)):
            one = self._parameter(name, node)
            place = f"__client_{name}_{k}[{thread}][{call}]"
            if one.kind in ("number", "record"):
                yield f"{{ {one.type} @any; {place} = @any; }}"
            elif one.kind == "pointer" and one.to == "char":
                yield f"{{ char @any0, @any1; {place}[0] = @any0; {place}[1] = @any1; {place}[2] = 0; }}"

    def _compared(self, name: str) -> bool:
        """Whether the result is a number or a pointer."""
        result = self._function(name).type.type
        return not self._is_void(result) and not self._is_record(result)

    # ------------------------------------------------------------ the text

    def text(self) -> str:
        """The client in C; each call of the library on a line of its own."""
        body = self._linearizable() if self.client.linearizable else self._free()
        declarations = ["_Bool __VERIFIER_nondet_bool(void);", "void __fsoft_note(const char *);"]
        return "\n".join([*declarations, *self.lines, *body]).replace("@", "__client_") + "\n"  # names that nobody has

    def _cases(self, thread: str, call: str, made: str) -> list[str]:
        """A switch with a call of each function; `made` is a format for what is done with it."""
        out = []
        for number, name in enumerate(self.client.entries):
            statement = f"{name}({self._arguments(name, thread, call)});"
            target = f"__client_{made}[{thread}][{call}] = (unsigned long)" if made and self._compared(name) else ""
            out += [f"case {number}:", *self._choices(name, thread, call), f"{target}{statement}", "break;"]
        return out

    def _any_of(self) -> str:
        """The number of any of the functions: bits, so that engines which try values have few to try."""
        count = len(self.client.entries)
        bits = " + ".join(f"{1 << k} * __VERIFIER_nondet_bool()" for k in range((count - 1).bit_length()))
        return f"({bits or 0}) % {count}"

    def _main(self, after: Sequence[str]) -> list[str]:
        count = self.client.threads
        return [
            f"int {ENTRY}(void) {{",
            f"static unsigned long @threads[{count}];",
            f'__fsoft_note("{self.client.said()}");',
            self.opening,
            f"for (int @i = 0; @i < {count}; @i++) pthread_create(&@threads[@i], 0, __client_run, (void *)(long)@i);",
            f"for (int @i = 0; @i < {count}; @i++) pthread_join(@threads[@i], 0);",
            *after,
            "return 0; }",
        ]

    def _closing(self) -> str:
        fini = self.client.fini
        return f"{fini}({self._arguments(fini, '0', '0')});" if fini else ""

    def _free(self) -> list[str]:
        each = self.client.calls_each
        loop = "while (__VERIFIER_nondet_bool())" if each is None else f"for (int @k = 0; @k < {each}; @k++)"
        cases = self._cases("@me", "0" if each is None else "@k", "")
        head = ["static void *__client_run(void *@arg) {", "long @me = (long)@arg;", f"{loop} switch ({self._any_of()}) {{"]
        return [*head, *cases, "default: break;", "}", "return 0; }", *self._main([self._closing()])]

    def _linearizable(self) -> list[str]:
        count, each = self.client.threads, self.calls
        orders = list(_orders([each] * count, MOST_ORDERS + 1))
        if len(orders) > MOST_ORDERS:
            raise InputError(Loc(self.file.name, 0), "too many orders of the calls: fewer --threads or --calls-each")
        tables = [f"static {kind} __client_{name}[{count}][{each}];" for kind, name in (
            ("int", "chosen"), ("unsigned long", "result"), ("unsigned long", "again"), ("int", "began"), ("int", "ended"))]  # fmt: skip
        table = ", ".join("{" + ", ".join(map(str, order)) + "}" for order in orders)
        first, again = self._cases("@me", "@k", "result"), self._repeated()
        return [
            *tables, "static int __client_clock;",
            f"static const unsigned char __client_orders[{len(orders)}][{count * each}] = {{{table}}};",
            "void __fsoft_fail(const char *);",
            "static void __VERIFIER_atomic_begins(long @me, int @k) { __client_began[@me][@k] = ++__client_clock; }",
            "static void __VERIFIER_atomic_ends(long @me, int @k) { __client_ended[@me][@k] = ++__client_clock; }",
            "static void *__client_run(void *@arg) {", "long @me = (long)@arg;", f"for (int @k = 0; @k < {each}; @k++) {{",
            f"int @which = {self._any_of()};",
            "__client_chosen[@me][@k] = @which;",
            "__VERIFIER_atomic_begins(@me, @k);", "switch (@which) {", *first, "}", "__VERIFIER_atomic_ends(@me, @k);", "}", "return 0; }",
            "static int __client_early(int *@next, long @me, int @k) {",
            f"for (int @u = 0; @u < {count}; @u++) if (@u != @me && @next[@u] < {each}",
            "&& __client_ended[@u][@next[@u]] < __client_began[@me][@k]) return 1;", "return 0; }",
            "static int __client_agrees(int @order) {", f"int @next[{count}] = {{0}};", self._fresh(), self.opening,
            f"for (int @at = 0; @at < {count * each}; @at++) {{", "long @me = __client_orders[@order][@at]; int @k = @next[@me];",
            "if (__client_early(@next, @me, @k)) return 0;", "@next[@me] = @k + 1;", "switch (__client_chosen[@me][@k]) {", *again, "}",
            "if (__client_again[@me][@k] != __client_result[@me][@k]) return 0;", "}", "return 1; }",
            *self._main([
                self._closing(), "int @found = 0;",
                f"for (int @order = 0; @order < {len(orders)} && !@found; @order++) @found = __client_agrees(@order);",
                'if (!@found) __fsoft_fail("no sequential order of the calls gives these results");',
            ]),
        ]  # fmt: skip

    def _repeated(self) -> list[str]:
        """The calls again, with the arguments that they had."""
        return [line for line in self._cases("@me", "@k", "again") if " @any" not in line]

    def _fresh(self) -> str:
        """A shared object that nobody has made by a function is as it was at the start."""
        return "__client_object = (__typeof__(__client_object)){0};" if any("__client_object;" in line for line in self.lines) else ""


def _nameless(node: Node) -> Node:
    """A type as in a cast: without the name that it declares."""
    if isinstance(node, c_ast.TypeDecl):
        return c_ast.TypeDecl(None, node.quals, None, node.type)
    if isinstance(node, c_ast.ArrayDecl):
        return c_ast.PtrDecl([], _nameless(node.type))
    if isinstance(node, c_ast.PtrDecl):
        return c_ast.PtrDecl(node.quals, _nameless(node.type))
    return node


def _orders(left: list[int], most: int) -> Iterator[tuple[int, ...]]:
    """All ways to merge that many calls of each thread, at most so many."""
    if not any(left):
        yield ()
        return
    made = 0
    for thread, calls in enumerate(left):
        if calls:
            for rest in _orders([n - (k == thread) for k, n in enumerate(left)], most - made):
                yield (thread, *rest)
                made += 1
                if made >= most:
                    return


__all__ = ["ENTRY", "Client", "with_client"]
