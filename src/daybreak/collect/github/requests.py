"""What is asked of the forge for one repository and window, and what has come of it so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from msgspec import Struct

from daybreak.collect.github.faults import ForgeFault, LeftOut, Refused
from daybreak.collect.github.shapes import Light, LightTag, Whole
from daybreak.core.model.changes import Change, Repo, Skipped, Window
from daybreak.core.model.items import Envelope, Issue, Pull, Release

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
