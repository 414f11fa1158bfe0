"""What the parts of the join share: a net under the name users type, and what is judged of a use that meets it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from daybreak.analyse.impact_names import Address
from daybreak.upgrade import Certainty, Net, Use

Role = Literal[
    "use", "pass", "lack", "omit", "place", "override", "implement", "patch", "set", "value", "unset", "send", "pin",
]  # fmt: skip
"""How a use relies on what changed; each has its sentence."""
_DOWN: dict[Certainty, Certainty | None] = {"certain": "likely", "likely": "look", "look": None}


class Judged(NamedTuple):
    """How sure it is that a net touches a use, and through what."""

    certainty: Certainty
    role: Role
    what: str
    """Name the sentence is about: what you use, call, set or override."""
    part: str = ""
    """The parameter, value or program, where the role has one."""


@dataclass(frozen=True, slots=True)
class Item:
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


@dataclass(slots=True)
class Yours:
    """Your uses, by the questions that judging one of them asks of the others."""

    written: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    """(file, base class) → methods that your subclass defines."""
    imported: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """File → names that it imports outright."""

    @classmethod
    def of(cls, uses: Iterable[Use]) -> Yours:
        found = cls()
        for use in uses:
            if use.kind == "override":
                base, _, method = use.name.rpartition(".")
                found.written[use.path, base].add(method)
            elif use.kind == "import":
                found.imported[use.path].add(use.name)
        return found


def lower(certainty: Certainty) -> Certainty | None:
    """One level less sure; None below the last."""
    return _DOWN[certainty]


def settled(judged: Judged, use: Use, net: Net, alias: bool = True) -> Judged | None:
    """The same after what weakens it: an alias that still works, a use that is ready for the name to be absent.

    `alias` is False where the end is known to have none, whatever the changes said of themselves.
    """
    known = net.finding.alias
    if alias and known is not None and known.status != "none":
        judged = judged._replace(certainty="look")
    if use.guarded:
        less = lower(judged.certainty)
        return None if less is None else judged._replace(certainty=less)
    return judged


def unknown_rest(use: Use) -> bool:
    """`*args` or `**kwargs` may pass anything."""
    return use.positional is None or any(word.startswith("*") for word in use.keywords) or "**" in use.text
