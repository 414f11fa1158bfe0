"""Changes of the reported day: what was read, graded and said of each commit, as its report has it."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any, TypeVar

from msgspec import convert

from daybreak.core.model import day
from daybreak.core.model.changes import Skipped
from daybreak.core.model.day_fields import Part
from daybreak.core.model.findings import Finding, Hunk
from daybreak.core.model.report import Entry, RepoReport, Story
from daybreak.core.model.statements import Grounding, Statement
from daybreak.report.render.escape import showable

Made = TypeVar("Made", bound=Part)


def part_of(kind: type[Made], /, *sources: object, **own: Any) -> Made:
    """A part of the day: fields as given here, all others as the first source has them that knows the name.

    What stands in a source is made a part of the day by the names of its own fields.
    """
    for name in kind.__struct_fields__:
        source = next((one for one in sources if hasattr(one, name)), None)
        if name not in own and source is not None:
            own[name] = getattr(source, name)
    return convert(SimpleNamespace(**own), kind, from_attributes=True)


def statements_of(statements: Iterable[Statement]) -> tuple[day.Statement, ...]:
    return convert(tuple(statements), tuple[day.Statement, ...], from_attributes=True)


def skipped_of(skipped: Iterable[Skipped]) -> tuple[day.Skipped, ...]:
    return convert(tuple(skipped), tuple[day.Skipped, ...], from_attributes=True)


def grounding_of(grounding: Grounding) -> day.Grounding:
    return part_of(day.Grounding, grounding, by_reason=dict(sorted(grounding.by_reason.items())))


def commit_of(repo: RepoReport, entry: Entry) -> day.Commit:
    """One entry of a repository's report."""
    change, address = entry.change, repo.repo
    return part_of(
        day.Commit,
        change,
        entry,
        url=address.commit_url(change.sha),
        pr=day.PullRef(change.pr, address.pull_url(change.pr)) if change.pr else None,
        findings=tuple(finding_of(finding) for finding in entry.reading.findings),
        components=entry.reading.components,
        hunks=tuple(_hunk(hunk) for hunk in entry.reading.hunks),
    )


def finding_of(finding: Finding) -> day.Finding:
    """A finding as reports have it."""
    return part_of(day.Finding, finding, effective=day.Effective(finding.effective) if finding.effective else None)


def _hunk(hunk: Hunk) -> day.Hunk:
    """Verbatim; one that could turn a reader's screen around is named and not shown."""
    text = hunk.text.replace("\r\n", "\n").rstrip("\r\n")
    return day.Hunk(hunk.path, text if showable(hunk.text) else None)


def story_of(story: Story) -> day.Story:
    return part_of(day.Story, story, broken=day.Span(*story.broken) if story.broken else None)
