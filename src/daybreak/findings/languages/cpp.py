"""C, C++ and CUDA: what installed headers offer, and how it changed.

Only headers of the project's `include/` folder are read: what stands elsewhere is nobody's interface. Breaking is only what
leaves the host headers of a header library (`include/**.h`, `.hpp`); device headers (`.cuh`) change with their kernels.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

from daybreak.core.model.findings import Alias
from daybreak.findings.blobs import Row, Surface
from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.cpp_scan import Declaration, declarations
from daybreak.findings.languages.cpp_text import heads_of, unspaced
from daybreak.findings.paths import BEHIND

if TYPE_CHECKING:
    from daybreak.findings.compare import FilePair


_HEADER = re.compile(r"^include/.{1,300}\.(?:h|hpp|hh|cuh|inl)$")
_INSTALLED = re.compile(r"^include/.{1,300}\.(?:h|hpp|hh)$")
"""Device headers (`.cuh`) are installed too, but change with their kernels."""
_INNER = re.compile(r"/(?:details?|impl|internal|experimental|trtllm|nv_internal|legacy)/|_impl\.\w+$")
_COMMENT = re.compile(r"\s*(?://|/\*|\*|$)")
_GUARD = re.compile(r"_(?:H|HPP|CUH|H_|HPP_)$")
_VERSION = re.compile(r"_(?:VERSION|VER)(?:_(?:MAJOR|MINOR|PATCH|MICRO|BUILD|STRING))?$|_(?:MAJOR|MINOR|PATCH)$")
"""A macro that says which version this is: it changes with every release, and is nobody's setting."""
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


class _Form(NamedTuple):
    """One overload: how many arguments it takes, how it is written, and where."""

    least: int
    most: int
    placed: _Placed

    def takes(self, other: _Form) -> bool:
        """Whatever number of arguments the other is called with, this one takes it."""
        return self.least <= other.least and self.most >= other.most


class _Gone(NamedTuple):
    """Something no header declares any more."""

    placed: _Placed
    symbol: str
    label: str
    """How it is called among many others of its header."""
    breaks: bool


class _Left(NamedTuple):
    """What the two sides of a change do not share of one name."""

    changed: list[tuple[_Form, _Form]]
    """One form that gave way to one other."""
    lost: list[_Form]
    come: list[_Form]
    now: list[_Form]
    """Everything the new side declares under that name."""


_Table = dict[tuple[str, str], _Placed]
_Rows = dict[tuple[str, str], list[_Placed]]
_Forms = dict[str, _Form]
"""Head without its blanks → the overload."""


def touched(file: ReadFile) -> bool:
    """A header whose hunks hold more than comments."""
    paths = [p[:400] for p in (file.path, file.change.old_path) if p]
    if file.area in BEHIND or not any(_HEADER.search(p) and not _INNER.search(p) for p in paths):
        return False
    if file.change.status.startswith("R"):
        return True
    return any(x.sign != " " and not _COMMENT.match(x.text) for h in file.hunks for x in h.lines)


def header_area(file: ReadFile) -> bool:
    """The file is part of what the project gives away."""
    return file.area not in BEHIND


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
        rows[key] = _merged(rows[key], _row(found)) if key in rows else _row(found)
    return Surface(rows.values())


def _row(found: Declaration) -> Row:
    form = _UNIT.join((str(found.least), str(found.most), found.head))
    return Row(found.kind, found.name, found.line, found.head, _details([form], [str(found.line)], found.body))


def _details(forms: Sequence[str], lines: Sequence[str], body: str) -> dict[str, str]:
    return {"forms": _PART.join(forms), "lines": _PART.join(lines), "body": body}


def _merged(row: Row, other: Row) -> Row:
    """A further declaration of the same name."""
    forms, lines = (row.details[part].split(_PART) for part in ("forms", "lines"))
    if other.kind == "type":  # a default template argument stands in one declaration only
        (least, most, _), (fewer, more, _) = (one.details["forms"].split(_UNIT) for one in (row, other))
        defined = other.details["body"] or not row.details["body"]
        text = other.text if defined and not other.text.startswith("using") else row.text
        form = _UNIT.join((str(min(int(least), int(fewer))), str(max(int(most), int(more))), text))
        body = other.details["body"] or row.details["body"]
        return Row(row.kind, row.name, row.line, text, _details([form], lines, body))
    form = other.details["forms"]
    if form in forms or len(forms) > 200:
        return row
    return Row(row.kind, row.name, row.line, row.text, _details([*forms, form], [*lines, str(other.line)], ""))


def _unpacked(row: Row) -> Iterator[tuple[int, int, str, int]]:
    """Least, most, head and line of every form."""
    forms, lines = (row.details[part].split(_PART) for part in ("forms", "lines"))
    for form, line in zip(forms, lines, strict=True):
        least, most, head = form.split(_UNIT)
        yield int(least), int(most), head, int(line)


def compare(pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:
    """Names that came, went, changed their name or their arguments."""
    was, now = _rows(pairs, "old"), _rows(pairs, "new")
    lost: _Table = {key: rows[0] for key, rows in was.items() if key not in now}
    come: _Table = {key: rows[0] for key, rows in now.items() if key not in was}
    left = list(_left_over(was, now, whole))
    yield from _macros(was, now)
    for one in left:
        yield from _changed(one, whole)
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
    yield from _removed(lost, come, left, whole)
    yield from _added(come, lost, left)


def _rows(pairs: Sequence[FilePair], side: str) -> _Rows:
    out: _Rows = {}
    for pair in pairs:
        for key, row in (pair.old if side == "old" else pair.new).items():
            out.setdefault(key, []).append(_Placed(pair.file, row))
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


def _removed(lost: _Table, come: _Table, left: Iterable[_Left], whole: Whole) -> Iterator[Fact]:
    """Names and overloads no header of the change declares any more, unless a line still shows them."""
    moved = {(kind, name.rpartition("::")[2]) for kind, name in come}
    by_file: dict[str, list[_Gone]] = {}
    for key, placed in lost.items():
        if key[0] == "field" or _inside(key, lost) or (key[0], placed.short) in moved:
            continue
        if key[0] == "enumerator" and ("type", key[1].rpartition("::")[0]) in lost:
            continue
        if not whole.stands(placed.short):
            gone = _Gone(placed, placed.row.name, placed.short, _breaks(placed, whole))
            by_file.setdefault(placed.file.path, []).append(gone)
    for one in left:
        for form in () if one.come else one.lost:
            gone = _Gone(form.placed, _overload(form), form.placed.row.text, _leaves(form, one))
            by_file.setdefault(form.placed.file.path, []).append(gone)
    for path, many in by_file.items():
        yield from _told(path, many)


def _told(path: str, many: Sequence[_Gone]) -> Iterator[Fact]:
    """What is gone from one header, each by itself or all at once."""
    if len(many) > MANY:
        names = ", ".join(one.label for one in many[:MANY]) + f", … ({len(many)})"
        yield _fact("cpp_removed", many[0].placed, path, names, None, breaks=any(one.breaks for one in many))
        return
    for one in many:
        row = one.placed.row
        kind = "macro_removed" if row.kind == "macro" else "cpp_removed"
        yield _fact(kind, one.placed, one.symbol, row.text or one.placed.short, None, breaks=one.breaks)


def _overload(form: _Form) -> str:
    """The name of one overload among those that stay: with its types, for the name alone goes on to stand."""
    row = form.placed.row
    scope, colons, _ = row.name.rpartition("::")
    return f"{scope}{colons}{row.text}"


def _added(come: _Table, lost: _Table, left: Iterable[_Left]) -> Iterator[Fact]:
    gone = {(kind, name.rpartition("::")[2]) for kind, name in lost}
    named = [
        (placed, placed.row.name)
        for key, placed in come.items()
        if key[0] not in ("field", "macro") and not _inside(key, come) and (key[0], placed.short) not in gone
    ]
    overloads = [(form.placed, _overload(form)) for one in left if not one.lost for form in one.come]
    for placed, symbol in (*named, *overloads)[:MAX_ADDED]:
        yield _fact("cpp_added", placed, symbol, None, placed.row.text or placed.short, breaks=False)


def _moved_header(pair: FilePair) -> Iterator[Fact]:
    """A header under another name: every `#include` of it must follow."""
    was, now = pair.file.change.old_path, pair.file.path
    if pair.file.change.status.startswith("R") and was and was != now and _installed(was):
        yield Fact("cpp_renamed", now, 1, _included(was), _included(was), _included(now), True, Alias("none"))


def _included(path: str) -> str:
    return path.rpartition("include/")[2]


# --- changed -----------------------------------------------------------------------------------------------------


def _macros(was: _Rows, now: _Rows) -> Iterator[Fact]:
    for key in was:
        if key[0] != "macro" or key not in now or _VERSION.search(key[1]):
            continue
        old, new = (list(_forms(side[key])) for side in (was, now))
        before, after = was[key][0], now[key][0]
        gave_way = any(one not in new for one in old) and any(one not in old for one in new)
        if gave_way and before.row.text != after.row.text:
            yield _fact("macro_changed", after, after.row.name, before.row.text, after.row.text, breaks=False)


def _left_over(was: _Rows, now: _Rows, whole: Whole) -> Iterator[_Left]:
    """Of every name that stays, the forms that do not stand on both sides of the change, whatever file holds them."""
    texts = ["\n".join(lines) for lines in (whole.added_lines, whole.removed_lines)]
    for key in was:
        if key[0] not in ("function", "type") or key not in now or _packed(was[key]) == _packed(now[key]):
            continue
        old, new = _forms(was[key]), _forms(now[key])
        lost = {head: form for head, form in old.items() if head not in new}
        come = {head: form for head, form in new.items() if head not in old}
        if key[0] == "function" and (lost or come):
            # A header that is not read (of a folder `detail`, of tests) may have given it or taken it.
            written, erased = (heads_of(key[1].rpartition("::")[2], text) for text in texts)
            lost = {head: form for head, form in lost.items() if head not in written}
            come = {head: form for head, form in come.items() if head not in erased}
        if lost or come:
            yield _paired(list(lost.values()), list(come.values()), list(new.values()))


def _paired(lost: list[_Form], come: list[_Form], now: list[_Form]) -> _Left:
    """One form for one other, header by header and then over all; more than one are not paired by guess."""
    changed: list[tuple[_Form, _Form]] = []
    for path in (*dict.fromkeys(form.placed.file.path for form in lost), None):
        gone, new = ([f for f in side if path in (None, f.placed.file.path)] for side in (lost, come))
        if len(gone) == len(new) == 1:
            changed.append((gone[0], new[0]))
            lost, come = [f for f in lost if f is not gone[0]], [f for f in come if f is not new[0]]
    return _Left(changed, lost, come, now)


def _packed(rows: Iterable[_Placed]) -> list[str]:
    return [placed.row.details["forms"] for placed in rows]


def _forms(rows: Sequence[_Placed]) -> _Forms:
    """The overloads of a name in all headers of one side; a type has one form, wherever its parts stand."""
    out: _Forms = {}
    if rows[0].row.kind == "type":
        rows = [_Placed(rows[0].file, reduce(_merged, (placed.row for placed in rows)))]
    for file, row in rows:
        for least, most, head, line in _unpacked(row):
            key = unspaced(head)
            known = out.get(key)
            if known is None:
                out[key] = _Form(least, most, _Placed(file, Row(row.kind, row.name, line, head or row.text)))
            else:  # a default stands in the declaration only, not in the definition
                out[key] = _Form(min(least, known.least), max(most, known.most), known.placed)
    return out


def _changed(left: _Left, whole: Whole) -> Iterator[Fact]:
    for old, new in left.changed:
        if old.placed.file is not new.placed.file and not whole.complete:
            continue  # what is missing from the diff may hold the one, or have held the other
        before, after = old.placed.row, new.placed.row
        counts = (old.least, old.most) != (new.least, new.most)
        if before.kind == "type" and (not counts or "using " in (before.text[:6], after.text[:6])):
            continue  # how many arguments an alias takes is not read
        breaks = counts and _leaves(old, left)
        yield _fact("cpp_signature_changed", new.placed, after.name, before.text, after.text, breaks=breaks)


def _leaves(form: _Form, left: _Left) -> bool:
    """An overload of an installed header is gone, and no other one takes as many arguments."""
    change = form.placed.file.change
    return _installed(change.old_path or change.path) and not any(other.takes(form) for other in left.now)


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


# --- C, C++ and CUDA headers as files: one that is gone, whatever it declared, breaks every `#include` of it ---
# What stands in a header is read in `cpp`; renamed host headers of the project's `include/` folder are told there too.


_HEADERS_INSTALLED = re.compile(r"^include/.{1,300}\.(?:h|hh|hpp|cuh|inl|inc)$")
_SHIPPED = re.compile(r"^(?:[\w.-]{1,80}/){1,4}include/.{1,300}\.(?:h|hh|hpp|cuh|inl|inc)$")
"""Below a folder of its own: a package may ship it, but mostly the project's own sources include it."""
_HEADERS_INNER = re.compile(r"/(?:details?|impl|internal|experimental|trtllm|nv_internal)/|_impl\.\w+$")
NONE = Alias("none")


def header_facts(files: Sequence[ReadFile], complete: bool) -> Iterator[Fact]:
    """Headers of include folders that came, went or got another name; what is missing from the diff may have stayed."""
    stand = {_headers_included(f.path) for f in files if f.change.status != "D"}
    for file in files:
        change = file.change
        was = change.old_path if change.status == "R" else change.path if change.status == "D" else None
        if was and _read(file, was) and complete and _headers_included(was) not in stand:
            yield from _gone(file, was)
        elif change.status in "AC" and _read(file, file.path):
            name = _headers_included(file.path)
            yield Fact("header_added", file.path, 1, name, None, name, inner=not _public(file.path))


def _gone(file: ReadFile, was: str) -> Iterator[Fact]:
    name, public = _headers_included(was), _public(was)
    if file.change.status == "D":
        yield Fact("header_removed", was, 1, name, name, None, public, NONE, inner=not public)
    elif not told_when_moved(was):
        now = _headers_included(file.path) if _known(file.path) else file.path
        yield Fact("cpp_renamed", file.path, 1, name, name, now, public, NONE, inner=not public)


def _read(file: ReadFile, path: str) -> bool:
    return header_area(file) and _known(path)


def _known(path: str) -> bool:
    return bool(_HEADERS_INSTALLED.search(path[:400]) or _SHIPPED.search(path[:400]))


def _public(path: str) -> bool:
    return bool(_HEADERS_INSTALLED.search(path[:400])) and not _HEADERS_INNER.search(path[:400])


def _headers_included(path: str) -> str:
    """A header as an `#include` names it."""
    head, root, tail = path.rpartition("include/")
    return tail if root and (not head or head.endswith("/")) else path
