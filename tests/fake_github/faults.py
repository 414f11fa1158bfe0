"""What can go wrong at the fake GitHub: rules written by a test, and faults by a seeded chance."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Protocol


class Asked(Protocol):
    """What a rule looks at."""

    @property
    def method(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def query(self) -> Mapping[str, str]: ...
    @property
    def body(self) -> str: ...


OPTIONS: dict[str, dict[str, Any]] = {
    "primary": {"status": None, "reset_in": 60.0, "type": "RATE_LIMITED"},
    "secondary": {"status": 403, "retry_after": 30},
    "status": {"status": 502, "html": False},
    "unauthorized": {},
    "hang": {"seconds": 5.0},
    "drop": {},
    "cut": {},
    "broken_json": {},
    "empty_body": {},
    "slow": {"seconds": 0.02},
    "duplicate": {"count": 1},
    "reorder": {},
    "touch": {"number": None},
    "arrive": {},
    "incomplete": {},
    "graphql_error": {"message": "Something went wrong", "type": None, "status": 200},
    "graphql_timeout": {"status": 200},
    "graphql_partial": {"alias": None, "type": "SERVICE_UNAVAILABLE", "message": "Something went wrong"},
    "resource_limits": {"alias": None},
    "hidden_row": {"type": "FORBIDDEN"},
    "lost_cursor": {},
    "odd_alias": {},
    "short_search": {},
    "surrogate": {},
}
"""Kind -> its options and what they are where not given."""

BENT = {"hidden_row", "lost_cursor", "odd_alias", "short_search"}
"""What changes one place of a GraphQL answer."""
ONLY_GRAPHQL = {"graphql_error", "graphql_timeout", "graphql_partial", "resource_limits", *BENT}
BY_CHANCE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("primary", {}),
    ("primary", {"status": 429, "type": "RATE_LIMIT"}),
    ("secondary", {}),
    ("secondary", {"status": 429}),
    ("secondary", {"retry_after": None}),
    ("status", {"status": 500}),
    ("status", {"html": True}),
    ("status", {"status": 503}),
    ("status", {"status": 504, "html": True}),
    ("drop", {}),
    ("cut", {}),
    ("broken_json", {}),
    ("empty_body", {}),
    ("slow", {}),
    ("duplicate", {}),
    ("duplicate", {"count": 3}),
    ("reorder", {}),
    ("touch", {}),
    ("arrive", {}),
    ("incomplete", {}),
    ("graphql_error", {}),
    ("graphql_timeout", {}),
    ("graphql_timeout", {"status": 502}),
    ("graphql_partial", {}),
    ("resource_limits", {}),
    ("hidden_row", {}),
    ("hidden_row", {"type": "NOT_FOUND"}),
    ("lost_cursor", {}),
    ("odd_alias", {}),
    ("short_search", {}),
)
"""What chance chooses from. `hang` is not here: it costs true time, so a test asks for it by name."""


@dataclass(slots=True)
class Fault:
    """One rule; with `options` of its kind."""

    kind: str
    times: int | None = 1
    skip: int = 0
    path: str = ""
    text: str = ""
    match: Callable[[Asked], bool] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    hits: int = 0
    """How often it struck."""

    def __post_init__(self) -> None:
        if self.kind not in OPTIONS:
            raise ValueError(f"{self.kind} is no fault; there are {', '.join(OPTIONS)}")
        unknown = set(self.options) - set(OPTIONS[self.kind])
        if unknown:
            raise ValueError(f"{self.kind} has no option {', '.join(sorted(unknown))}")

    def option(self, name: str) -> Any:
        return self.options.get(name, OPTIONS[self.kind][name])

    def strikes(self, asked: Asked) -> bool:
        if self.times == 0 or not fits(self.kind, asked) or self.path not in asked.path:
            return False
        spoken = asked.body + "&".join(f"{key}={value}" for key, value in asked.query.items())
        if self.text not in spoken or (self.match is not None and not self.match(asked)):
            return False
        if self.skip > 0:
            self.skip -= 1
            return False
        if self.times is not None:
            self.times -= 1
        self.hits += 1
        return True


def fits(kind: str, asked: Asked) -> bool:
    """Some faults are of GraphQL only, one of search only; those of pages only strike where pages are."""
    if kind in ONLY_GRAPHQL:
        return asked.path == "/graphql"
    if kind == "incomplete":
        return asked.path.startswith("/search")
    if kind in ("duplicate", "reorder", "touch", "arrive"):
        return asked.method == "GET" or asked.path == "/graphql"
    return True


@dataclass(slots=True)
class Chance:
    """Chooses by the seed, the request and how often it was made: the order of threads changes nothing."""

    seed: int
    rate: float
    most: int
    in_a_row: int
    kinds: frozenset[str]
    seen: Counter[str] = field(default_factory=Counter)
    run: Counter[str] = field(default_factory=Counter)
    struck: int = 0

    def fault(self, asked: Asked) -> Fault | None:
        key = f"{asked.method} {asked.path} {sorted(asked.query.items())} {asked.body}"
        self.seen[key] += 1
        dice = random.Random(f"{self.seed} {key} {self.seen[key]}")
        if self.struck >= self.most or self.run[key] >= self.in_a_row or dice.random() >= self.rate:
            self.run[key] = 0
            return None
        possible = [row for row in BY_CHANCE if fits(row[0], asked) and (not self.kinds or row[0] in self.kinds)]
        if not possible:
            return None
        kind, options = dice.choice(possible)
        self.struck += 1
        self.run[key] += 1
        return Fault(kind, options=dict(options), hits=1)


class Faults:
    """All rules of one server, and at most one chance."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.rules: list[Fault] = []
        self.chance: Chance | None = None

    def add(self, fault: Fault) -> Fault:
        with self._lock:
            self.rules.append(fault)
        return fault

    def by_chance(self, seed: int, rate: float, most: int, in_a_row: int, kinds: Sequence[str]) -> None:
        self.chance = Chance(seed, rate, most, in_a_row, frozenset(kinds))

    def clear(self) -> None:
        with self._lock:
            self.rules.clear()
            self.chance = None

    def of(self, asked: Asked) -> Fault | None:
        """The first rule that strikes, else what chance says."""
        with self._lock:
            for rule in self.rules:
                if rule.strikes(asked):
                    return rule
            return self.chance.fault(asked) if self.chance else None
