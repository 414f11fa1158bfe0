"""Two signatures of one Python function compared: what a caller must write otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from daybreak.read.languages.base import bracketed
from daybreak.read.languages.python_text import split_default
from daybreak.read.surface import Row

_OPEN = re.compile(r"(?:async\s+)?def\s+\w+\s*(?:\[[^\]]*\])?\s*\(")
_PLUMBING = frozenset({"loc", "ip"})
"""Places in the generated code that a compiler's own decorators pass on; nobody writes them."""
Kind = Literal["only_positional", "both", "only_keyword", "rest"]


class Parameter(Struct, frozen=True):
    """One parameter as it is written."""

    name: str
    kind: Kind
    annotation: str
    default: str | None

    @property
    def required(self) -> bool:
        return self.default is None and self.kind != "rest"

    @property
    def shown(self) -> str:
        return self.name if self.default is None else f"{self.name}={self.default}"


class Signature(Struct, frozen=True):
    """All of a function's head that a caller can notice."""

    parameters: tuple[Parameter, ...]
    returns: str

    @property
    def takes_any(self) -> bool:
        return any(p.name.startswith("**") for p in self.parameters)


class Difference(Struct, frozen=True):
    """One difference: the finding's kind, the parameter, before and after, and whether it can break a caller."""

    kind: str
    name: str
    before: str | None
    after: str | None
    breaks: bool


def signature(row: Row) -> Signature | None:
    """The signature of a function or method row; None when it cannot be trusted."""
    opened = _OPEN.match(row.text)
    span = bracketed(row.text[opened.end() :]) if opened else None
    if opened is None or span is None or not span.whole:
        return None
    found: list[Parameter] = []
    kind: Kind = "both"
    parts = span.parts
    if row.kind == "method" and parts and "staticmethod" not in row.details.get("decorators", ""):
        parts = parts[1:]
    for part in _lambdas(parts):
        if part == "/":
            found = [Parameter(p.name, "only_positional", p.annotation, p.default) for p in found]
            continue
        if part.startswith("*"):
            if part.strip() != "*":
                found.append(Parameter(part.split(":")[0].strip(), "rest", part.partition(":")[2].strip(), None))
            kind = "only_keyword"
            continue
        head, default = split_default(part)
        name, _, annotation = head.partition(":")
        found.append(Parameter(name.strip(), kind, annotation.strip(), default))
    tail = row.text[opened.end() + span.length :]
    returns = re.match(r"\s*->\s*(.{0,400}?)\s*:", tail + ":")
    return Signature(tuple(found), returns[1] if returns else "")


def _lambdas(parts: tuple[str, ...]) -> Iterator[str]:
    """A default `lambda a, b: …` is one part though it has commas."""
    held = ""
    for part in parts:
        held = f"{held}, {part}" if held else part
        head, word, rest = held.rpartition("lambda")
        if not (word and ":" not in rest and re.search(r"[=\s(]\Z", head)):
            yield held
            held = ""
    if held:
        yield held


def differences(old: Signature, new: Signature) -> Iterator[Difference]:
    """Every difference, parameter by parameter."""
    was = {p.name: p for p in old.parameters if p.kind != "rest"}
    now = {p.name: p for p in new.parameters if p.kind != "rest"}
    for name, first in was.items():
        if name in now:
            yield from _same_name(first, now[name])
    yield from _came_and_went(old, new, was, now)
    yield from _order(old, new)
    if old.returns != new.returns:
        yield Difference("return_changed", "->", old.returns or None, new.returns or None, False)


def _same_name(was: Parameter, now: Parameter) -> Iterator[Difference]:
    if was.default is not None and now.default is None:
        yield Difference("parameter_required_added", was.name, was.shown, now.name, True)
    elif was.default != now.default and _bare(was.default) != _bare(now.default):
        yield Difference("parameter_default_changed", was.name, was.default, now.default, False)
    if was.kind != now.kind:
        words = (was.kind.replace("_", " "), now.kind.replace("_", " "))
        yield Difference("parameter_kind_changed", was.name, *words, now.kind != "both")
    if was.annotation != now.annotation:
        yield Difference("annotation_changed", was.name, was.annotation or None, now.annotation or None, False)


def _bare(default: str | None) -> str | None:
    """A default without its layout: quotes, white space, commas before a bracket."""
    if default is None:
        return None
    return re.sub(r",(?=[)\]}])", "", re.sub(r"\s+", "", default.replace("'", '"')))


def _came_and_went(
    old: Signature, new: Signature, was: dict[str, Parameter], now: dict[str, Parameter]
) -> Iterator[Difference]:
    """Parameters that only one side has; one for one at the same place is a rename, which keyword callers notice."""
    lost = [p for p in was.values() if p.name not in now]
    come = [p for p in now.values() if p.name not in was]
    if len(lost) == len(come) == 1 and _renamed(old, new, lost[0], come[0]):
        gone, here = lost[0], come[0]
        breaks = gone.kind != "only_positional" and not gone.name.startswith("_") and not new.takes_any
        yield Difference("parameter_renamed", gone.name, gone.name, here.name, breaks)
        yield from (d for d in _same_name(gone, here) if d.kind != "annotation_changed")
        return
    for p in lost:
        breaks = not p.name.startswith("_") and not new.takes_any and p.name not in _PLUMBING
        yield Difference("parameter_removed", p.name, p.shown, None, breaks)
    for p in come:
        kind = "parameter_required_added" if p.required else "parameter_added"
        yield Difference(kind, p.name, None, p.shown, p.required)


def _renamed(old: Signature, new: Signature, gone: Parameter, here: Parameter) -> bool:
    same_place = old.parameters.index(gone) == new.parameters.index(here)
    return (
        same_place and gone.kind == here.kind and gone.annotation == here.annotation and gone.required == here.required
    )


def _order(old: Signature, new: Signature) -> Iterator[Difference]:
    """Parameters that can be given by place and changed their order."""
    by_place = [p.name for p in old.parameters if p.kind in ("both", "only_positional")]
    now = [p.name for p in new.parameters if p.kind in ("both", "only_positional")]
    common = [name for name in by_place if name in now]
    after = [name for name in now if name in by_place]
    if common != after:
        yield Difference("parameter_moved", "", ", ".join(common), ", ".join(after), True)
