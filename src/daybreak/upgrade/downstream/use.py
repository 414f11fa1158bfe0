"""A use before its file is known: readers of embedded text shift lines, one place turns them into uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from daybreak.core.model.upgrade import Use, UseKind
from daybreak.core.wanted_names import shown

NAME_MOST = 200
"""A longer name is no name."""
VALUE_MOST = 500
"""Characters of a value that are kept."""


class Found(NamedTuple):
    """What was found on a line."""

    kind: UseKind
    name: str
    line: int
    value: str | None = None
    program: str | None = None
    keywords: tuple[str, ...] = ()
    positional: int | None = None
    guarded: bool = False


def lines_of(text: str) -> list[str]:
    """Lines as an editor counts them: other breaks that `splitlines` knows are not line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def shifted(found: Iterable[Found], by: int) -> Iterator[Found]:
    """Found in a text that starts `by` lines further down."""
    return (one._replace(line=one.line + by) for one in found)


def finished(path: str, text: str, found: Iterable[Found]) -> Iterator[Use]:
    """The uses of a file, each once, in the order of its lines, with the line as it stands there."""
    lines = lines_of(text)
    once = {one for one in found if one.name and len(one.name) <= NAME_MOST}
    for one in sorted(once, key=_order):
        line = min(max(one.line, 1), len(lines))
        value = None if one.value is None else one.value[:VALUE_MOST]
        yield Use(
            one.kind, one.name, path, line, shown(lines[line - 1]), value,
            one.keywords, one.positional, one.program, one.guarded,
        )  # fmt: skip


def _order(one: Found) -> tuple[object, ...]:
    return (one.line, one.kind, one.name, one.value or "", one.program or "", one.keywords, one.positional or 0)
