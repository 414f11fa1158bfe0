"""C, C++ and CUDA: what installed headers offer, and how it changed.

Only headers of the project's `include/` folder are read: what stands elsewhere is nobody's interface. Breaking is only what
leaves the host headers of a header library (`include/**.h`, `.hpp`); device headers (`.cuh`) change with their kernels.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from daybreak.model import Alias
from daybreak.read.languages.base import Fact, ReadFile, Whole
from daybreak.read.languages.cpp_scan import Declaration, declarations
from daybreak.read.surface import Row, Surface

if TYPE_CHECKING:
    from daybreak.read.compare import FilePair

_HEADER = re.compile(r"^include/.{1,300}\.(?:h|hpp|hh|cuh|inl)$")
_INSTALLED = re.compile(r"^include/.{1,300}\.(?:h|hpp|hh)$")
"""Device headers (`.cuh`) are installed too, but change with their kernels."""
_INNER = re.compile(r"/(?:details?|impl|internal|experimental|trtllm|nv_internal|legacy)/|_impl\.\w+$")
_QUIET = frozenset({"test", "docs", "ci", "generated", "vendored"})
_COMMENT = re.compile(r"\s*(?://|/\*|\*|$)")
_GUARD = re.compile(r"_(?:H|HPP|CUH|H_|HPP_)$")
_PART, _UNIT = "\x1f", "\x1e"
MAX_ADDED = 12
"""New names of one change that are kept as data."""
MANY = 8
"""So many names gone from one header are told as one finding."""


class _Placed(NamedTuple):
    file: ReadFile
    row: Row

    @property
    def short(self) -> str:
        return self.row.name.rpartition("::")[2]


_Table = dict[tuple[str, str], _Placed]


def touched(file: ReadFile) -> bool:
    """A header whose hunks hold more than comments."""
    paths = [p[:400] for p in (file.path, file.change.old_path) if p]
    if file.area in _QUIET or not any(_HEADER.search(p) and not _INNER.search(p) for p in paths):
        return False
    if file.change.status.startswith("R"):
        return True
    return any(x.sign != " " and not _COMMENT.match(x.text) for h in file.hunks for x in h.lines)


def header_area(file: ReadFile) -> bool:
    """The file is part of what the project gives away."""
    return file.area not in _QUIET


def told_when_moved(path: str) -> bool:
    """A header whose new name is told here."""
    return _installed(path)


def surface(path: str, text: str) -> Surface:
    """What a header declares; overloads of a name are one row, so are a type and its forward declarations."""
    del path
    rows: dict[tuple[str, str], Row] = {}
    for found in declarations(text):
        if found.internal or (found.kind == "macro" and _GUARD.search(found.name)):
            continue
        key = found.kind, found.name
        rows[key] = _merged(rows[key], found) if key in rows else _row(found)
    return Surface(rows.values())


def _row(found: Declaration) -> Row:
    form = _UNIT.join((str(found.least), str(found.most), found.head))
    return Row(found.kind, found.name, found.line, found.head, {"forms": form, "body": found.body})


def _merged(row: Row, found: Declaration) -> Row:
    """A further declaration of the same name."""
    if found.kind == "type":  # a default template argument stands in one declaration only
        least, most, _ = row.details["forms"].split(_UNIT)
        defined = found.body or not row.details["body"]
        text = found.head if defined and not found.head.startswith("using") else row.text
        fewest, most = str(min(int(least), found.least)), str(max(int(most), found.most))
        form = _UNIT.join((fewest, most, text))
        return Row(row.kind, row.name, row.line, text, {"forms": form, "body": found.body or row.details["body"]})
    forms = row.details["forms"].split(_PART)
    form = _UNIT.join((str(found.least), str(found.most), found.head))
    if form in forms or len(forms) > 200:
        return row
    return Row(row.kind, row.name, row.line, row.text, {"forms": _PART.join([*forms, form]), "body": ""})


def compare(pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:
    """Names that came, went, changed their name or their arguments."""
    old, new = _table(pairs, "old"), _table(pairs, "new")
    lost = {key: placed for key, placed in old.items() if key not in new}
    come = {key: placed for key, placed in new.items() if key not in old}
    yield from _changed(old, new)
    yield from _fields(pairs)
    paths = {pair.file.path for pair in pairs}
    for pair in pairs:
        if pair.file.change.old_path not in paths:  # else a header under the old name forwards to the new one
            yield from _moved_header(pair)
    if not whole.complete:
        return
    renames = dict(_renames(lost, come))
    for key, after in renames.items():
        before = lost.pop(key)
        come.pop((after.row.kind, after.row.name), None)
        kind = "cpp_renamed"
        yield _fact(kind, after, before.row.name, before.row.name, after.row.name, breaks=_breaks(before, whole))
    yield from _removed(lost, come, whole)
    yield from _added(come, lost)


def _table(pairs: Sequence[FilePair], side: str) -> _Table:
    out: _Table = {}
    for pair in pairs:
        for key, row in (pair.old if side == "old" else pair.new).items():
            out.setdefault(key, _Placed(pair.file, row))
    return out


def _fact(kind: str, placed: _Placed, symbol: str, before: str | None, after: str | None, *, breaks: bool) -> Fact:
    alias = Alias("none") if breaks else None
    return Fact(kind, placed.file.path, placed.row.line, symbol, before, after, breaks, alias)


def _installed(path: str) -> bool:
    return bool(_INSTALLED.search(path[:400])) and not _INNER.search(path[:400])


def _breaks(placed: _Placed, whole: Whole) -> bool:
    """Users of a header library write this name, and no line that stands keeps it."""
    path = placed.file.change.old_path or placed.file.path
    return _installed(path) and placed.row.kind != "macro" and not whole.stands(placed.short)


def _inside(key: tuple[str, str], table: _Table) -> bool:
    """What belongs to a type that itself came or went is told with that type."""
    parts = key[1].split("::")
    return any(("type", "::".join(parts[:n])) in table for n in range(1, len(parts)))


# --- came and went -----------------------------------------------------------------------------------------------


def _renames(lost: _Table, come: _Table) -> Iterator[tuple[tuple[str, str], _Placed]]:
    """Old name → the new name with the same body, or the only newcomer of that form in the same header."""
    bodies: dict[tuple[str, str], list[_Placed]] = {}
    for placed in come.values():
        bodies.setdefault((placed.row.kind, placed.row.details["body"]), []).append(placed)
    taken: set[str] = set()
    for key, placed in lost.items():
        if key[0] == "field" or _inside(key, lost):
            continue
        same = bodies.get((key[0], placed.row.details["body"]), [])
        if key[0] == "enumerator":
            place = key[1].rpartition("::")[0]
            same = [p for p in same if p.row.name.rpartition("::")[0] == place and len(_beside(lost, place)) == 1]
        elif not placed.row.details["body"] or key[0] == "macro":
            continue
        if len(same) == 1 and same[0].row.name not in taken and not _inside((key[0], same[0].row.name), come):
            taken.add(same[0].row.name)
            yield key, same[0]


def _beside(table: _Table, owner: str) -> list[str]:
    return [name for kind, name in table if kind == "enumerator" and name.rpartition("::")[0] == owner]


def _removed(lost: _Table, come: _Table, whole: Whole) -> Iterator[Fact]:
    """Names no header of the change declares any more, unless a line still shows them."""
    moved = {(kind, name.rpartition("::")[2]) for kind, name in come}
    by_file: dict[str, list[_Placed]] = {}
    for key, placed in lost.items():
        if key[0] == "field" or _inside(key, lost) or (key[0], placed.short) in moved:
            continue
        if key[0] == "enumerator" and ("type", key[1].rpartition("::")[0]) in lost:
            continue
        if not whole.stands(placed.short):
            by_file.setdefault(placed.file.path, []).append(placed)
    for path, gone in by_file.items():
        if len(gone) > MANY:
            breaks = any(_breaks(p, whole) for p in gone)
            names = ", ".join(p.short for p in gone[:MANY]) + f", … ({len(gone)})"
            yield _fact("cpp_removed", gone[0], path, names, None, breaks=breaks)
            continue
        for p in gone:
            kind = "macro_removed" if p.row.kind == "macro" else "cpp_removed"
            yield _fact(kind, p, p.row.name, p.row.text or p.short, None, breaks=_breaks(p, whole))


def _added(come: _Table, lost: _Table) -> Iterator[Fact]:
    gone = {(kind, name.rpartition("::")[2]) for kind, name in lost}
    number = 0
    for key, placed in come.items():
        if key[0] in ("field", "macro") or _inside(key, come) or (key[0], placed.short) in gone:
            continue
        number += 1
        if number <= MAX_ADDED:
            yield _fact("cpp_added", placed, placed.row.name, None, placed.row.text or placed.short, breaks=False)


def _moved_header(pair: FilePair) -> Iterator[Fact]:
    """A header under another name: every `#include` of it must follow."""
    was, now = pair.file.change.old_path, pair.file.path
    if pair.file.change.status.startswith("R") and was and was != now and _installed(was):
        yield Fact("cpp_renamed", now, 1, _included(was), _included(was), _included(now), True, Alias("none"))


def _included(path: str) -> str:
    return path.rpartition("include/")[2]


# --- changed -----------------------------------------------------------------------------------------------------


def _changed(old: _Table, new: _Table) -> Iterator[Fact]:
    for key in old.keys() & new.keys():
        before, after = old[key], new[key]
        if key[0] == "macro":
            yield from _macro(before, after)
        elif key[0] in ("function", "type"):
            yield from _forms(before, after)


def _macro(before: _Placed, after: _Placed) -> Iterator[Fact]:
    was, now = before.row, after.row
    if was.details["forms"] != now.details["forms"] and was.text != now.text:
        yield _fact("macro_changed", after, now.name, was.text, now.text, breaks=False)


def _forms(before: _Placed, after: _Placed) -> Iterator[Fact]:
    """One form of a function or template that gave way to one other; more than one is not paired by guess."""
    was, now = _unpacked(before.row), _unpacked(after.row)
    lost, come = [f for f in was if f not in now], [f for f in now if f not in was]
    if len(lost) != 1 or len(come) != 1:
        return
    (old,), (new,) = lost, come
    counts = old[:2] != new[:2]
    if before.row.kind == "type" and (not counts or "using " in (old[2][:6], new[2][:6])):
        return  # how many arguments an alias takes is not read
    if old[2] == new[2] and not counts:
        return
    breaks = counts and _installed(after.file.path) and not any(f[0] <= old[0] and f[1] >= old[1] for f in now)
    shown = [f[2] or before.row.text for f in (old, new)]
    if shown[0] != shown[1]:
        yield _fact("cpp_signature_changed", after, after.row.name, shown[0], shown[1], breaks=breaks)


def _unpacked(row: Row) -> list[tuple[int, int, str]]:
    parts = [form.split(_UNIT) for form in row.details["forms"].split(_PART)]
    return [(int(least), int(most), head) for least, most, head in parts]


def _fields(pairs: Iterable[FilePair]) -> Iterator[Fact]:
    """Fields of a structure that stays: one finding a structure, kept as data."""
    for pair in pairs:
        old, new = _by_owner(pair.old), _by_owner(pair.new)
        for owner in old.keys() & new.keys():
            lost = [
                f"{kind} {name}" for name, (kind, _) in old[owner].items() if new[owner].get(name, ("",))[0] != kind
            ]
            come = [
                f"{kind} {name}" for name, (kind, _) in new[owner].items() if old[owner].get(name, ("",))[0] != kind
            ]
            if lost or come:
                line = min(line for _, line in new[owner].values())
                before, after = "; ".join(lost)[:400] or None, "; ".join(come)[:400] or None
                yield Fact("cpp_field_changed", pair.file.path, line, owner, before, after)


def _by_owner(surface: Surface) -> dict[str, dict[str, tuple[str, int]]]:
    out: dict[str, dict[str, tuple[str, int]]] = {}
    for row in surface.of("field"):
        owner, _, name = row.name.rpartition("::")
        out.setdefault(owner, {})[name] = (row.text, row.line)
    return out
