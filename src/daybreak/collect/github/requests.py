"""What is asked of the forge for one repository and window, and what has come of it so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol, TypeVar

import msgspec
from msgspec import Struct

from daybreak.collect.github.shapes import Light, LightTag, Whole
from daybreak.core.model.changes import Change, Repo, Skipped, Window
from daybreak.core.model.items import Envelope, Issue, Pull, Release

# --- Why something could not be had of the forge: each becomes a `Skipped`, none of them holds a secret ---
# ForgeFault
# ├── Unavailable     not now: limits, an outage, no network; the next run asks again
# │   └── OutOfBudget     as many requests as we allow ourselves have been made
# ├── Offline         this run asks nobody
# ├── Incomplete      an answer that says of itself that it is not whole: tried again
# ├── Refused         not at all with these credentials
# │   └── NoGraphql   the forge has no GraphQL for us: REST is asked instead
# ├── NoTokens        every token was refused: what needs none can still be asked
# └── LeftOut         not asked for, since there is no token for it: told, but no fault


class ForgeFault(Exception):
    """`reason` is part of a sentence, `tip` a sentence for the terminal."""

    def __init__(self, reason: str, tip: str = "") -> None:
        super().__init__(reason)
        self.reason, self.tip = reason, tip


class Unavailable(ForgeFault):
    """Not to be had now."""

    def __init__(self, reason: str, tip: str = "", *, heavy: bool = False) -> None:
        super().__init__(reason, tip)
        self.heavy = heavy
        """It may come when less is asked for at a time."""


class OutOfBudget(Unavailable):
    """We ask for no more in this run."""


class Refused(ForgeFault):
    """The forge does not give it to us."""

    def __init__(self, reason: str, tip: str = "", status: int = 0) -> None:
        super().__init__(reason, tip)
        self.status = status


class NoGraphql(Refused):
    """The forge does not answer this in GraphQL."""


class NoTokens(ForgeFault):
    """No token is left that the forge accepts."""


class LeftOut(ForgeFault):
    """We do not ask for it without what we have not got; the next run would not either."""


class Offline(ForgeFault):
    """This run asks nobody."""

    def __init__(self) -> None:
        super().__init__(
            "was not asked, since this run is offline", "Run once without --offline and without `[github] offline`."
        )


class Incomplete(ForgeFault):
    """The answer says of itself that it is not whole."""


OPENED_AND_CLOSED = ("issues/opened", "issues/closed", "pulls/opened", "pulls/merged", "pulls/closed")
NAMES = {
    "items": "issues and pull requests",
    "issues": "issues",
    "pulls": "pull requests",
    "releases": "releases",
    "tags": "tags",
    "events": "reopened issues",
    "timelines": "what closed or linked",
    "changes": "pull requests of changes",
    "rest": "the rest",
}
"""List -> what it is called in a report."""


class Envelopes(Protocol):
    """Where raw answers are kept: each has its place, (repo, label, category, id)."""

    def get(self, repo: str, label: str, category: str, name: str, /) -> Envelope | None:
        """The one whose `id` is that name."""
        ...

    def put(self, envelopes: Sequence[Envelope], /) -> None:
        """All of them or none; what stood in their places is replaced."""
        ...


class Ask(Struct, frozen=True):
    """One repository's part of a window."""

    repo: Repo
    window: Window
    changes: Sequence[Change] = ()

    @property
    def since(self) -> str:
        return stamp(self.window.since)

    @property
    def span(self) -> str:
        """The window's exact edges: after a change of zone, the same label is another window."""
        return f"{self.since}..{stamp(self.window.until)}"


@dataclass(slots=True)
class Gathered:
    """What has come so far."""

    ask: Ask
    lights: dict[int, Light] = field(default_factory=dict)
    """Of the window, by number."""
    issues: dict[int, Issue] = field(default_factory=dict)
    pulls: dict[int, Pull] = field(default_factory=dict)
    absent: set[int] = field(default_factory=set)
    """Numbers that are nothing here."""
    unfinished: dict[int, Whole] = field(default_factory=dict)
    """Items whose timelines have more pages."""
    releases_wanted: dict[str, None] = field(default_factory=dict)
    """Tags whose releases were published in the window."""
    releases: dict[str, Release] = field(default_factory=dict)
    released: set[str] = field(default_factory=set)
    """Tags with a release, of any time."""
    tags: list[LightTag] = field(default_factory=list)
    brought: dict[str, int] = field(default_factory=dict)
    """sha -> the pull request that the forge itself says it came by."""
    asked: dict[str, None] = field(default_factory=dict)
    missing: dict[str, ForgeFault] = field(default_factory=dict)
    """What could not be had, in words, and why."""
    unread: dict[str, None] = field(default_factory=dict)
    """Lists, or the rest of them, that a run without a token had no requests left for."""
    tags_known: bool = True
    """Which tags have a release; without that, no tag can be called bare."""

    def skip(self, name: str, fault: ForgeFault, about: str = "") -> None:
        """A list, or some things of it, could not be had."""
        self.missing.setdefault(f"{NAMES[name]}{about}", fault)

    @property
    def refused(self) -> bool:
        """The forge shows us nothing of this repository: nothing more is asked for."""
        came = self.lights or self.released or self.tags or self.releases
        return not came and any(isinstance(fault, Refused) for fault in self.missing.values())

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """What could not be had: one for each reason."""
        return self._grouped({what: f for what, f in self.missing.items() if not isinstance(f, LeftOut)})

    @property
    def left_out(self) -> tuple[Skipped, ...]:
        """What was not asked for."""
        return self._grouped({what: f for what, f in self.missing.items() if isinstance(f, LeftOut)})

    def _grouped(self, missing: Mapping[str, ForgeFault]) -> tuple[Skipped, ...]:
        grouped: dict[tuple[str, str], list[str]] = {}
        for what, fault in missing.items():
            grouped.setdefault((fault.reason, fault.tip), []).append(what)
        return tuple(
            Skipped(f"{self.ask.repo.name} on GitHub: {', '.join(names)}", f"GitHub {reason}", tip)
            for (reason, tip), names in grouped.items()
        )

    def was_asked(self, *names: str) -> None:
        self.asked |= dict.fromkeys(names)


def stamp(moment: datetime) -> str:
    """As GitHub writes times: UTC, to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


# --- Envelopes: what came is kept as it came, and what stands there is not asked for again ---
# Items of a closed day stand as first fetched. What was fetched while the day still ran stands only offline: the next run
# asks for the lists again, and for the items that were touched since.


VERSION = "github/1"
Value = TypeVar("Value")


class Keep:
    """The envelopes of one run."""

    def __init__(
        self,
        envelopes: Envelopes,
        origin: str,
        now: Callable[[], datetime],
        offline: bool,
        force: bool,
        ahead: Callable[[], timedelta] = timedelta,
    ) -> None:
        """`ahead`: how far our clock is ahead of the forge's, as far as is known by now."""
        self.offline, self.now = offline, now
        self._envelopes, self._origin, self._force, self._ahead = envelopes, origin, force, ahead

    def final(self, ask: Ask, category: str, name: str, kind: type[Value]) -> Value | None:
        """What was kept after the window had ended; offline, whatever was kept."""
        found = self.envelope(ask, category, name)
        if found is None or not (self.offline or found.fetched_at >= ask.window.until):
            return None
        return read(found.body, kind)

    def standing(self, ask: Ask, category: str, name: str, fresh: Callable[[bytes], bool]) -> bytes | None:
        """The same for one item, which also stands when it was not touched since."""
        found = self.envelope(ask, category, name)
        if found is None:
            return None
        stands = self.offline or found.fetched_at >= ask.window.until or fresh(found.body)
        return found.body if stands else None

    def envelope(self, ask: Ask, category: str, name: str) -> Envelope | None:
        if self._force and not self.offline:
            return None
        found = self._envelopes.get(ask.repo.name, ask.window.label, category, name)
        return found if found is not None and found.version == VERSION else None

    def save(
        self, ask: Ask, category: str, bodies: Mapping[str, bytes], began: datetime, etag: str | None = None
    ) -> None:
        """`began`: when asking for it began, with all waits after that, since it may be as old as that."""
        at, repo, label = began - self._ahead(), ask.repo.name, ask.window.label
        kept = [
            Envelope(repo, label, category, name, self._origin, at, VERSION, etag, body)
            for name, body in bodies.items()
        ]
        if kept:
            self._envelopes.put(kept)


def read(body: bytes, kind: type[Value]) -> Value | None:
    """None for what this version cannot read: it is asked for again."""
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
