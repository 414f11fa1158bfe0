"""Decorators of Python definitions before and after: what is read, called or wrapped otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.findings.blobs import Row
from daybreak.findings.compare import FilePair
from daybreak.findings.languages.base import Fact, Whole
from daybreak.findings.languages.python_public import exported, hidden, importable

_BEHAVIOUR = (
    "property", "staticmethod", "classmethod", "cached_property", "cache", "lru_cache", "contextmanager",
    "asynccontextmanager", "torch.compile", "torch.no_grad", "torch.inference_mode", "support_torch_compile",
)  # fmt: skip
_DECLARES = re.compile(
    r"(?:^|[._])(?:dataclass\w*|define|frozen|attrs?|s|config|final|deprecated|total_ordering|runtime_checkable|\w*regist\w*|pytree\w*)$"
)
_CALLED_OTHERWISE = frozenset({"property", "cached_property", "staticmethod", "contextmanager", "asynccontextmanager"})
_READ = frozenset({"property", "cached_property"})


def is_read_otherwise(was: Row, now: Row) -> bool:
    """What was called is read now, or the other way round: what it takes is no longer compared."""
    return bool(_behaviour(now) & _READ) != bool(_behaviour(was) & _READ)


def decorators(pair: FilePair, was: Row, now: Row, whole: Whole) -> Iterator[Fact]:
    first, second = _behaviour(was), _behaviour(now)
    if first == second or _only_moved(first - second, second - first, whole):
        return
    file, short = pair.file, now.name.rpartition(".")[2]
    read = bool(second & _READ)
    met = is_read_otherwise(was, now) and not exported(file, pair.old, was) and not hidden(file.path)
    if met and whole.read_otherwise(file.path, short, read):
        kind = f"internal_parameter_{'read' if read else 'called'}"
        yield Fact(kind, file.path, now.line, now.name, _marks(first & _READ), _marks(second & _READ), breaking=True)
        return
    if not (file.public or importable(file) or (first ^ second) & {"torch.compile", "support_torch_compile"}):
        return
    breaks = bool((first ^ second) & _CALLED_OTHERWISE) and exported(file, pair.old, was)
    if (first ^ second) <= {"property", "cached_property"} and first and second:
        breaks = False  # read the same way
    if not first and second == {"staticmethod"}:
        breaks = False  # can be called on an object as before
    yield Fact("decorator_changed", file.path, now.line, now.name, _marks(first), _marks(second), breaks)


def class_decorators(pair: FilePair, was: Row, now: Row, whole: Whole) -> Iterator[Fact]:
    """A class that is wrapped otherwise: what makes its fields is told as its options, who registers it elsewhere."""
    first, second = (set(_names(row)) for row in (was, now))
    gone, come = ({name for name in side if not _DECLARES.search(name)} for side in (first - second, second - first))
    same = {name.rpartition(".")[2] for name in gone} == {name.rpartition(".")[2] for name in come}
    if not same and not hidden(pair.file.path) and not _only_moved(gone, come, whole):
        yield Fact("decorator_changed", pair.file.path, now.line, now.name, _marks(gone), _marks(come))


_APPLIED = re.compile(r"[ \t]{0,80}@([\w.]{1,200})")


def _only_moved(gone: set[str], come: set[str], whole: Whole) -> bool:
    """The change takes each of them off one definition and puts it on another: a base, a part, or what it wraps now.

    What a language or its library means by a decorator, it means of the one definition: `property` does not move.
    """
    names, lines = (gone, whole.added_lines) if gone else (come, whole.removed_lines)
    if (gone and come) or {name.rpartition(".")[2] for name in names} & _CALLED_OTHERWISE:
        return False
    there = {m[1].rpartition(".")[2] for line in lines if (m := _APPLIED.match(line))}
    return {name.rpartition(".")[2] for name in names} <= there


def _behaviour(row: Row) -> set[str]:
    return {full if full in _BEHAVIOUR else full.split(".")[-1] for full in _names(row)} & set(_BEHAVIOUR)


def _names(row: Row) -> list[str]:
    return [d.split("(")[0].strip() for d in row.details["decorators"].split("\n") if d]


def _marks(names: set[str]) -> str | None:
    return ", ".join(f"@{name}" for name in sorted(names)) or None
