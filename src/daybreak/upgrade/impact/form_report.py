"""What every output of `daybreak impact` is made from, and the words they share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct, field

from daybreak.core.model.changes import Repo, Skipped
from daybreak.core.model.upgrade import Certainty, Hit
from daybreak.core.words.catalogue import REFERENCE, languages
from daybreak.core.words.phrases import Phrases, phrases
from daybreak.report.render.escape import LONGEST, clean

PLACES = 10
"""Places of one finding that are listed unless all are asked for."""
ORDER: tuple[Certainty, ...] = ("certain", "likely", "look")


class Told(Struct, frozen=True):
    """A hit with the name by which it can be acknowledged."""

    id: str
    hit: Hit


class Scope(Struct, frozen=True):
    """What a repository's part of the answer is about."""

    repo: Repo
    what: str
    """`v0.14.1..v0.15.0`, or the days of a window."""
    empty: bool = False
    """The window has no commits."""


class ImpactReport(Struct, frozen=True):
    """Which upstream changes touch the code at a path; the same data gives the same bytes."""

    path: str
    """As the user wrote it."""
    tool_version: str
    scopes: tuple[Scope, ...] = ()
    told: tuple[Told, ...] = ()
    """Surest first; acknowledged ones among them only when asked for."""
    acknowledged: int = 0
    """Hits that an acknowledgement takes out of the count."""
    acks: str = ""
    """Name of the file of acknowledgements."""
    expired: tuple[tuple[str, str], ...] = ()
    """Acknowledgements that lost their force: what, and since when."""
    unused: tuple[str, ...] = ()
    files: int = 0
    lines: int = 0
    skipped: tuple[Skipped, ...] = ()
    """What of upstream could not be had or read."""
    unread: tuple[Skipped, ...] = ()
    """Your files that could not be read."""
    every: bool = False
    """Leave nothing out: acknowledged hits, places of a finding that has many."""
    subjects: Mapping[str, str] = field(default_factory=dict)
    """sha → first line of its message, as far as they are known."""

    @property
    def counted(self) -> tuple[Told, ...]:
        """Those that nobody has acknowledged."""
        return tuple(one for one in self.told if one.hit.acknowledged is None)

    def of(self, certainty: Certainty) -> Iterator[Told]:
        return (one for one in self.told if one.hit.certainty == certainty)

    def groups(self, certainty: Certainty) -> list[tuple[Told, ...]]:
        """Hits of one level that say the same of several places, in the order of the first of them."""
        found: dict[tuple[object, ...], list[Told]] = {}
        for one in self.of(certainty):
            key = (one.id, *sorted(one.hit.action.items()), one.hit.acknowledged)
            found.setdefault(key, []).append(one)
        return [tuple(group) for group in found.values()]

    def places(self, group: tuple[Told, ...]) -> tuple[Told, ...]:
        """Those of a group that are listed."""
        return group if self.every or len(group) <= PLACES + 1 else group[:PLACES]

    def url(self, hit: Hit) -> str:
        """Web address of the change that decides what holds now; empty when there is none."""
        repo = next((scope.repo for scope in self.scopes if scope.repo.name == hit.repo), None)
        if repo is None or not hit.net.commits or not repo.url.startswith(("http://", "https://")):
            return ""
        return repo.commit_url(hit.net.commits[-1])


class Wording(Phrases):
    """The phrases of one language."""

    def __init__(self, language: str) -> None:
        known = language if language in languages() else REFERENCE
        super().__init__(known, phrases(known, "upgrade.impact").table)

    def counts(self, report: ImpactReport) -> str:
        levels = [one.hit.certainty for one in report.counted]
        return self("counts", **{level: levels.count(level) for level in ORDER})

    def read(self, report: ImpactReport, shown: Callable[[str], str]) -> str:
        """How much was read and against what, without a full stop; `shown` makes names harmless."""
        scopes = (f"{s.repo.name} {s.what}{self('empty') if s.empty else ''}" for s in report.scopes)
        files, lines = self("files", n=report.files), self("lines", n=report.lines)
        return self("read", files=files, lines=lines, scope=shown(self("list").join(scopes)))

    def release(self, hit: Hit) -> str:
        """In which release it is, and which one you run."""
        since = self("since", release=hit.net.since) if hit.net.since else self("unreleased")
        return f"{since} · {self('pinned', version=hit.pinned, at=hit.pin_at)}" if hit.pinned else since


def uncut(text: str) -> str:
    """A text of ours as one harmless line of any length; what it quotes was shortened when it was made."""
    return "".join(clean(text[start : start + LONGEST - 1]) for start in range(0, len(text), LONGEST - 1))
