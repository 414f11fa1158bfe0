"""One language of one upgrade report: its file names, its refs, and the changes by sha."""

from __future__ import annotations

import re

from daybreak.core.model.changes import Change, Skipped, Window
from daybreak.core.model.report import Entry, RepoReport, Report
from daybreak.core.model.upgrade import Net, RangeReport, Ref
from daybreak.core.words.phrases import phrases
from daybreak.report.render.addresses import commit_link, refs
from daybreak.report.render.edition import Edition
from daybreak.report.render.escape import code, url

MARKER = "<!-- daybreak.range/1 -->"
LONGEST_NAME = 60
_SHA = re.compile(r"[0-9a-f]{12,64}")


class RangeEdition(Edition, frozen=True):
    """What every part of the page needs to know of the whole; `report` is the range seen as a day of one repository."""

    upgrade: RangeReport
    entries: dict[str, Entry]
    """Gained and left behind, by sha."""
    breaking: frozenset[str]
    """Commits whose break still holds at the end."""
    undone: frozenset[str]

    @property
    def asked(self) -> bool:
        """The reader asked for what touches their own code: all else is there to be looked up."""
        return self.upgrade.hits is not None

    @property
    def trees(self) -> bool:
        """Two folders of sources are compared: there are no commits to be told."""
        return is_trees(self.upgrade)

    @property
    def repo(self) -> RepoReport:
        return self.report.repos[0]

    def file(self, language: str = "") -> str:
        return range_stem(self.upgrade) + self.ending(language or self.language)

    def commits_file(self, part: int) -> str:
        return f"{range_stem(self.upgrade)}.commits-{part}{self.ending(self.language)}"

    def data_file(self) -> str:
        return range_stem(self.upgrade) + ".json"

    def link(self, label: str, file: str) -> str:
        return f"[{label}]({url(file)})"

    def name(self, ref: Ref) -> str:
        return code(shown_name(ref))

    def place(self, ref: Ref) -> str:
        """A ref with its commit and date; a folder of sources has neither."""
        if self.trees:
            return self.name(ref)
        facts = [f"{ref.committed_at:%Y-%m-%d}"]
        if ref.sha and shown_name(ref) != ref.sha[:9]:
            facts.insert(0, commit_link(self.repo.repo, ref.sha))
        return self.name(ref) + self.note(*facts)

    def changes(self, net: Net) -> list[Change]:
        return [self.entries[sha].change for sha in net.commits if sha in self.entries]

    def refs(self, sha: str) -> str:
        """Pull request and commit; one that no entry tells by its commit alone. Two folders have neither."""
        if self.trees:
            return ""
        entry = self.entries.get(sha)
        return refs(self.repo.repo, entry.change) if entry else commit_link(self.repo.repo, sha)

    @property
    def end_release(self) -> str | None:
        """The end's name when it is a release: what names no other release is new in it."""
        name = self.upgrade.span.end.name
        return name if name in self.upgrade.span.released.values() else None

    def since(self, tag: str | None, *, always: bool = False) -> list[str]:
        """First release that holds a change; left unsaid when it is the end itself, which every line would repeat."""
        return [self.t("range.since", tag=code(tag))] if tag and (always or tag != self.end_release) else []

    def score(self, net: Net) -> float:
        """How much the change that decides weighs."""
        entry = self.entries.get(net.commits[-1]) if net.commits else None
        return entry.importance.score if entry else 0.0


def range_editions(report: RangeReport) -> tuple[RangeEdition, ...]:
    """One edition for each language, the main one first."""
    span, repo = report.span, as_repo(report)
    window = Window(span.start.committed_at, span.end.committed_at, "", range_label(report))
    day = Report(window, report.tool_version, report.languages, (repo,))
    entries = {e.change.sha: e for e in (*report.entries, *report.left_behind)}
    breaking = frozenset(sha for net in breaking_nets(report) for sha in net.commits)
    breaking |= {e.change.sha for e in judged(report)}
    undone = reverted(report)
    return tuple(
        RangeEdition(day, phrases(x, "report"), {}, None, report, entries, breaking, undone) for x in report.languages
    )


def as_repo(report: RangeReport) -> RepoReport:
    """The range seen as a repository's part of a day: what both pages show is then written once."""
    span = report.span
    return RepoReport(
        span.repo,
        None,
        span.end.sha,
        report.entries,
        report.left_behind,
        in_git=len(span.gained),
        skipped=skipped_of(report),
        grounding=report.grounding,
    )


def range_label(report: RangeReport) -> str:
    return f"{report.span.start.name}..{report.span.end.name}"


def range_stem(report: RangeReport) -> str:
    """OWNER-NAME-A..B; a name that no file can have is written with its commit, so that no two share a page."""
    name = re.sub(r"[^\w.-]+", "-", report.span.repo.name)
    return f"{name}-{_file_name(report.span.start)}..{_file_name(report.span.end)}"


def _file_name(ref: Ref) -> str:
    plain = re.sub(r"[^A-Za-z0-9_.+-]+", "-", ref.name)
    if plain == ref.name and len(plain) <= LONGEST_NAME and ".." not in plain:
        return plain
    return f"{plain.replace('..', '-').strip('.-')[:LONGEST_NAME]}-{ref.sha[:9]}".strip("-")


def shown_name(ref: Ref) -> str:
    """A full sha reads no better than its first digits."""
    return ref.name[:9] if _SHA.fullmatch(ref.name) else ref.name


def skipped_of(report: RangeReport) -> tuple[Skipped, ...]:
    """Of the report and of its span, each once."""
    return tuple(dict.fromkeys((*report.skipped, *report.span.skipped)))


def is_trees(report: RangeReport) -> bool:
    """Two folders of sources; only they have no address at all."""
    return not report.span.repo.url


def breaking_nets(report: RangeReport) -> tuple[Net, ...]:
    return tuple(net for net in report.nets if net.finding.breaking)


def judged(report: RangeReport) -> tuple[Entry, ...]:
    """Changes that break as a whole, though no finding names what, and that the range does not take back itself."""
    if is_trees(report):
        return ()
    undone = reverted(report)
    found = (e for e in report.entries if e.breaking and not any(f.breaking for f in e.reading.findings))
    return tuple(e for e in found if e.change.sha not in undone)


def reverted(report: RangeReport) -> frozenset[str]:
    """Changes that came and went within the range: the end has nothing of them."""
    kinds = {e.change.sha: e.kind for e in report.entries}
    return frozenset(o.fault for o in report.outages if o.fault in kinds and kinds.get(o.repair or "") == "revert")
