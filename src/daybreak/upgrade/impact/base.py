"""What the parts of the join share: a net under the name users type, and what is judged of a use that meets it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from msgspec import Struct

from daybreak.core.model.upgrade import Certainty, Net, Use
from daybreak.upgrade.impact.names import Address
from daybreak.upgrade.impact.source import Signature

Role = Literal[
    "use", "reach", "pass", "lack", "omit", "place", "override", "implement", "patch", "set", "value", "unset", "send", "pin",
]  # fmt: skip
"""How a use relies on what changed; each has its sentence."""
_CLASS = re.compile(r"class\s+(\w{1,200})\s*(?:\[[^\]]{0,200}\])?\s*\(([^)]{0,400})")
_WORD = re.compile(r"\w{1,200}")


class Judged(NamedTuple):
    """How sure it is that a net touches a use, and through what."""

    certainty: Certainty
    role: Role
    what: str
    """Name the sentence is about: what you use, call, set or override."""
    part: str = ""
    """The parameter, value or program, where the role has one."""


class Known(Protocol):
    """What can be asked about a net's repository beside the net."""

    @property
    def programs(self) -> frozenset[str]:
        """Commands that it installs; empty when unknown."""

    def now(self, item: Item) -> Signature | None:
        """Parameters at the end of the function that an item is about."""

    def then(self, item: Item) -> Signature | None:
        """The same at the start."""

    def same(self, item: Item, name: Sequence[str]) -> bool | None:
        """Whether a dotted name, followed through the imports of the start, is what the finding is about."""

    def mentions(self, item: Item, word: str) -> bool | None:
        """Whether sources of the end still have a word."""

    def missing(self, item: Item) -> bool:
        """The finding's file is gone at the end."""

    def abstract(self, item: Item) -> bool | None:
        """Whether the method that an item is about must be written by whoever subclasses."""


class Item(Struct, frozen=True, eq=False):
    """A net of a repository under one of the names by which users meet it."""

    repo: str
    net: Net
    where: Address
    lone: bool = True
    """No other module of the range has a finding on the same name."""
    beside: frozenset[str] = frozenset()
    """Kinds of the range's other findings on the same function."""
    holds: Callable[[str], bool] | None = None
    """Whether the finding's file offers a name at the end; None when the end cannot be asked."""
    known: Known | None = None
    """What is known of the range's ends; it tells no two items apart."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Item) and self._told_apart_by() == other._told_apart_by()

    def __hash__(self) -> int:
        return hash(self._told_apart_by())

    def _told_apart_by(self) -> tuple[object, ...]:
        return self.repo, self.net, self.where, self.lone, self.beside, self.holds


@dataclass(slots=True)
class Yours:
    """Your uses, by the questions that judging one of them asks of the others."""

    written: dict[tuple[str, str, int], set[str]] = field(default_factory=lambda: defaultdict(set))
    """(file, base class, line of your subclass) → methods that it defines."""
    classes: set[str] = field(default_factory=set)
    """Names of your subclasses."""
    used: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """File → upstream names that it uses."""

    @classmethod
    def of(cls, uses: Iterable[Use]) -> Yours:
        found = cls()
        lines: dict[tuple[str, str], list[int]] = defaultdict(list)
        overrides: list[Use] = []
        for use in uses:
            if use.kind == "override":
                overrides.append(use)
            elif use.kind == "subclass":
                lines[use.path, use.name].append(use.line)
                head = _CLASS.search(use.text)
                found.classes |= {head[1]} if head else set()
            elif use.kind in ("import", "attribute", "call", "patch"):
                found.used[use.path].add(use.name)
        ordered = {key: sorted(numbers) for key, numbers in lines.items()}
        for use in overrides:
            base, _, method = use.name.rpartition(".")
            above = ordered.get((use.path, base), [])
            number = bisect_right(above, use.line)
            found.written[use.path, base, above[number - 1] if number else 0].add(method)
        return found

    def indirect(self, use: Use) -> bool:
        """A class of yours below another one of yours, which is told itself."""
        head = _CLASS.search(use.text)
        return head is not None and any(word in self.classes for word in _WORD.findall(head[2]))

    def tries(self, use: Use, new: str) -> bool:
        """The file of a use has the new name as well, so that it is ready for both."""
        last = new.rpartition(".")[2]
        others = (name for name in self.used.get(use.path, ()) if name != use.name)
        return any(name == new or name.endswith(f".{new}") or name.rpartition(".")[2] == last for name in others)


def settled(judged: Judged, use: Use, net: Net, alias: bool = True) -> Judged | None:
    """The same after what weakens it: an alias that still works, a use that is ready for the name to be absent.

    `alias` is False where the end is known to have none, whatever the changes said of themselves.
    """
    known = net.finding.alias
    if alias and known is not None and known.status != "none":
        judged = judged._replace(certainty="look")
    if use.guarded:
        return None if judged.certainty == "look" else judged._replace(certainty="look")
    return judged


def unknown_rest(use: Use) -> bool:
    """`*args` or `**kwargs` may pass anything."""
    return use.positional is None or any(word.startswith("*") for word in use.keywords) or "**" in use.text
