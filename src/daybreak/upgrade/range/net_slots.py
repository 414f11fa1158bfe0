"""The slots that findings change: one finding as transitions of named slots, and a transition as a finding again.

A slot is a family (flags, fields, operators…) with a name; most names are told apart by their file too. A *thing* is
there or not; a *value* belongs to a thing and is a text (a default, a signature, a list of choices). Renames and moves
take a thing, and all whose names begin with its name, to another name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from msgspec import Struct

from daybreak.core.model.findings import Alias, Finding
from daybreak.core.source_roots import module_of
from daybreak.findings.kinds import Kind, kind_of, kinds
from daybreak.findings.kinds import named as kind_named

Verb = Literal["added", "removed", "renamed", "changed", "marked", "none"]


class Family(NamedTuple):
    """How the kinds of one family hang together."""

    everywhere: bool = False
    """The name means the same in whatever file it stands."""
    by_text: bool = False
    """Several stand at one place (guards, checks): the text is part of the name."""
    valued: bool = False
    """Texts of additions and removals hold a value that a `changed` kind changes."""
    inside: str = ""
    """Family of the thing whose value this is; the name is the same."""


@cache
def families() -> Mapping[str, Family]:
    """Slots by name: the families of kinds, and the values of which a kind is about alone."""
    return {kind.slot: _slot(kind) for kind in kinds().values()}


def _slot(kind: Kind) -> Family:
    own = kind.slot == kind.family
    return Family(
        "everywhere" in kind.traits, own and "by_text" in kind.traits, own and "valued" in kind.traits, kind.inside
    )


@cache
def values_of(thing: str) -> tuple[str, ...]:
    """Families of a thing's values, under the same name as the thing."""
    return tuple(name for name, family in families().items() if thing in (name, family.inside))


_VERBS: dict[str, Verb] = {
    "added": "added",
    "required_added": "added",
    "removed": "removed",
    "renamed": "renamed",
    "moved": "renamed",
    "deprecated": "marked",
    "none": "none",
}
"""What a change does to its slot; all others change its value."""
_NAME_IN_TEXT = frozenset({"attribute", "enum_member", "field", "parameter"})


@lru_cache(maxsize=1024)
def known(kind: str) -> tuple[str, Verb] | None:
    """The slot of a kind and what it does to it; None for a kind that is not in the table."""
    found = kinds().get(kind)
    if found is None:
        return None
    verb = _VERBS.get(found.change, "changed")
    return found.slot, "changed" if found.slot != found.family and verb != "marked" else verb


class Name(NamedTuple):
    """A name and where it stands; place is empty for what means the same everywhere."""

    place: str
    own: str
    text: str = ""
    """For what is told apart by its text alone."""

    @property
    def full(self) -> str:
        return f"{self.place}.{self.own}" if self.place else self.own


class Transition(Struct, frozen=True):
    """What one finding says of one slot. A state is None for what is not there, and empty for a thing that is."""

    family: str
    value: bool
    """Of a thing's value; else of the thing itself."""
    start: Name
    was: str | None
    end: Name
    now: str | None
    finding: Finding
    derived: bool = False
    """The value that came or went with its thing."""

    @property
    def holds(self) -> bool:
        """A new name of it is a new name of its values, and of all that it holds."""
        stays = self.was is not None and self.now is not None
        return stays and not self.value and self.start != self.end and not families()[self.family].by_text


def slots(finding: Finding) -> frozenset[tuple[str, str]]:
    """Those that it changes, by family and name."""
    return frozenset((step.family, near.full) for step in transitions(finding) for near in (step.start, step.end))


def _place(path: str) -> str:
    """The module of a file; a file that is none, or that lies in no package, is told apart by its path: two folders may each
    have a `util.py`.
    """
    module = module_of(path) if path.endswith((".py", ".pyi")) else ""
    packed = "." in module or path.endswith(("/__init__.py", "/__init__.pyi"))
    return module if packed else path.removesuffix(".pyi").removesuffix(".py").replace("/", ".")


def transitions(finding: Finding) -> tuple[Transition, ...]:
    """The finding as transitions of slots; none for what says nothing about a range."""
    found = known(finding.kind)
    if found is None or found[1] == "none":
        return ()
    name, verb = found
    family = families()[name]
    if verb == "renamed":
        start, end = _renamed(name, family, finding)
        return (Transition(name, False, start, "", end, "", finding),)
    if family.by_text:
        return (_by_text(name, finding),)
    here = Name("" if family.everywhere else _place(finding.path), finding.symbol)
    if family.inside or verb == "marked":
        was, now = _marked(finding) if verb == "marked" else (finding.before or "", finding.after or "")
        return (Transition(name, True, here, was, here, now, finding),)
    if verb == "changed" or (
        kind_of(finding.kind).change == "required_added" and None not in (finding.before, finding.after)
    ):
        was, now = (value_of(name, x, verb) for x in (finding.before, finding.after))
        return (Transition(name, True, here, was, here, now, finding),)
    return _came_or_went(name, family, verb, here, finding)


def _came_or_went(name: str, family: Family, verb: Verb, here: Name, finding: Finding) -> tuple[Transition, ...]:
    came = verb == "added"
    if verb == "removed" and finding.before is None and finding.after is not None and one_way(name):
        came = True  # its mirror image, for which there is no kind
    if name == "arch":
        here = here._replace(own=f"{(finding.before or '').partition('=')[0]}:{finding.symbol}")
    states = (None, "") if came else ("", None)
    thing = Transition(name, False, here, states[0], here, states[1], finding)
    if not family.valued:
        return (thing,)
    value = value_of(name, finding.after if came else finding.before, verb)
    values = (None, value) if came else (value, None)
    return thing, Transition(name, True, here, values[0], here, values[1], finding, derived=True)


def _marked(finding: Finding) -> tuple[str, str]:
    """A mark is there or not; its mirror image takes it away."""
    gone = finding.after is None if kind_of(finding.kind).family == "name" else finding.before != finding.symbol
    return ("marked", "") if gone else ("", "marked")


def _by_text(name: str, finding: Finding) -> Transition:
    own = "" if name == "exception" else finding.symbol
    place = _place(finding.path)
    start, end = (Name(place, own, text or "") for text in (finding.before, finding.after))
    was, now = (None if text is None else "" for text in (finding.before, finding.after))
    if was is None:
        start = end
    if now is None:
        end = start
    return Transition(name, False, start, was, end, now, finding)


def value_of(family: str, text: str | None, verb: Verb) -> str:
    """The value inside a declaration (`x: int = 3` → `3`); a `changed` finding gives it bare; empty: it has none."""
    if text is None:
        return ""
    if family == "operator":
        return text[text.find("(") :] if "(" in text else text
    if family not in _NAME_IN_TEXT or verb == "changed":
        return text
    return text.partition("=" if family == "parameter" else " = ")[2]


def with_value(family: str, text: str, value: str) -> str:
    """The same declaration with another value."""
    if family == "operator" and value.startswith("("):
        return text.partition("(")[0] + value
    if family not in _NAME_IN_TEXT:
        return value
    sign = "=" if family == "parameter" else " = "
    head = text.partition(sign)[0]
    return f"{head}{sign}{value}" if value else head


def _renamed(name: str, family: Family, finding: Finding) -> tuple[Name, Name]:
    before, after = finding.before or "", finding.after or ""
    if family.everywhere:
        return Name("", before.removesuffix(".*")), Name("", after.removesuffix(".*"))
    place = _place(finding.path)
    if name in ("function", "class") and before != finding.symbol:
        return _placed(before, finding.symbol, ""), _placed(after, finding.symbol, place)
    return Name(place, finding.symbol), Name(place, swapped(finding.symbol, before, after))


def _placed(full: str, own: str, place: str) -> Name:
    """A dotted name cut into the module and what stands in it."""
    if own and full.endswith(f".{own}"):
        return Name(full[: -len(own) - 1], own)
    if place and full.startswith(f"{place}."):
        return Name(place, full[len(place) + 1 :])
    head, _, tail = full.rpartition(".")
    return Name(head, tail)


def named(full: str, near: Name) -> Name:
    """A full name as one that stands beside another, where it can."""
    if not near.place:
        return Name("", full)
    return _placed(full, "", near.place)


def swapped(symbol: str, before: str, after: str) -> str:
    """The symbol with its last part renamed: `Args.old` → `Args.new`, `run(old)` → `run(new)`."""
    if before and symbol.endswith(f"({before})"):
        return f"{symbol[: -len(before) - 1]}{after})"
    return f"{symbol[: -len(before)]}{after}" if before and symbol.endswith(before) else symbol


def last_part(own: str) -> str:
    """The bare name: of `Args.size` and `run(size)` it is `size`, of `ns::run` it is `run`."""
    return re.split(r"[.(:]", own.removesuffix(")"))[-1] or own


def short(family: str, name: Name) -> str:
    """A name as its family's renames show it."""
    if family == "field":
        return name.own.rpartition(".")[2]
    if family == "parameter":
        return name.own.rpartition("(")[2].removesuffix(")")
    return name.own


def lost(before: str | None, after: str | None) -> bool:
    """Whether a list of choices lost one."""
    return not _items(before) <= _items(after)


def _items(text: str | None) -> set[str]:
    return {item.strip(" []()\"'") for item in (text or "").split(",")} - {""}


NO_ALIAS = Alias("none")


@cache
def paired() -> frozenset[str]:
    """Families with a kind for what came and one for what went."""
    return frozenset(
        kind.family for kind in kinds().values() if kind.change == "added" and "turns" not in kind.traits
        if kind_named(kind.family, "removed")
    )  # fmt: skip


@cache
def one_way(family: str) -> bool:
    """Whether there is a kind for what went and none for what came."""
    return bool(kind_named(family, "removed")) and not kind_named(family, "added")


@cache
def changed() -> Mapping[str, str]:
    """The kind of another value, of families whose additions and removals show one."""
    valued = (kind for kind in kinds().values() if families()[kind.slot].valued)
    return {kind.family: kind.name for kind in valued if known(kind.name) == (kind.family, "changed")}
