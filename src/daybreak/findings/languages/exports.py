"""Exported names of Rust, Go and TypeScript, and what such files offer besides: flags, variables, routes, metrics, fields.

A name belongs to its package: of Go the folder, of the others the file. Names that went are held against those that came
over all files of the change, so that a move is no removal. What a caller cannot see (names of parameters, of type
parameters, of lifetimes) is no part of a signature. Who can reach a name is asked of the tree (`exports_reach`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from daybreak.core.model.findings import Alias
from daybreak.findings.blobs import Row
from daybreak.findings.kinds import kind_of, kinds
from daybreak.findings.languages import environment, metrics, options, server
from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.text_surface import met_by_users, quiet_file

if TYPE_CHECKING:
    from daybreak.findings.compare import FilePair

MAX_ADDED = 12
"""New names of one change that are told."""
_ASIDE = re.compile(
    r"(?:^|/)(?:benches|e2e|fixtures?|mocks?|stories|fuzz)/|\.(?:spec|test|stories)\.tsx?$|\.gen\.go$|zz_generated"
)
_COMMENT = re.compile(r"\s*(?:///?|/\*|\*|$)")
_DOC = re.compile(r"\s*(?://|/\*+|\*)\s*@?[Dd]eprecated\b")
_GO = re.compile(r"\.go$")


class _Placed(NamedTuple):
    file: ReadFile
    row: Row

    @property
    def owner(self) -> str:
        return self.row.details.get("owner", "")

    @property
    def counts(self) -> bool:
        """Users meet it, and something is promised of it."""
        return met_by_users(self.file) and "unstable" not in self.row.details


_Key = tuple[str, str]
_Table = dict[_Key, _Placed]


def touched(file: ReadFile) -> bool:
    """A source whose hunks hold more than comments; one that says now that something is deprecated as well."""
    if quiet_file(file) or _ASIDE.search(file.path[-300:]):
        return False
    changed = [x for h in file.hunks for x in h.lines if x.sign != " "]
    return file.change.patch_cut or any(not _COMMENT.match(x.text) or _DOC.match(x.text) for x in changed)


def compare(pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:
    """Names that came, went, moved or changed, and all else that these files offer."""
    for reader in (options, environment, metrics, server):
        yield from reader.compare(pairs, whole)
    yield from _settings(pairs)
    known = any(pair.file.profile.landmarks for pair in pairs) and not whole.wide
    # of an application that is known, flags and routes are what users meet; only forks build on its crates
    yield from _internal(_names(pairs, whole)) if known else _names(pairs, whole)


def _internal(facts: Iterable[Fact]) -> Iterator[Fact]:
    """What stops whoever builds on a crate that is nobody's interface."""
    for fact in facts:
        inner = f"internal_{fact.kind}"
        if fact.breaking and (inner in kinds() or kind_of(fact.kind).family == "extension_method"):
            yield replace(fact, kind=inner) if inner in kinds() else fact


def _scope(path: str) -> str:
    """What a name is unique in."""
    return path.rpartition("/")[0] + "/" if _GO.search(path) else path


def _table(pairs: Sequence[FilePair], side: str) -> _Table:
    out: _Table = {}
    for pair in pairs:
        old = side == "old"
        path = (pair.file.change.old_path or pair.file.path) if old else pair.file.path
        for row in (pair.old if old else pair.new).of("export"):
            out.setdefault((_scope(path), row.name), _Placed(pair.file, row))
    return out


def _names(pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:
    was, now = _table(pairs, "old"), _table(pairs, "new")
    lost = {key: one for key, one in was.items() if key not in now}
    come = {key: one for key, one in now.items() if key not in was}
    for key in was.keys() & now.keys():
        yield from _changed(was[key], now[key])
    if not whole.complete:
        return
    handed = {row.name for pair in pairs for row in pair.new.of("handed")}
    renames = dict(_renames(lost, come))
    moves = dict(_moves(lost, come))
    for key, one in lost.items():
        if key in renames:
            yield _renamed(one, come[renames[key]])
        elif key in moves:
            if one.row.name not in handed and not one.owner:
                yield _moved(one, come[moves[key]])
        elif not _with_owner(key, one, lost) and one.row.name not in handed and _left(one):
            yield _gone(one)
    before = {row.name for pair in pairs for row in pair.old.of("handed")}
    known = {key for key in come if key[1] in before}
    yield from _added(come, lost, {*renames.values(), *moves.values(), *known})


def _with_owner(key: _Key, one: _Placed, table: _Table) -> bool:
    """What belongs to a type that itself came or went is told with it."""
    return bool(one.owner) and (key[0], one.owner) in table


def _left(one: _Placed) -> bool:
    """A removed line of its file holds it; of what is no field, also one that holds the module around it."""
    parts = re.findall(r"\w+", one.row.name)
    return server.lost_line(one.file, *(parts[-1:] if one.row.details["sort"] == "field" else parts))


def _gone(one: _Placed) -> Fact:
    kind = "extension_method_removed" if "asked" in one.row.details else "symbol_removed"
    breaks = one.counts
    alias = Alias("none") if breaks else None
    text = f"{one.row.details.get('gate', '')} {one.row.text}".strip()
    return Fact(kind, one.file.path, one.row.line, one.row.name, text, None, breaks, alias)


def _renamed(one: _Placed, new: _Placed) -> Fact:
    breaks = one.counts
    alias = Alias("none") if breaks else None
    return Fact("symbol_renamed", new.file.path, new.row.line, one.row.name, one.row.name, new.row.name, breaks, alias)


def _moved(one: _Placed, new: _Placed) -> Fact:
    was, now = _scope(one.file.change.old_path or one.file.path), _scope(new.file.path)
    breaks = one.counts
    alias = Alias("none") if breaks else None
    return Fact("symbol_moved", new.file.path, new.row.line, one.row.name, was, now, breaks, alias)


def _added(come: _Table, lost: _Table, taken: set[_Key]) -> Iterator[Fact]:
    gone = {(name, one.row.details["sort"]) for (_, name), one in lost.items()}
    told = 0
    for key, one in come.items():
        again = (key[1], one.row.details["sort"]) in gone
        if key in taken or again or _with_owner(key, one, come) or not met_by_users(one.file):
            continue
        if "asked" in one.row.details and one.counts:
            symbol = one.row.name
            yield Fact("extension_method_added", one.file.path, one.row.line, symbol, None, one.row.text, True)
        elif told < MAX_ADDED:
            told += 1
            gate = one.row.details.get("gate")
            kind = "symbol_gated_added" if gate else "symbol_added"
            yield Fact(kind, one.file.path, one.row.line, one.row.name, None, gate or one.row.text)


def _renames(lost: _Table, come: _Table) -> Iterator[tuple[_Key, _Key]]:
    """Old name → the one new name of the same sort in the same place that says the same."""
    found: dict[tuple[str, ...], list[_Key]] = {}
    for key, one in come.items():
        if not _with_owner(key, one, come):
            found.setdefault(_same(key, one), []).append(key)
    claims = Counter(_same(key, one) for key, one in lost.items())
    for key, one in lost.items():
        same = found.get(_same(key, one), [])
        if len(same) == 1 and claims[_same(key, one)] == 1 and not _with_owner(key, one, lost):
            yield key, same[0]


def _same(key: _Key, one: _Placed) -> tuple[str, ...]:
    details = one.row.details
    told = details.get("body", "") or key[1]
    return key[0], details["sort"], one.owner, details.get("form", ""), told


def _moves(lost: _Table, come: _Table) -> Iterator[tuple[_Key, _Key]]:
    """The same name of the same sort in another place."""
    found: dict[tuple[str, str], list[_Key]] = {}
    for key, one in come.items():
        found.setdefault((key[1], one.row.details["sort"]), []).append(key)
    for key, one in lost.items():
        same = found.get((key[1], one.row.details["sort"]), [])
        if len(same) == 1 and same[0][0] != key[0]:
            yield key, same[0]


def _changed(was: _Placed, now: _Placed) -> Iterator[Fact]:
    old, new, path = was.row, now.row, now.file.path
    breaks = was.counts and now.counts
    if "deprecated" in new.details and "deprecated" not in old.details and breaks:
        yield Fact("deprecated", path, new.line, new.name, None, new.text)
    same = old.text == new.text or old.details.get("form", "") == new.details.get("form", "")
    if old.details["sort"] != new.details["sort"] or same:
        before, after = old.details.get("value", ""), new.details.get("value", "")
        if before != after and before and after and breaks:
            yield Fact("symbol_changed", path, new.line, new.name, before, after)
        return
    asked = "asked" in old.details and "asked" in new.details
    kind = "extension_method_changed" if asked else "symbol_signature_changed"
    wider = _takes(new.details["form"], old.details["form"])
    alias = Alias("none") if breaks and not wider else None
    yield Fact(kind, path, new.line, new.name, old.text, new.text, breaks and not wider, alias)


_PART = "\x1f"


def signature_form(parameters: Sequence[str], rest: str) -> str:
    """What a caller must fit: the types in their order, and the rest; one that need not be given ends with `?`."""
    return _PART.join((*parameters, "", rest))


def _takes(new: str, old: str) -> bool:
    """Whoever calls the old one may call the new one the same way: only what need not be given came behind."""
    if _PART not in new or _PART not in old:
        return False
    mine, others = new.split(_PART), old.split(_PART)
    return (
        mine[-1] == others[-1]
        and len(mine) >= len(others)
        and all(_fits(one, other) for one, other in zip(mine, others[:-2], strict=False))
        and all(one.endswith("?") for one in mine[len(others) - 2 : -2])
    )


_CALLED = re.compile(r"Fn(Once|Mut)?(?=\()")


def _fits(new: str, old: str) -> bool:
    """The same type, or one that takes more kinds of functions."""
    if new == old:
        return True
    ranks = [[("", "Mut", "Once").index(m[1] or "") for m in _CALLED.finditer(text)] for text in (old, new)]
    same = _CALLED.sub("Fn", new) == _CALLED.sub("Fn", old)
    return same and all(was <= now for was, now in zip(*ranks, strict=True))


# --- fields of settings, as files write them ----------------------------------------------------------------------


def _settings(pairs: Sequence[FilePair]) -> Iterator[Fact]:
    """Fields of settings that are there before and after: details are name → what says the same of two names."""
    for pair, old, place, new in server.successors(pairs, "settings"):
        yield from _fields(pair.file, place.file, old, new)


def _fields(before: ReadFile, file: ReadFile, old: Row, new: Row) -> Iterator[Fact]:
    gone = [field for field in old.details if field not in new.details]
    come = [field for field in new.details if field not in old.details]
    slots = {old.details[field].partition("|")[0]: field for field in gone}
    breaks = met_by_users(file)
    taken: set[str] = set()
    for field in come:
        slot, _, how = new.details[field].partition("|")
        first = slots.get(slot)
        if first is not None:  # the same field of the code under another name in the file
            taken.add(first)
            symbol = f"{old.name}.{first}"
            yield Fact("field_renamed", file.path, new.line, symbol, first, field, breaks, Alias("none"))
        elif how == "must":
            symbol = f"{new.name}.{field}"
            yield Fact("field_required_added", file.path, new.line, symbol, None, field, breaks)
        else:
            yield Fact("field_added", file.path, new.line, f"{new.name}.{field}", None, field)
    for field in gone:
        if field not in taken and server.lost_line(before, field):
            symbol = f"{old.name}.{field}"
            yield Fact("field_removed", file.path, old.line, symbol, field, None, breaks, Alias("none"))
