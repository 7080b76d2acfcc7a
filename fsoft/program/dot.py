"""A Program as a drawing: one cluster per template, locations as nodes, steps as arrows (for Graphviz)."""

from __future__ import annotations

from fsoft.program.expr import TRUE, show
from fsoft.program.program import Program, Step, Template
from fsoft.program.text import AddressNames

_LIMIT = 60  # characters per line of a label


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\l")
    return f'"{escaped}"'


def _short(text: str) -> str:
    return text if len(text) <= _LIMIT else text[: _LIMIT - 3] + "..."


def _label(words: AddressNames, step: Step) -> str:
    lines = [] if step.guard is TRUE else [f"[{show(step.guard)}]"]
    lines += [words.action(action) for action in step.actions]
    lines += [f"#{words.tag(tag)}" for tag in step.tags]
    if step.text:
        lines.append(f"// {step.loc.line}: {step.text}")
    return "".join(_short(line) + "\n" for line in lines)


def _cluster(words: AddressNames, number: int, template: Template) -> list[str]:
    lines = [f"  subgraph cluster_{number} {{", f"    label={_quote(template.name)};"]
    stops = {at: kind for kind, at in template.stops.items()}
    used = {0} | {k for step in template.steps for k in (step.source, step.target)}
    for k, place in enumerate(template.locations):
        if k not in used and k in stops:
            continue
        shape = "doublecircle" if k in stops else "box" if place.atomic else "circle"
        style = ", style=bold" if k == 0 else ", style=filled, fillcolor=lightgrey" if place.loop else ""
        lines.append(f"    t{number}_{k} [label={_quote(stops.get(k, str(k)))}, shape={shape}{style}];")
    for step in template.steps:
        label = _quote(_label(words, step))
        lines.append(f"    t{number}_{step.source} -> t{number}_{step.target} [label={label}];")
    return [*lines, "  }"]


def dot_of(program: Program) -> str:
    """The text of a DOT file."""
    words = AddressNames(program)
    lines = [f"digraph {_quote(program.name)} {{", "  node [fontsize=10]; edge [fontsize=9];"]
    for number, template in enumerate(program.templates()):
        lines += _cluster(words, number, template)
    return "\n".join([*lines, "}"])
