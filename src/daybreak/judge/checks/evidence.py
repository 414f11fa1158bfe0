"""Everything the facts say, by evidence id, as plain text that statements are held against.

A text is made when it is first asked for: most ids of a day are never cited, and patches are large.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from daybreak.core.model.changes import Change, FileChange, Window
from daybreak.core.model.findings import Area, Finding
from daybreak.core.model.report import Entry, RepoReport, Story
from daybreak.core.model.statements import Level
from daybreak.core.text import plain
from daybreak.core.versions import shut_out
from daybreak.judge.as_typed import as_typed
from daybreak.judge.changed_lines import alike_in
from daybreak.judge.refused import listed_values
from daybreak.judge.releases import cut_facts
from daybreak.judge.replacements import witnesses
from daybreak.judge.robots import is_routine

_UNSEEN: frozenset[Area] = frozenset({"ci", "test", "docs"})
_LEVELS: tuple[Level, ...] = ("high", "medium", "low")


class FactEvidence(Mapping[str, str]):
    """Evidence id → text, each made once."""

    def __init__(self, makers: Mapping[str, Callable[[], str]]) -> None:
        self._makers = dict(makers)
        self._made: dict[str, str] = {}

    def __getitem__(self, key: str) -> str:
        if key not in self._made:
            self._made[key] = plain(self._makers[key]())
        return self._made[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def __contains__(self, key: object) -> bool:
        return key in self._makers

    def merged(self, other: FactEvidence) -> FactEvidence:
        """This evidence and some more."""
        return FactEvidence({**self._makers, **other._makers})


def repository_evidence(report: RepoReport) -> FactEvidence:
    """All evidence of one repository's day: its counts, commits, files, findings and stories."""
    makers: dict[str, Callable[[], str]] = {f"repo:{report.repo.name}": partial(_repository, report)}
    for entry in (*report.entries, *report.late):
        makers.update(_of_entry(report, entry))
    for story in report.stories:
        makers[f"story:{story.id}"] = partial(_story, story, report)
    return FactEvidence(makers)


def day_evidence(reports: Sequence[RepoReport], window: Window) -> FactEvidence:
    """All evidence of the day: every repository's, and the counts over all of them."""
    out = FactEvidence({"window": partial(_window, reports, window)})
    for report in reports:
        out = out.merged(repository_evidence(report))
    return out


def _of_entry(report: RepoReport, entry: Entry) -> dict[str, Callable[[], str]]:
    change = entry.change
    makers: dict[str, Callable[[], str]] = {f"commit:{change.sha}": partial(_commit, report, entry)}
    for file in change.files:
        makers[f"file:{change.sha}:{file.path}"] = partial(_file, file)
    for finding in entry.reading.findings:
        makers[f"finding:{finding.id}"] = partial(_finding, finding)
    return makers


def _commit(report: RepoReport, entry: Entry) -> str:
    """Message, paths, counts, and what was read of it; of the patch, which has ids of its own, no more than is quoted."""
    change = entry.change
    parts = [change.subject, change.body, change.author, change.skipped or ""]
    parts += [f"files {change.files_total}", f"+{change.added} −{change.deleted}", f"merged {len(change.merged)}"]
    parts += [f"read {len(change.files)}", _unread(change), _limits(entry), f"PR #{change.pr}" if change.pr else ""]
    parts += [f"{f.path} +{f.added} −{f.deleted} {f.old_path or ''}" for f in change.files]
    parts += [*entry.reading.components, entry.kind, entry.importance.level, entry.released or "", entry.after or ""]
    parts += [f"{area} {count}" for area, count in entry.reading.areas.items()]
    if (found := entry.exposure) is not None:
        parts += [found.release, *found.candidates, found.cause or "", found.pin, found.lost]
        parts += [*found.needs, *found.foreign, *(one.version for one in found.taken)]
    parts += [quote.text for quote in entry.gist.quotes] if entry.gist else []
    lines = entry.gist is not None and any(quote.source == "line" for quote in entry.gist.quotes)
    parts += [f"alike {count}" for count in alike_in(change)] if lines else []
    parts += [cut_facts(report, entry), *(one.quote.text for one in entry.announced)]
    parts += witnesses(change, entry.reading.findings)
    parts += [value for one in entry.reading.findings for value in listed_values(change, one.after or "")]
    parts += [f"more {count}" for count in range(1, len(entry.reading.findings))]
    return "\n".join(parts)


def _limits(entry: Entry) -> str:
    return f"partly {entry.reading.partly} omitted {entry.reading.omitted}"


def _unread(change: Change) -> str:
    cut = sum(f.patch_cut for f in change.files)
    lost = sum(f.skipped is not None for f in change.files)
    return f"cut {cut} unread {lost}"


def _file(file: FileChange) -> str:
    """Its lines without their signs: a text that is written over two of them can be quoted as one."""
    lines = "\n".join(line[1:] if line[:1] in ("+", "-", " ") else line for line in file.patch.split("\n"))
    return f"{file.path}\n{file.old_path or ''}\n+{file.added} −{file.deleted}\n{lines}"


def _finding(finding: Finding) -> str:
    """Every text that the finding holds: a sentence may quote any of them."""
    where, typed = finding.alias.where if finding.alias else None, as_typed(finding)
    shut = shut_out(finding.before or "", finding.after or "")
    values = (
        *(finding.path, finding.symbol, *finding.symbol.split(":"), finding.before, finding.after, finding.released),
        *(where, finding.effective, finding.default, finding.under, shut, typed and typed.text),
    )
    return "\n".join((finding.kind, str(finding.line), *(_quotable(value) for value in values if value is not None)))


def _quotable(text: str) -> str:
    """As sentences quote it: of what cannot be seen, a question mark."""
    return text if plain(text) else "?"


def _story(story: Story, report: RepoReport) -> str:
    """Net state, the subjects of its changes, and since when and until when main was at fault."""
    entries = (report.find(sha) for sha in story.commits)
    times = (moment.strftime("%Y-%m-%d %H:%M") for moment in (*story.earlier.values(), *(story.broken or ())))
    return "\n".join((story.kind, *story.net.values(), *(e.change.subject for e in entries if e), *times))


def _counts(entries: Iterable[Entry]) -> list[str]:
    found = list(entries)
    levels = Counter(e.importance.level for e in found)
    kinds = Counter(e.kind for e in found)
    unseen = sum(bool(e.reading.areas) and set(e.reading.areas) <= _UNSEEN for e in found)
    out = [f"commits {len(found)}", f"breaking {sum(e.breaking for e in found)}", f"unseen {unseen}"]
    out += [f"{level} {levels[level]}" for level in _LEVELS]
    return out + [f"{kind} {count}" for kind, count in kinds.items()]


def _repository(report: RepoReport) -> str:
    parts = [report.repo.name, report.branch or "", f"late {len(report.late)}", f"in git {report.in_git}"]
    parts += [f"stories {kind} {count}" for kind, count in Counter(s.kind for s in report.stories).items()]
    parts += [f"reverted {sum(s.kind == 'revert' and not s.cancels for s in report.stories)}"]
    parts += [f"robots {sum(is_routine(e.change, e.reading) for e in report.entries)}"]
    parts += [f"skipped {len(report.skipped)}", *_counts(report.entries)]
    parts += [
        *{e.after: None for e in report.entries if e.after},
        *(p for e in report.entries for p in e.reading.components),
    ]
    return "\n".join(parts)


def _window(reports: Sequence[RepoReport], window: Window) -> str:
    entries = [e for r in reports for e in r.entries]
    stories = Counter(s.kind for r in reports for s in r.stories)
    active = sorted((r for r in reports if r.entries), key=_rank)
    parts = [window.label, window.timezone, f"repositories {len(reports)}", f"with commits {len(active)}"]
    parts += [*(r.repo.name for r in reports), *(p for e in entries for p in e.reading.components)]
    parts += [f"stories {kind} {count}" for kind, count in stories.items()]
    parts += [f"reverted {sum(s.kind == 'revert' and not s.cancels for r in reports for s in r.stories)}"]
    lost = sum(len(r.skipped) for r in reports) + sum(e.change.skipped is not None for e in entries)
    parts += [f"skipped {lost}", *_counts(entries)]
    for at in range(len(active)):
        parts.append(f"rest {len(active) - at} with {sum(len(r.entries) for r in active[at:])}")
    return "\n".join(parts)


def _rank(report: RepoReport) -> tuple[float, str]:
    return (-max(e.importance.score for e in report.entries), report.repo.name)
