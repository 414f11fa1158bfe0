"""Python files before and after a commit, compared: what callers, importers and implementers must do otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from daybreak.core.text import SENTENCE, contrast
from daybreak.findings.blobs import Row, Surface
from daybreak.findings.compare import FilePair
from daybreak.findings.kinds import CAME, kind_of, kinds
from daybreak.findings.languages.base import TELLING, Fact, ReadFile, Whole
from daybreak.findings.languages.default_values import looked_up
from daybreak.findings.languages.python_contracts import (
    answers,
    made_with_more,
    message_values,
    options,
    overwritten,
    returned,
    rows,
)
from daybreak.findings.languages.python_decorators import class_decorators, decorators, is_read_otherwise
from daybreak.findings.languages.python_listed import listed
from daybreak.findings.languages.python_masses import first_alike
from daybreak.findings.languages.python_members import attributes
from daybreak.findings.languages.python_methods import (
    is_hook,
    lost_classes,
    lost_method,
    new_method,
    owner_of,
    renamed_methods,
)
from daybreak.findings.languages.python_modules import Module, exports
from daybreak.findings.languages.python_moves import Moves
from daybreak.findings.languages.python_overrides import asked_otherwise
from daybreak.findings.languages.python_public import (
    bases,
    exported,
    forked,
    hidden,
    implements_any,
    importable,
    is_data,
    is_enum,
    is_extension,
    joins_base,
    lost_base,
    may_be_written,
    overridden,
    passed_over,
    private,
    read_at_all,
)
from daybreak.findings.languages.python_records import shifted
from daybreak.findings.languages.python_signature import (
    Difference,
    Gap,
    Signature,
    differences,
    handed_over,
    is_new_answer,
    is_other_choice,
    pushed_back,
    replaced,
    signature,
    without_types,
)
from daybreak.findings.languages.python_surface import surface
from daybreak.findings.languages.python_taken import taken_elsewhere
from daybreak.findings.languages.python_types import literals, step
from daybreak.findings.languages.python_values import other_number
from daybreak.findings.languages.renames import same_meaning
from daybreak.findings.languages.validated_types import with_refused

__all__ = ["compare", "surface", "touched"]

_MAY_MATTER = re.compile(
    r"\s*(?:(?:async\s+)?def |class |@|from |import |[)\]}\"'])"
    r"|\s{0,60}\*{0,2}[A-Za-z_]\w*\s*(?:[:=,)]|$)|__all__|.*Literal\[|\s+return\s+(?:True|False|[-\d\"'({]|[^,\n]{1,200},)"
)
_SET = re.compile(r"\s{4,40}self\.\w+\s*(?::|=(?!=))")
"""What an object was given."""
_KERNEL = re.compile(r"(?:^|\.)(?:jit|autotune|heuristics)\b")
"""A function that is compiled for a device and launched, not called."""

_ASKED_OTHERWISE = frozenset({"added", "required_added", "passing_changed", "renamed"})
_DEFINED = frozenset({"function", "method", "class"})
_NOT_NAMED = frozenset({"annotation", "return"})
"""What no line of a user's code names."""


def touched(file: ReadFile) -> bool:
    """Whether this file's hunks can have changed what it offers."""
    if not read_at_all(file):
        return False
    if file.change.status in "ADRC":
        return True
    for hunk in file.hunks:
        for line in hunk.lines:
            if line.sign != " " and (_MAY_MATTER.match(line.text) or (line.sign == "-" and _SET.match(line.text))):
                return True
    return False


def compare(pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:
    """The facts of all Python files of a commit; where the reading is wide, also what only insiders use."""
    found = [*first_alike(listed(looked_up(_told(pairs, whole), pairs, whole), pairs))]
    yield from found
    if whole.wide:
        yield from _inner(pairs, whole, {_named(fact) for fact in found})


def _inner(pairs: Sequence[FilePair], whole: Whole, told: set[tuple[str, ...]]) -> Iterator[Fact]:
    """The same questions with every name in reach: what somebody's plug-in may use, though it is nobody's interface."""
    for pair in pairs:
        if pair.file.change.status in "MRT":
            open_pair = FilePair(replace(pair.file, reach="all"), pair.old, pair.new)
            for fact in _inside(open_pair, whole):
                if kind_of(fact.kind).family not in _NOT_NAMED and _named(fact) not in told:
                    yield replace(fact, breaking=False, inner=True)


def _named(fact: Fact) -> tuple[str, ...]:
    """What happened to which name, whoever it is told to."""
    return kind_of(fact.kind).change, fact.path, fact.symbol


def _told(pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:
    moves = Moves(pairs, whole)
    if whole.complete:
        yield from moves.facts()
        yield from taken_elsewhere(moves)
        yield from _added(moves)
    yield from made_with_more(whole)
    yield from returned([pair for pair in pairs if pair.file.change.status in "MRT"])
    yield from asked_otherwise(pairs, whole)
    for pair in pairs:
        if pair.file.change.status in "MRT":
            yield from with_refused(_inside(pair, whole), pair.file.change.patch, whole)
            yield from shifted(pair)


def _added(moves: Moves) -> Iterator[Fact]:
    """Public names that users can import now; what is an old name in a new place was told."""
    for module in moves.after.values():
        was = moves.before.get(module.name)
        file = module.pair.file
        if not importable(file):
            continue
        for row in module.defined("function", "class"):
            known = "." in row.name or (module.name, row.name) in moves.used or (was and was.offers(row.name))
            if not known and exported(file, module.surface, row):
                yield Fact(f"{row.kind}_added", file.path, row.line, row.name, None, row.text[:200])
        if was is not None:
            yield from _new_exports(moves, file, was, module)


def _new_exports(moves: Moves, file: ReadFile, was: Module, module: Module) -> Iterator[Fact]:
    if was.surface.of("hook") or was.surface.of("star"):
        return
    for row in exports(module):
        defined = any(module.surface.has(kind, row.name) for kind in ("function", "class", "attribute"))
        known = was.offers(row.name) or was.surface.has("export", row.name) or (module.name, row.name) in moves.used
        if not defined and not known:
            yield Fact("export_added", file.path, row.line, f"{module.name}.{row.name}", None, row.name)


def _inside(pair: FilePair, whole: Whole) -> Iterator[Fact]:
    """What changed in functions and classes that stand on both sides."""
    for key, was in pair.old.items():
        now = pair.new.get(key)
        # Details are one object where the whole text of a definition is as it was: see the surface.
        if now is None or was.details is now.details or was.kind not in _DEFINED:
            continue
        if passed_over(pair.file, was.name):
            yield from _beneath(pair, was, now, whole)
        elif was.kind != "class":
            yield from (*answers(pair, was, now), *rows(pair, was, now), *overwritten(pair, was, now))
            yield from other_number(pair, was, now, whole)
            if was.text == now.text and was.details["decorators"] == now.details["decorators"]:
                continue
            yield from _function(pair, was, now, whole)
        else:
            yield from _class(pair, was, now, whole)
    yield from attributes(pair, whole)
    yield from message_values(pair, whole)


def _beneath(pair: FilePair, was: Row, now: Row, whole: Whole) -> Iterator[Fact]:
    """A method that starts with an underscore, of a class that plug-ins and forks derive from: what stops them."""
    if was.kind == "method" and forked(pair.file, was.name):
        yield from other_number(pair, was, now, whole)
        yield from (fact for fact in _function(pair, was, now, whole) if fact.breaking)


# --- functions and methods -----------------------------------------------------------------------------------------


def _function(pair: FilePair, was: Row, now: Row, whole: Whole) -> Iterator[Fact]:
    if "whole" in was.details and "whole" in now.details:  # behind overloads stands one head that takes them all
        was, now = (replace(row, text=row.details["whole"]) for row in (was, now))
    elif "many" in was.details or "many" in now.details:
        return
    file = pair.file
    if was.details["decorators"] != now.details["decorators"]:
        yield from decorators(pair, was, now, whole)
    if was.text == now.text or was.name.endswith(".__post_init__"):  # a dataclass calls it, with fields of its own
        return
    old, new = signature(was), signature(now)
    if old is None or new is None:
        return
    found = list(same_meaning(file, whole, (old, new), list(differences(old, new))))
    if is_read_otherwise(was, now):  # whatever it took: told by how it is asked
        return
    if is_hook(file, pair.old, was) and is_hook(file, pair.new, now):
        named = {p.name for p in old.parameters if p.kind == "only_keyword"}
        named |= handed_over(whole, was.name.rpartition(".")[2], new)
        yield from _implemented(pair, was, now, found, named)
        yield from _given_back(pair, now, old.returns, new.returns)
        return
    yield from _told_differences(pair, (was, now), (old, new), found, whole)


def _told_differences(
    pair: FilePair, rows: tuple[Row, Row], sides: tuple[Signature, Signature], found: list[Difference], whole: Whole
) -> Iterator[Fact]:
    """Differences of what users call; of what the project itself calls, those that other files had to follow."""
    (was, now), file = rows, pair.file
    offered = exported(file, pair.old, was)
    # Named like an interface, in a module of its own people; who asks for every name there is gets them as they are.
    inside = offered and hidden(file.path) and not file.handed and file.reach == "usual"
    ours = offered and not inside
    if not any(d.breaks for d in found):
        pushed = list(pushed_back(*sides)) if offered or _made_by_plugins(pair, was) else []
        if pushed and not ours:  # who derives from it hands on what it is given, by place
            texts = _cut(pushed[0].before), _cut(pushed[0].after)
            yield Fact("internal_parameter_moved", file.path, now.line, now.name, *texts, breaking=True)
        found = [*found, *pushed] if ours else found
    reached = forked(file, was.name) and not (
        sides[0].takes_any and sides[0].takes_more
    )  # it took whatever it was given
    met = not ours and any(d.breaks and (inside or reached or _called_elsewhere(pair, was, d, whole)) for d in found)
    shown = (ours or file.public or importable(file)) and not met
    gaps = _replaced(sides, found) if met else []
    successor = _under_new_name(pair, was, sides[0])
    yield from (_replacement(file.path, now, gap, successor) for gap in gaps)
    known = {p.name for gap in gaps for side in gap for p in side}
    before = {p.name for p in sides[0].parameters}  # nobody relied on the default of another name
    for d in found:
        symbol = f"{now.name}({d.name})" if d.name not in ("", "->") else now.name
        texts = _cut(d.before), _cut(d.after)
        if shown or (kind_of(d.kind).change == "default_changed" and d.name in before):
            kind = "return_replaced" if ours and is_new_answer(d, whole) else d.kind
            breaks = ours and (d.breaks or kind != d.kind or is_other_choice(d))
            yield Fact(kind, file.path, now.line, symbol, *texts, breaks)
            yield from _fewer_values(pair, now, d)
        elif d.breaks and met and d.name not in known and (inner := f"internal_{d.kind}") in kinds():
            yield Fact(inner, file.path, now.line, symbol, *texts, breaking=True)


def _made_by_plugins(pair: FilePair, row: Row) -> bool:
    """The constructor of a public class that implements what plug-ins implement, so that they derive from it too."""
    owner, _, short = row.name.rpartition(".")
    known = short == "__init__" and not hidden(pair.file.path) and read_at_all(pair.file) and not private(owner)
    return known and implements_any(pair.old, pair.old.get(("class", owner)), pair.file.profile)


def _replaced(sides: tuple[Signature, Signature], found: list[Difference]) -> list[Gap]:
    """Parameters that went and those that came in their place, where a caller notices."""
    broken = {d.name for d in found if d.breaks}
    changes = [(d, kind_of(d.kind).change) for d in found]
    lost = {d.name for d, change in changes if change == "removed"}
    come = {d.name for d, change in changes if change in CAME and d.before is None}
    first, second = ([p for p in s.parameters if p.name in names] for s, names in zip(sides, (lost, come), strict=True))
    return [gap for gap in replaced(*sides, first, second) if not broken.isdisjoint(p.name for p in gap[0])]


def _replacement(path: str, now: Row, gap: Gap, successor: str) -> Fact:
    symbol = f"{now.name}({gap[0][0].name})" if len(gap[0]) == 1 else now.name
    before, after = (_cut(", ".join(p.declared for p in side)) for side in gap)
    if successor:
        return Fact("internal_parameter_elsewhere", path, now.line, symbol, before, successor, breaking=True)
    return Fact("internal_parameter_replaced", path, now.line, symbol, before, after, breaking=True)


def _under_new_name(pair: FilePair, was: Row, old: Signature) -> str:
    """The one method that came beside it and takes, name by name, what it took before and needs no more: its old form."""
    owner = was.name.rpartition(".")[0]
    came = [row for key, row in pair.new.items() if key not in pair.old and row.kind == was.kind]
    came = [row for row in came if row.name.rpartition(".")[0] == owner and _takes_all(signature(row), old)]
    return came[0].name.rpartition(".")[2] if len(came) == 1 and len(old.parameters) > _TELLING_HEAD else ""


def _takes_all(head: Signature | None, old: Signature) -> bool:
    names, size = [p.name for p in old.parameters], len(old.parameters)
    given = head.parameters if head is not None else ()
    return [p.name for p in given[:size]] == names and not any(p.required for p in given[size:])


_TELLING_HEAD = 2
"""Parameters that two heads have by chance."""


def _called_elsewhere(pair: FilePair, was: Row, d: Difference, whole: Whole) -> bool:
    """Functions, constructors and methods of public modules that the same commit calls otherwise in another file."""
    owner, _, short = was.name.rpartition(".")
    path = pair.file.path
    if hidden(path):
        return False
    if owner and short != "__init__":
        return whole.called(path, short, d.name)
    if any(_KERNEL.search(mark) for mark in was.details["decorators"].split("\n")):
        return whole.followed(path, short)  # who launches it is its caller, and gives the same names on
    if d.before is None:  # one that came is written where the others call
        return whole.followed(path, owner or short) or ("_" in d.name and whole.followed(path, d.name))
    return whole.followed(path, owner or short) or (d.after != d.name and whole.left(path, d.name))


def _fewer_values(pair: FilePair, now: Row, d: Difference) -> Iterator[Fact]:
    """A parameter whose `Literal` lost or gained values."""
    first, second = (literals(text or "") for text in (d.before, d.after))
    if kind_of(d.kind).family != "annotation" or not first or not second or set(first) == set(second):
        return
    lost = set(first) - set(second)
    kind = "literal_narrowed" if lost else "literal_widened"
    breaks = bool(lost) and exported(pair.file, pair.new, now)
    yield Fact(kind, pair.file.path, now.line, f"{now.name}({d.name})", _cut(d.before), _cut(d.after), breaks)


def _given_back(pair: FilePair, now: Row, first: str, second: str) -> Iterator[Fact]:
    """Implementers must return something else."""
    if step(first, second) in ("narrower", "other"):
        yield Fact("extension_return_changed", pair.file.path, now.line, now.name, first[:200], second[:200], True)


def _cut(text: str | None) -> str | None:
    return text[:200] if text else text


_NAMES = 800
"""Characters of the names of a long head."""


def _implemented(pair: FilePair, was: Row, now: Row, found: list[Difference], named: set[str]) -> Iterator[Fact]:
    """A method that others write: they are called with other arguments now; a new name at the same place is none, unless it is
    among the `named`, by which the project passes it.
    """
    changes = [(d, kind_of(d.kind).change) for d in found]
    hard = [
        d
        for d, change in changes
        if change in ("removed", "moved")
        or (change == "renamed" and not named.isdisjoint((d.name, d.after)))
        or (change in CAME and d.before is None and (change != "added" or d.name in named))
    ]
    soft = [d for d, change in changes if change in _ASKED_OTHERWISE]
    if hard or soft:
        owner = owner_of(pair.old, was.name)
        breaks = bool(hard) and overridden(pair.file, pair.old, owner) and not private(was.name)
        full = [" ".join(re.sub(r"^(?:async )?def ", "", row.text).rstrip(":")[:4000].split()) for row in (was, now)]
        was_so, is_so = map(without_types, full) if max(map(len, full)) > SENTENCE else full
        # A long head is told by its names, of which none is cut off.
        shown = contrast(full[0], full[1]) if was_so == is_so else contrast(was_so, is_so, _NAMES)
        yield Fact("extension_method_changed", pair.file.path, now.line, now.name, *shown, breaks)
        return
    for d, change in changes:
        if change == "default_changed":
            yield Fact(d.kind, pair.file.path, now.line, f"{now.name}({d.name})", _cut(d.before), _cut(d.after))


# --- classes -------------------------------------------------------------------------------------------------------


def _class(pair: FilePair, was: Row, now: Row, whole: Whole) -> Iterator[Fact]:
    if "many" in was.details or "many" in now.details:
        return
    yield from _bases(pair, was, now)
    yield from options(pair, was, now)
    yield from class_decorators(pair, was, now, whole)
    yield from _constructor(pair, was, now, whole)
    yield from lost_classes(pair, was)
    old, new = pair.old.methods(was.name), pair.new.methods(now.name)
    lost = [row for name, row in old.items() if name not in new and may_be_written(pair.file, name)]
    come = [row for name, row in new.items() if name not in old and may_be_written(pair.file, name)]
    if not (lost or come):
        return
    extension = is_extension(was, pair.file.profile) and is_extension(now, pair.file.profile)
    missed = _missed(pair, was, lost, whole)
    if not (extension or importable(pair.file) or missed or forked(pair.file, was.name)):
        return
    renamed = renamed_methods(lost, come, (list(old), list(new)), pair.file, whole)
    for row in lost:
        yield from lost_method(pair, was, now, row, renamed.get(row.name), row in missed)
    known = {row.name for row in renamed.values()}
    for row in come:
        if row.name not in known and not passed_over(pair.file, row.name):
            yield from new_method(pair, was, now, row, whole)


def _missed(pair: FilePair, was: Row, lost: list[Row], whole: Whole) -> list[Row]:
    """Methods that are marked as deprecated, or that another file of the commit asked for and had to stop, or asks of another
    class: plug-ins and forks have to as well. A class that others reach into is missed with all it lost, where no base elsewhere may still have it.
    """
    path = pair.file.path
    found = [row for row in lost if row.details.get("deprecated") == "marked"]
    names = [] if hidden(path) else [(row, row.name.rpartition(".")[2]) for row in lost]
    asked = [row for row, short in names if len(short) >= TELLING and whole.missed(path, short)]
    return lost if asked and all(pair.old.get(("class", base)) for base in bases(was)) else [*found, *asked]


def _constructor(pair: FilePair, was: Row, now: Row, whole: Whole) -> Iterator[Fact]:
    """A class with a constructor of its own that it did not have, or the other way round: what it must be given now."""
    first, second = (_made_by(side, row) for side, row in ((pair.old, was), (pair.new, now)))
    own = [side.has("method", f"{row.name}.__init__") for side, row in ((pair.old, was), (pair.new, now))]
    if first is None or second is None or own[0] == own[1]:
        return
    old, new = signature(first), signature(second)
    if old is not None and new is not None:
        named = Row("method", f"{now.name}.__init__", second.line, second.text, second.details)
        kept = ("annotation", "return")
        found = [d for d in differences(old, new) if kind_of(d.kind).family not in kept]
        yield from _told_differences(pair, (named, named), (old, new), found, whole)


def _made_by(side: Surface, row: Row, depth: int = 0) -> Row | None:
    """The constructor of a class in the same file: its own, or that of its first base which has one."""
    own = side.get(("method", f"{row.name}.__init__"))
    if own is not None or depth > 8:
        return own
    above = (side.get(("class", base.split("[")[0])) for base in bases(row))
    return next((made for one in above if one and (made := _made_by(side, one, depth + 1))), None)


_EVERYONES = ("object", "Generic", "ABC", "Exception", "BaseException")
"""Bases that a class hardly loses: what takes their place has them too."""


def _ancestors(side: Surface, row: Row) -> set[str]:
    """Its bases and theirs, as far as the same file tells."""
    met: set[str] = set()
    asked = [row]
    while asked:
        for base in bases(asked.pop()):
            plain = base.split("[")[0]
            if plain not in met:
                met.add(plain)
                asked += [above] if (above := side.get(("class", plain))) else []
    return met


def _bases(pair: FilePair, was: Row, now: Row) -> Iterator[Fact]:
    """A base that is gone: `except Base` and `isinstance` no longer meet the class."""
    kind = lost_base(was.name)
    error = kind != lost_base("")
    if was.details["bases"] == now.details["bases"] or is_enum(was) or is_data(was):
        return
    joined = (
        row for row in pair.old.of("class") if joins_base(row, was)
    )  # seldom any: of a few the ancestors are asked
    below = (row for row in islice(joined, 20) if row.name == was.name or was.name in _ancestors(pair.old, row))
    replaceable = not hidden(pair.file.path) and any(below)
    if not (importable(pair.file) or error or replaceable):
        return
    met = _ancestors(pair.new, now)
    for base in bases(was):
        plain = base.split("[")[0]
        if "=" in base or "(" in plain or plain in _EVERYONES or plain in met:
            continue  # one that is made in its place has no name that anybody could ask for
        breaks = replaceable or (error and exported(pair.file, pair.old, was))
        yield Fact(kind, pair.file.path, now.line, now.name, base, None, breaks)
