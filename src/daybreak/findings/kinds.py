"""Kinds of findings: what is known of each, from its one row in kinds.toml.

Who asks about a kind asks for a column (`kind.family`, `kind.change == "removed"`, `"felt" in kind.traits`) and names no
kind. Only kinds.toml and the reader that makes a kind write its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib import resources
from threading import Lock
from typing import Literal, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.statements import Text

SurfaceName = Literal[
    "cli", "environment", "config", "server", "models", "behaviour", "dependencies", "hardware", "metrics", "python",
    "operators", "exports", "extension", "safe",
]  # fmt: skip
Verb = Literal[
    "added", "required_added", "removed", "renamed", "moved", "changed", "default_changed", "choices_changed",
    "passing_changed", "signature_changed", "deprecated", "renumbered", "narrowed", "widened",
    "none",
]  # fmt: skip
Trait = Literal[
    "everywhere", "by_text", "valued", "turns", "nameless", "member", "within", "sought", "felt", "condition", "pinned",
    "declared",
]  # fmt: skip
FeltPart = Literal["defaults", "deprecations", "guards"]
Told = Literal["always", "change", "data"]
Mark = Literal["breaks", "deprecates", "internals", "none"]
Effect = Literal["tightened", "behaviour", "pin", "extension", "relaxed", "added", "internal"]
EFFECTS: tuple[Effect, ...] = get_args(Effect)
"""The gravest first: the order in which a change's findings are told."""
Pair = tuple[str, ...]
"""Words in the order of the table's languages; empty where there are none though the change has some."""

GONE: frozenset[str] = frozenset({"removed", "renamed", "moved"})
"""Changes that take a name away from where it was."""
ANOTHER_NAME: frozenset[str] = frozenset({"renamed", "moved"})
CAME: frozenset[str] = frozenset({"added", "required_added"})


class Words(Struct, frozen=True):
    """What is said of a finding: templates by language, None for what is not said."""

    what: Text | None = None
    free: Text | None = None
    who: Text | None = None
    how: Text | None = None
    to: Text | None = None


class Kind(Struct, frozen=True):
    """What is known of a kind of finding; the columns are explained in kinds.toml."""

    name: str
    surface: SurfaceName = "python"
    family: str = ""
    change: Verb = "none"
    told: Told = "always"
    slot: str = ""
    inside: str = ""
    mark: Mark = "none"
    effect: Effect = "internal"
    mirror: str = ""
    behaves: int = 0
    requires: int = 0
    traits: frozenset[Trait] = frozenset()
    label: Text = {}
    brief: Text = {}
    turn: Text | None = None
    brief_read: Text = {}
    """`brief` and `turn` of a field of what clients read, where the family is of both."""
    turn_read: Text | None = None
    rule: str = ""
    words: Words = Words()
    sent: Words = Words()
    read: Words = Words()

    @property
    def is_felt(self) -> bool:
        """Whether it can be felt without calling anything new: defaults, deprecations, guards, dispatch."""
        return self.change in ("default_changed", "deprecated") or "felt" in self.traits

    @property
    def broken_as(self) -> Literal["default", "build", "breaks"]:
        """What it is told as where it breaks: another default and another installation are told as what they are."""
        return "default" if self.change == "default_changed" else "build" if self.requires else "breaks"

    @property
    def felt_part(self) -> FeltPart:
        """What is done by default is another thing than what is refused, and than what will go."""
        if self.change == "deprecated":
            return "deprecations"
        taken = self.effect == "behaviour" and self.change in ("added", "removed") and "condition" not in self.traits
        return "defaults" if taken or self.change == "default_changed" else "guards"

    @property
    def is_operated(self) -> bool:
        """Whether whoever only runs the program meets it."""
        return self.surface in ("cli", "server", "environment", "config", "models", "metrics", "hardware")

    def means(self, family: str, *changes: Verb) -> bool:
        """Whether it is one of these changes of that family."""
        return self.family == family and self.change in changes


# --- the rows as they are written ----------------------------------------------------------------------------------


class _Said(Struct, forbid_unknown_fields=True):
    what: Pair | None = None
    free: Pair | None = None
    who: Pair | None = None
    how: Pair | None = None
    to: Pair | None = None


class _Row(_Said, forbid_unknown_fields=True):
    change: Verb | None = None
    slot: str = ""
    inside: str = ""
    told: Told = "always"
    mark: Mark | None = None
    effect: Effect | None = None
    mirror: str = ""
    behaves: int = 0
    requires: int = 0
    label: Pair | None = None
    brief: Pair | None = None
    turn: Pair | None = None
    rule: str = ""
    sent: _Said | None = None
    read: _Said | None = None


class _Change(Struct, forbid_unknown_fields=True):
    effect: Effect
    mark: Mark = "none"
    label: Pair | None = None
    brief: Pair | None = None
    turn: Pair | None = None
    rule: str = ""
    what: Pair | None = None
    hit: str = ""
    who: Pair | None = None
    how: Pair | None = None


class _Family(Struct, forbid_unknown_fields=True):
    surface: SurfaceName
    kinds: dict[str, _Row]
    effect: Effect | None = None
    mark: Mark | None = None
    inside: str = ""
    traits: frozenset[Trait] = frozenset()
    noun: Pair = ()
    title: Pair = ()
    said: Pair = ()
    read_noun: Pair = ()
    about: str = ""
    who: Pair = ()


class _Table(Struct, forbid_unknown_fields=True):
    languages: tuple[str, ...]
    brief: Pair
    changes: dict[Verb, _Change]
    families: dict[str, _Family]


# --- kinds ---------------------------------------------------------------------------------------------------------


_ONE_AT_A_TIME = Lock()
"""Two threads that find out about a type at the same time crash msgspec, and repositories are read side by side."""


@cache
def _table() -> _Table:
    import tomllib

    text = resources.files("daybreak.findings").joinpath("kinds.toml").read_text(encoding="utf-8")
    with _ONE_AT_A_TIME:
        return msgspec.convert(tomllib.loads(text), _Table)


@cache
def kinds() -> Mapping[str, Kind]:
    """Every kind by its name, in the order of the table; read once."""
    table = _table()
    found = (kind for name, family in table.families.items() for kind in _kinds(table, name, family))
    return {kind.name: kind for kind in found}


def kind_of(name: str) -> Kind:
    """What is known of a kind; of one that is not in the table, nothing but its name."""
    return kinds().get(name) or _unknown(name)


@lru_cache(maxsize=256)
def _unknown(name: str) -> Kind:
    brief = dict(zip(_table().languages, _table().brief, strict=True))
    return Kind(name, brief=brief, rule=f"{name[:1].upper()}{name[1:].replace('_', ' ')}.")


@cache
def named(family: str, change: Verb) -> str:
    """The kind that is this change of that family; empty where there is none."""
    return next((kind.name for kind in kinds().values() if kind.means(family, change)), "")


@cache
def surfaces() -> tuple[SurfaceName, ...]:
    """Surfaces in the order in which a report tells them."""
    known = {kind.surface for kind in kinds().values()}
    return tuple(surface for surface in get_args(SurfaceName) if surface in known)


def _kinds(table: _Table, family: str, about: _Family) -> Iterator[Kind]:
    for name, row in about.kinds.items():
        change = row.change or _change(table, family, name)
        yield _Maker(table, table.changes[change], about).kind(name, family, change, row)


def _change(table: _Table, family: str, name: str) -> Verb:
    """The change that the kind's own name says."""
    return next(change for change in table.changes if name == f"{family}_{change}")


def _mirror(name: str, family: str, change: Verb, about: _Family) -> str:
    """What came goes and what went comes; a new name or value is taken back by another of the same kind."""
    other = {"added": "removed", "required_added": "removed", "removed": "added"}.get(change)
    return next((one for one in about.kinds if one == f"{family}_{other}"), name)


class _Maker(Struct):
    """One row made whole: where it says nothing its family says it, and then its change."""

    table: _Table
    change: _Change
    family: _Family

    def kind(self, name: str, family: str, change: Verb, row: _Row) -> Kind:
        about, other, words = self.family, self.family.read_noun, self._words(row)
        return Kind(
            name,
            about.surface,
            family,
            change,
            row.told,
            slot=row.slot or family,
            inside=row.inside or about.inside or (family if row.slot else ""),
            mark=row.mark or self._mark(),
            effect=row.effect or self._effect(row),
            mirror=row.mirror or _mirror(name, family, change, about),
            behaves=row.behaves,
            requires=row.requires,
            traits=about.traits,
            label=self._filled(self.change.label if row.label is None else row.label) or {},
            brief=self._filled(row.brief or self.change.brief) or self._text(self.table.brief) or {},
            turn=self._filled(self.change.turn if row.turn is None else row.turn),
            brief_read=(self._filled(self.change.brief, other) if other else None) or {},
            turn_read=self._filled(self.change.turn, other) if other else None,
            rule=self._rule(row),
            words=words,
            sent=self._over(words, row.sent),
            read=self._over(words, row.read),
        )

    def _mark(self) -> Mark:
        grave = self.change.mark == "breaks"
        return self.family.mark if grave and self.family.mark else self.change.mark

    def _effect(self, row: _Row) -> Effect:
        return "internal" if row.told != "always" else self.family.effect or self.change.effect

    def _rule(self, row: _Row) -> str:
        rule = row.rule or self.change.rule.replace("{about}", self.family.about)
        return f"{rule[:1].upper()}{rule[1:]}."

    def _words(self, row: _Row) -> Words:
        if row.told == "data":
            return Words()
        who = self._who(row)
        how = self.change.how if row.how is None and who else row.how
        what = self._filled(self.change.what if row.what is None else row.what)
        return Words(what, self._text(row.free), who, self._text(how), self._text(row.to))

    def _who(self, row: _Row) -> Text | None:
        if row.who is not None or self.change.who:
            return self._text(self.change.who if row.who is None else row.who)
        if not self.change.hit:
            return None
        return self._text(tuple(text.replace("{s}", self.change.hit) for text in self.family.who))

    def _over(self, words: Words, said: _Said | None) -> Words:
        """The words of one side in place of those of both."""
        if said is None:
            return words
        parts = {part: self._text(getattr(said, part)) for part in said.__struct_fields__}
        return replace(words, **{part: text for part, text in parts.items() if text})

    def _text(self, pair: Pair | None) -> Text | None:
        return dict(zip(self.table.languages, pair, strict=True)) if pair else None

    def _filled(self, pair: Pair | None, noun: Pair = ()) -> Text | None:
        """The words with the family's nouns in them; None where it has none to put there."""
        noun = noun or self.family.noun
        title = self.family.title or noun
        names = {"{noun}": noun, "{title}": title, "{said}": self.family.said or title}
        for place, nouns in names.items():
            if pair and place in pair[0]:
                pair = tuple(_put(text, one, place) for text, one in zip(pair, nouns, strict=True)) if nouns else ()
        return self._text(pair)


def _put(text: str, noun: str, place: str) -> str:
    """A noun in its place: a Latin one behind a Chinese word stands apart from it, one that begins is written large."""
    at = text.find(place)
    if at == 0:
        first = noun[:1].upper() if noun.isascii() else noun[:1]
        return f"{first}{noun[1:]}{text[len(place) :]}"
    apart = noun[:1].isascii() and not text[at - 1].isascii()
    return text.replace(place, f" {noun}" if apart else noun)
