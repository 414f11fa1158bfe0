"""Questions about a repository's day and about the whole day, from statements that survived the checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.changes import Window
from daybreak.core.model.drafts import Case, Piece
from daybreak.core.model.links import commit_id
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Statement
from daybreak.judge.author_claims import is_claim
from daybreak.judge.message_refs import title
from daybreak.prose.evidence_split import LEAST, one_line
from daybreak.prose.merge_model_text import stays
from daybreak.prose.questions import Asker, Limits, Question, fitting, packed

MOST_OF_REPOSITORY = 3
MOST_OF_DAY = 7
_OF_ENTRY = {"high": 4, "medium": 2, "low": 1}
"""Statements of one change that the summaries are made from."""


class Told(Struct, frozen=True):
    """A statement that may be summed up, with where it belongs."""

    repo: str
    statement: Statement
    entry: Entry | None = None


def worth_summing_up(repo: RepoReport) -> list[Told]:
    """What the changes of a repository say, most important first; low ones are counted, not summed up."""
    ranked = sorted(repo.entries, key=lambda e: (-e.importance.score, e.change.sha))
    return [
        Told(repo.repo.name, statement, entry)
        for entry in ranked
        if entry.importance.level != "low" and not entry.change.filtered
        for statement in _few(entry)
    ]


def _few(entry: Entry) -> Iterable[Statement]:
    """Of the model before those of the rules, and of these no sentence that only tells size and place."""
    telling = [s for s in entry.statements if s.author == "model" or stays(entry, s)] or entry.statements[:1]
    ordered = sorted(telling, key=lambda s: (s.author != "model", s.role == "action"))
    return ordered[: _OF_ENTRY[entry.importance.level]]


def about_repository(asker: Asker, repo: RepoReport, told: Sequence[Told], limits: Limits) -> list[Question]:
    """One question, or several where there is too much for one."""
    counts = Counter(entry.importance.level for entry in repo.entries)
    names = {
        "count:1": str(len(repo.entries)),
        "count:2": str(counts["high"]),
        "count:3": str(sum(entry.breaking for entry in repo.entries)),
    }
    text = "commits {count:1}; of high importance {count:2}; breaking {count:3}"
    numbers = Piece("N1", f"repo:{repo.repo.name}", text, names)
    return _questions(asker, "repository", repo.repo.name, numbers, told, limits, MOST_OF_REPOSITORY)


def about_day(
    asker: Asker, repos: Sequence[RepoReport], told: Sequence[Told], window: Window, limits: Limits
) -> list[Question]:
    """The same for the day over all repositories."""
    entries = [entry for repo in repos for entry in repo.entries]
    names = {
        "count:1": str(len(entries)),
        "count:2": str(len(repos)),
        "count:3": str(sum(entry.breaking for entry in entries)),
    }
    numbers = Piece("N1", "window", "commits {count:1}; repositories {count:2}; breaking {count:3}", names)
    return _questions(asker, "day", window.label, numbers, told, limits, MOST_OF_DAY)


def _questions(
    asker: Asker, task: str, about: str, numbers: Piece, told: Sequence[Told], limits: Limits, most: int
) -> list[Question]:
    room = asker.room(task, about, limits)
    if room < 8 * LEAST or not told:
        return []
    changes = list(dict.fromkeys(one.entry.change.sha for one in told if one.entry is not None))
    pieces = [_piece(at, one, changes) for at, one in enumerate(told, start=1)]
    refs = {piece.ref: one for piece, one in zip(pieces, told, strict=True)}
    findings = tuple({f.id: f for one in told if one.entry is not None for f in one.entry.reading.findings}.values())
    fit = fitting(pieces, numbers, room)
    out = []
    for some in packed([numbers, *fit], numbers, room) if fit else ():
        context = "\n".join(_context(refs[piece.ref]) for piece in some if piece.ref in refs)
        case = Case(about, "" if task == "day" else about, tuple(some), findings, context)
        one = asker.question(task, case, limits, most, {"part": "", "depth": ""}, sections=task == "day")
        rests = {ref: (*told.statement.evidence, f"repo:{told.repo}") for ref, told in refs.items()}
        claims = {ref: told.statement for ref, told in refs.items() if is_claim(told.statement)}
        homes = {ref: told.repo for ref, told in refs.items()}
        out.append(replace(one, rests=rests, homes=homes, claims=claims))
    return out


def _piece(number: int, one: Told, changes: Sequence[str]) -> Piece:
    """A statement as evidence, under its project's name and with the name to use for its change."""
    label = f"{one.statement.role}{f', {one.statement.dimension}' if one.statement.dimension else ''}"
    text = f"`{one.repo}` {label}: {' | '.join(one.statement.text.values())}"
    if one.entry is None:
        return Piece(f"S{number}", one.statement.evidence[0], text)
    change = one.entry.change
    name = f"commit:{changes.index(change.sha) + 1}"
    return Piece(f"S{number}", commit_id(change.sha), text, {name: title(change)})


def _context(one: Told) -> str:
    change = one.entry.change if one.entry is not None else None
    subject = one_line(change.subject) if change is not None else ""
    return "\n".join((one.repo, subject, *one.statement.text.values()))
