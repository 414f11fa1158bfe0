"""What a forge has of a day, looked up by number, tag and sha: what the pages ask for again and again."""

from __future__ import annotations

from msgspec import Struct, field

from daybreak.core.model.findings import Finding
from daybreak.core.model.items import Activity, Issue, Pull, Release
from daybreak.core.model.links import (
    Bump,
    Earlier,
    ForgeDay,
    Link,
    PullReading,
    RepoForge,
    commit_id,
    issue_id,
    pull_id,
    release_id,
)
from daybreak.core.model.report import Entry, RepoReport, Report


class ForgeView(Struct, frozen=True):
    """The forge's half of a report by evidence id; what is not in here the report does not know."""

    day: ForgeDay
    repos: dict[str, RepoReport]
    entries: dict[str, tuple[RepoReport, Entry]] = field(default_factory=dict)
    """By `commit:SHA`; late ones too."""
    late: frozenset[str] = frozenset()
    findings: dict[str, tuple[RepoReport, Entry, Finding]] = field(default_factory=dict)
    issues: dict[str, tuple[RepoReport, Issue]] = field(default_factory=dict)
    pulls: dict[str, tuple[RepoReport, Pull]] = field(default_factory=dict)
    releases: dict[str, tuple[RepoReport, Release]] = field(default_factory=dict)
    readings: dict[str, PullReading] = field(default_factory=dict)
    """By `pull:REPO#N`."""
    brought_by: dict[str, str] = field(default_factory=dict)
    """`commit:SHA` -> its `pull:REPO#N`."""
    leaving: dict[str, tuple[Link, ...]] = field(default_factory=dict)
    """Links of the repositories by what they start from."""
    arriving: dict[str, tuple[Link, ...]] = field(default_factory=dict)
    earlier: dict[str, tuple[RepoReport, Earlier]] = field(default_factory=dict)
    """Changes of days before, by `commit:SHA`."""

    def activity(self, repo: str) -> Activity | None:
        return self.day.activity(repo)

    def reading(self, repo: str) -> RepoForge | None:
        return self.day.reading(repo)

    def pull_of(self, entry: Entry) -> tuple[Pull, PullReading | None] | None:
        """The pull request that brought a change, and what its text says."""
        name = self.brought_by.get(commit_id(entry.change.sha), "")
        found = self.pulls.get(name)
        return (found[1], self.readings.get(name)) if found else None

    def closed_by(self, entry: Entry) -> list[Link]:
        """Links to the issues that a change closes, by itself or by its pull request; each issue once."""
        own = commit_id(entry.change.sha)
        links = (*self.leaving.get(own, ()), *self.leaving.get(self.brought_by.get(own, ""), ()))
        return list({link.target: link for link in reversed(links) if link.kind == "fixes"}.values())[::-1]

    def bumps(self) -> list[Bump]:
        """Moves of pins that changes of this report made; those of earlier days stand in stories alone."""
        return [one for one in self.day.across.bumps if commit_id(one.sha) in self.entries]

    def crossing(self) -> list[Link]:
        """Links from one repository to another, of whatever part of the analysis."""
        own = [link for reading in self.day.readings for link in reading.links if self._crosses(link)]
        return list({(x.kind, x.source, x.target): x for x in (*self.day.across.links, *own)}.values())

    def _crosses(self, link: Link) -> bool:
        ends = [self.home(x) for x in (link.source, link.target)]
        return None not in ends and ends[0] != ends[1]

    def home(self, name: str) -> str | None:
        """The repository that an evidence id belongs to; None when the report does not know."""
        kind, _, rest = name.partition(":")
        if kind in ("commit", "finding"):
            found = self.entries.get(name) or self.findings.get(name) or self.earlier.get(name)
            return found[0].repo.name if found else None
        return rest.rpartition("@" if kind == "release" else "#")[0] if kind != "repo" else rest


def view_of(report: Report) -> ForgeView | None:
    """None when no forge was asked."""
    if report.forge is None:
        return None
    repos = {repo.repo.name: repo for repo in report.repos}
    told = [(r, e) for r in report.repos for e in (*r.entries, *r.late)]
    links = [link for reading in report.forge.readings for link in reading.links]
    items = [(repos[a.repo], a) for a in report.forge.activities if a.repo in repos]
    return ForgeView(
        report.forge,
        repos,
        {commit_id(e.change.sha): (r, e) for r, e in told},
        frozenset(commit_id(e.change.sha) for r in report.repos for e in r.late),
        {f"finding:{f.id}": (r, e, f) for r, e in told for f in e.reading.findings},
        {issue_id(a.repo, x.number): (r, x) for r, a in items for x in a.issues},
        {pull_id(a.repo, x.number): (r, x) for r, a in items for x in a.pulls},
        {release_id(a.repo, x.tag): (r, x) for r, a in items for x in a.releases},
        {pull_id(x.repo, x.number): x for reading in report.forge.readings for x in reading.pulls},
        {link.target: link.source for link in links if link.kind == "brings"},
        _grouped([(link.source, link) for link in links]),
        _grouped([(link.target, link) for link in links]),
        {commit_id(x.sha): (repos[x.repo], x) for x in report.forge.earlier if x.repo in repos},
    )


def _grouped(pairs: list[tuple[str, Link]]) -> dict[str, tuple[Link, ...]]:
    out: dict[str, list[Link]] = {}
    for name, link in pairs:
        out.setdefault(name, []).append(link)
    return {name: tuple(found) for name, found in out.items()}
