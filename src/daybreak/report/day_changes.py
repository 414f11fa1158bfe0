"""Changes of the reported day: what was read, graded and said of each commit, as its report has it."""

from __future__ import annotations

from collections.abc import Iterable

from daybreak.core.model import day
from daybreak.core.model.changes import Change, FileChange, Skipped
from daybreak.core.model.findings import Finding, Hunk
from daybreak.core.model.report import Entry, RepoReport, Story
from daybreak.core.model.statements import Grounding, Importance, Statement
from daybreak.report.render.escape import showable


def statements_of(statements: Iterable[Statement]) -> tuple[day.Statement, ...]:
    return tuple(
        day.Statement(role=s.role, dimension=s.dimension, text=s.text, evidence=s.evidence, author=s.author)
        for s in statements
    )


def skipped_of(skipped: Iterable[Skipped]) -> tuple[day.Skipped, ...]:
    return tuple(day.Skipped(one.what, one.reason) for one in skipped)


def grounding_of(grounding: Grounding) -> day.Grounding:
    reasons = dict(sorted(grounding.by_reason.items()))
    return day.Grounding(grounding.statements, grounding.kept, grounding.dropped, reasons)


def commit_of(repo: RepoReport, entry: Entry) -> day.Commit:
    """One entry of a repository's report."""
    change = entry.change
    return day.Commit(
        sha=change.sha,
        url=repo.repo.commit_url(change.sha),
        subject=change.subject,
        body=change.body,
        author=change.author,
        committed_at=change.committed_at,
        authored_at=change.authored_at,
        pr=_pull(repo, change),
        files=tuple(_file(file) for file in change.files),
        files_total=change.files_total,
        added=change.added,
        deleted=change.deleted,
        merged=change.merged,
        empty=change.empty,
        filtered=change.filtered,
        kind=entry.kind,
        importance=_importance(entry.importance),
        breaking=entry.breaking,
        findings=tuple(finding_of(finding) for finding in entry.reading.findings),
        components=entry.reading.components,
        hunks=tuple(_hunk(hunk) for hunk in entry.reading.hunks),
        released=entry.released,
        story=entry.story,
        statements=statements_of(entry.statements),
        skipped=change.skipped,
    )


def _pull(repo: RepoReport, change: Change) -> day.PullRef | None:
    return day.PullRef(change.pr, repo.repo.pull_url(change.pr)) if change.pr else None


def _importance(grade: Importance) -> day.Importance:
    return day.Importance(grade.level, grade.score, tuple(day.Reason(r.code, r.text) for r in grade.reasons))


def _file(file: FileChange) -> day.File:
    return day.File(
        path=file.path,
        old_path=file.old_path,
        status=file.status,
        added=file.added,
        deleted=file.deleted,
        binary=file.binary,
        skipped=file.skipped or None,
    )


def finding_of(finding: Finding) -> day.Finding:
    """A finding as reports have it."""
    alias = finding.alias
    return day.Finding(
        id=finding.id,
        kind=finding.kind,
        path=finding.path,
        line=finding.line,
        symbol=finding.symbol,
        before=finding.before,
        after=finding.after,
        breaking=finding.breaking,
        alias=day.Alias(alias.status, alias.where) if alias else None,
        effective=day.Effective(finding.effective) if finding.effective else None,
    )


def _hunk(hunk: Hunk) -> day.Hunk:
    """Verbatim; one that could turn a reader's screen around is named and not shown."""
    text = hunk.text.replace("\r\n", "\n").rstrip("\r\n")
    return day.Hunk(hunk.path, text if showable(hunk.text) else None)


def story_of(story: Story) -> day.Story:
    broken = day.Span(*story.broken) if story.broken else None
    return day.Story(story.id, story.kind, story.commits, story.net, broken, story.earlier)
