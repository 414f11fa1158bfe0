"""What a report says, as rows: its stories, its statements and what became of them, from its values or from its JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec
from msgspec import Struct

from daybreak.core.model.report import Report, Story
from daybreak.core.model.statements import Statement
from daybreak.store.rows import Values, as_json, iso

KEPT = "kept"


class _Span(Struct, frozen=True, rename={"start": "from", "end": "to"}):
    start: datetime
    end: datetime


class _Story(Struct, frozen=True):
    id: str
    kind: str
    commits: tuple[str, ...]
    net: dict[str, str] = {}
    broken: _Span | None = None
    earlier: dict[str, datetime] = {}


class _Statement(Struct, frozen=True):
    role: str
    text: dict[str, str]
    evidence: tuple[str, ...] = ()
    dimension: str | None = None
    author: str = "rules"


class _Entry(Struct, frozen=True):
    sha: str
    statements: tuple[_Statement, ...] = ()


class _Grounding(Struct, frozen=True):
    kept: int = 0
    by_reason: dict[str, int] = {}


class _Repo(Struct, frozen=True):
    name: str
    commits: tuple[_Entry, ...] = ()
    late: tuple[_Entry, ...] = ()
    stories: tuple[_Story, ...] = ()
    assessment: tuple[_Statement, ...] = ()
    grounding: _Grounding = _Grounding()


class Told(Struct, frozen=True):
    """The part of a report that becomes rows."""

    repos: tuple[_Repo, ...] = ()
    summary: tuple[_Statement, ...] = ()
    conclusion: tuple[_Statement, ...] = ()
    grounding: _Grounding = _Grounding()


_DECODER = msgspec.json.Decoder(Told)
"""Made once, before there are threads: two that find out about a type at the same time crash msgspec."""


def from_data(data: bytes) -> Told:
    """What the JSON of a day tells; nothing when it has another form than that of this version."""
    try:
        return _DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return Told()


def told_rows(told: Told) -> list[list[Values]]:
    """Rows of stories, of statements and of verdicts."""
    return [list(rows(told)) for rows in (_stories, _statements, _verdicts)]


def report_rows(report: Report) -> list[list[Values]]:
    """The same from the values that the JSON is made of."""
    return told_rows(
        Told(
            repos=tuple(
                _Repo(
                    name=part.repo.name,
                    commits=tuple(_Entry(e.change.sha, _said(e.statements)) for e in part.entries),
                    late=tuple(_Entry(e.change.sha, _said(e.statements)) for e in part.late),
                    stories=tuple(_story(one) for one in part.stories),
                    assessment=_said(part.assessment),
                    grounding=_Grounding(part.grounding.kept, dict(part.grounding.by_reason)),
                )
                for part in report.repos
            ),
            summary=_said(report.summary),
            conclusion=_said(report.conclusion),
            grounding=_Grounding(report.grounding.kept, dict(report.grounding.by_reason)),
        )
    )


def _said(statements: Sequence[Statement]) -> tuple[_Statement, ...]:
    return tuple(_Statement(s.role, dict(s.text), s.evidence, s.dimension, s.author) for s in statements)


def _story(story: Story) -> _Story:
    broken = _Span(*story.broken) if story.broken else None
    return _Story(story.id, story.kind, story.commits, dict(story.net), broken, dict(story.earlier))


def _stories(told: Told) -> Iterator[Values]:
    for part in told.repos:
        for one in part.stories:
            span = (iso(one.broken.start), iso(one.broken.end)) if one.broken else (None, None)
            earlier = {sha: iso(moment) for sha, moment in one.earlier.items()}
            yield (part.name, one.id, one.kind, *span, as_json(one.commits), as_json(earlier), as_json(one.net))


def _statements(told: Told) -> Iterator[Values]:
    for place, statements in (("summary", told.summary), ("conclusion", told.conclusion)):
        yield from (_statement("", "", place, one) for one in statements)
    for part in told.repos:
        yield from (_statement(part.name, "", "assessment", one) for one in part.assessment)
        for entry in (*part.commits, *part.late):
            yield from (_statement(part.name, entry.sha, "entry", one) for one in entry.statements)


def _statement(repo: str, sha: str, place: str, one: _Statement) -> Values:
    return (repo, sha, place, one.role, one.dimension, one.author, as_json(one.text), as_json(one.evidence))


def _verdicts(told: Told) -> Iterator[Values]:
    for repo, grounding in (("", told.grounding), *((part.name, part.grounding) for part in told.repos)):
        yield (repo, KEPT, grounding.kept)
        yield from ((repo, reason, count) for reason, count in sorted(grounding.by_reason.items()))
