"""The C text that a row of effects means: a library model, as those in `frontend/library/*.c`."""

from __future__ import annotations

from fsoft.frontend.effects.row import EffectRegion, EffectRow

_NONDET = {
    "char": "char", "signed char": "char", "unsigned char": "uchar", "short": "short", "unsigned short": "ushort", "int": "int",
    "unsigned": "uint", "unsigned int": "uint", "long": "long", "unsigned long": "ulong", "long long": "longlong",
    "unsigned long long": "ulonglong", "float": "float", "double": "double",
}  # fmt: skip
_DEFINED_IN = "effects"
"""The file of `frontend/library` with the helpers that these texts use."""


def text_of(row: EffectRow) -> str:
    """The definition of the function."""
    params = [f"{p.type}{'' if p.type.endswith('*') else ' '}{p.name}" for p in row.params] + ["..."] * row.variadic
    head = f"__fsoft_plain {row.result}{'' if row.result.endswith('*') else ' '}{row.name}({', '.join(params) or 'void'})"
    return f"{head} {{\n" + "".join(f"    {line}\n" for line in _body(row)) + "}\n"


def _body(row: EffectRow) -> list[str]:
    lines = [f"__fsoft_abstract(\"what '{row.name}' does: {row.unknown}\", 1);"] if row.unknown else []
    lines += [f'__fsoft_inexact("{row.inexact}");'] if row.inexact else []
    lines += ["may_stop();"] if row.cancels else []
    if row.handles:
        kind, parameter = row.handles.split()
        lines.append(f"__fsoft_use_{kind}({parameter});")
    lines += [_access(region, write=False) for region in row.reads]
    lines += [f"{_guard(row)}__fsoft_look(&__fsoft_{name});" for name in row.uses]
    lines += [f"while ({name} && __VERIFIER_nondet_bool()) __fsoft_call({name}, __fsoft_outside());" for name in row.calls]
    lines += [f"free({name});" for name in row.frees]
    if row.ends:
        return [*lines, *(f"__fsoft_any(&__fsoft_{name});" for name in row.changes), "__fsoft_end();"]
    lines += _result(row)
    lines += [f'__fsoft_contents("{row.contents}");'] if row.contents else []
    lines += [f"__fsoft_any(&__fsoft_{name});" for name in row.changes]
    written = [_access(region, write=True) for region in row.writes]
    condition = row.when or _success(row)
    lines += [f"if ({condition}) {{ {' '.join(written)} }}"] if written and condition else written
    lines += ["spoil_errno();"] if row.errno else []
    if row.closes:
        kind, parameter = row.closes.split()
        lines.append(f"__fsoft_close_{kind}({parameter});")
    return lines if row.returns_nothing else [*lines, "return result;"]


def _guard(row: EffectRow) -> str:
    """Storage that only some functions of the program change is not looked at where there are none."""
    if not row.guards:
        return ""
    return "if (" + " || ".join(f'__fsoft_uses("{name}")' for name in row.guards) + ") "


def _success(row: EffectRow) -> str:
    """When a function has done what it is for: by default not, if it returns -1 or null."""
    if row.returns.startswith("-1.."):
        return "result != -1"
    return "result" if row.returns.startswith("null|") else ""


def _access(region: EffectRegion, write: bool) -> str:
    pointer, guard = region.pointer, f"if ({region.pointer}) " if region.null else ""
    if region.size is None:
        return f"{guard}{'__fsoft_any' if write else '__fsoft_look'}({pointer});"
    if not region.text:
        return f"{guard}{'__fsoft_any_bytes' if write else '__fsoft_read_bytes'}({pointer}, {region.size});"
    if write:
        return f"{guard}__fsoft_any_text({pointer}, {region.size.strip() or f'__fsoft_room({pointer})'});"
    return f"{guard}__fsoft_read_part({pointer}, {region.size});" if region.size.strip() else f"{guard}__fsoft_read_text({pointer});"


def _result(row: EffectRow) -> list[str]:
    """The declaration of `result`."""
    if row.returns_nothing:
        return []
    returns, null = row.returns.removeprefix("null|"), row.returns.startswith("null|")
    value = _value(row, returns)
    if ".." in returns:
        low, high = (f"(long long)({bound})" for bound in returns.split("..", 1))
        fits = f"{low} <= (long long)result && (long long)result <= {high}"
        return [f"{row.result} result = {value};", f"if (!({fits})) result = ({row.result})({returns.split('..', 1)[0]});"]
    if not null:
        return [f"{row.result} result = {value};"]
    return [f"{row.result} result = 0;", f"if (__VERIFIER_nondet_bool()) result = {value};"]


def _value(row: EffectRow, returns: str) -> str:
    if row.opens:
        return f"__fsoft_open_{row.opens}()"
    if returns == "any" or ".." in returns:
        if row.result.endswith("*"):
            return "__fsoft_outside()"
        kind = _NONDET.get(row.result)
        return f"__VERIFIER_nondet_{kind}()" if kind is not None else f"({row.result})__VERIFIER_nondet_longlong()"
    if returns == "outside":
        return "__fsoft_outside()"
    word, _, rest = returns.partition(" ")
    if word == "new" and rest:
        return "__fsoft_new_text()" if rest == "text" else f"malloc({rest})"
    if rest.isidentifier() and word in ("hidden", "text"):
        return f"(void *)&__fsoft_{rest}" if word == "hidden" else f'__fsoft_text("{rest}")'
    return f"({row.result})({returns})"


__all__ = ["text_of"]
