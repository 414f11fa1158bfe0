"""Questions about a repository's day, a day and a span of days, from statements that survived the checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.changes import Window
from daybreak.core.model.drafts import Case, Piece
from daybreak.core.model.links import commit_id
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.rollup import Rollup, by_change
from daybreak.core.model.statements import Statement
from daybreak.judge.measured_claims import is_claim
from daybreak.judge.undone import undone_later
from daybreak.prose.evidence_pieces import one_line, tokens
from daybreak.prose.form import SECTIONS_OF
from daybreak.prose.merge_model_text import whole
from daybreak.prose.prompt_files import told_pieces
from daybreak.prose.questions import ACROSS, Asker, Limits, Question

MOST_OF_REPOSITORY = 5
MOST_OF_DAY = 8
_MOST_THREADS = 4


class Told(Struct, frozen=True):
    """A statement that may be summed up, with where it belongs."""

    repo: str
    statement: Statement
    entry: Entry | None = None
    thread: bool = False
    """It runs over several days."""
    leads: bool = False
    """It is of the first change of the screen."""
    mark: str = ""
    """What it is in the sum of a week or a month."""


def threads(repo: RepoReport) -> list[Told]:
    """Where what runs over several days stands now, of changes that are worth summing up."""
    wanted = {entry.change.sha for entry in repo.entries if entry.importance.level != "low"}
    found = [story for story in repo.stories if story.earlier and wanted & set(story.commits)]
    return [Told(repo.repo.name, Statement("what", one.net, (f"story:{one.id}",)), thread=True) for one in found][
        :_MOST_THREADS
    ]


def worth_summing_up(repo: RepoReport) -> list[Told]:
    """What the changes of a repository say, most important first; low ones are counted, not summed up."""
    ranked = sorted(repo.entries, key=lambda e: (-e.importance.score, e.change.sha))
    undone = undone_later([entry.change for entry in repo.entries])
    wanted = (entry for entry in ranked if entry.importance.level != "low" and not entry.change.filtered)
    changes = [entry for entry in wanted if entry.change.sha not in undone]
    told = [Told(repo.repo.name, one, entry) for entry in changes if (one := whole(entry)) is not None]
    return [*told, *threads(repo)] if told else []


def about_repository(asker: Asker, repo: RepoReport, told: Sequence[Told], limits: Limits) -> Question | None:
    """What matters of its changes, with how many there are."""
    counts = Counter(entry.importance.level for entry in repo.entries)
    breaking = sum(entry.breaking for entry in repo.entries)
    names = {"count:1": str(len(repo.entries)), "count:2": str(counts["high"]), "count:3": str(breaking)}
    text = "commits {count:1}; of high importance {count:2}; breaking {count:3}"
    numbers = Piece("N1", f"repo:{repo.repo.name}", text, names)
    return _question(asker, "repository", repo.repo.name, numbers, told, limits, MOST_OF_REPOSITORY)


def about_day(
    asker: Asker, repos: Sequence[RepoReport], told: Sequence[Told], window: Window, limits: Limits
) -> Question | None:
    """The same for the day over all repositories."""
    entries = [entry for repo in repos for entry in repo.entries]
    breaking = sum(entry.breaking for entry in entries)
    names = {"count:1": str(len(entries)), "count:2": str(len(repos)), "count:3": str(breaking)}
    numbers = Piece("N1", "window", "commits {count:1}; repositories {count:2}; breaking {count:3}", names)
    return _question(asker, "day", window.label, numbers, told, limits, MOST_OF_DAY)


def about_span(asker: Asker, span: Rollup, told: Sequence[Told], limits: Limits) -> Question | None:
    """The same for what holds at the end of a week or a month."""
    names = {"count:1": str(span.commits), "count:2": str(len(span.repos)), "count:3": str(len(by_change(span.breaks)))}
    numbers = Piece("N1", "window", "commits {count:1}; repositories {count:2}; breaking and standing {count:3}", names)
    return _question(asker, "span", span.label, numbers, told, limits, MOST_OF_DAY)


def _question(
    asker: Asker, task: str, about: str, numbers: Piece, told: Sequence[Told], limits: Limits, most: int
) -> Question | None:
    """With the first of the statements that there is room for: one, unlike a diff, cannot be cut. None where none fits."""
    left = asker.room(task, about, limits) - tokens(told_pieces([numbers]))
    some: dict[str, tuple[Piece, Told]] = {}
    for at, one in enumerate(told, start=1):
        piece = _piece(at, one)
        cost = tokens(told_pieces([piece])) + 1
        if cost <= left:
            some[piece.ref] = piece, one
            left -= cost
    if not some:
        return None
    pieces, shown = [piece for piece, _ in some.values()], [one for _, one in some.values()]
    findings = {f.id: f for one in shown if one.entry is not None for f in one.entry.reading.findings}
    context = "\n".join(map(_context, shown))
    case = Case(about, about if task == "repository" else "", (numbers, *pieces), tuple(findings.values()), context)
    several = len({one.repo for one in shown}) > 1
    sections = tuple(name for name in SECTIONS_OF.get(task, ()) if several or name != "across")
    values = {"part": "", "depth": "", "across": ACROSS if several else ""}
    return replace(
        asker.question(task, case, limits, most, values, sections),
        rests={ref: (*one.statement.evidence, f"repo:{one.repo}") for ref, (_, one) in some.items()},
        claims={ref: one.statement for ref, (_, one) in some.items() if is_claim(one.statement)},
        proofs={ref: one.statement.proof for ref, (_, one) in some.items()},
        homes={ref: one.repo for ref, (_, one) in some.items()},
    )


def _piece(number: int, one: Told) -> Piece:
    """A statement as evidence, under its project's name; in one language, since both say the same."""
    said = one.statement.text
    text = f"`{one.repo}` {_label(one)}: {said.get('en') or next(iter(said.values()))}"
    evidence = one.statement.evidence[0] if one.entry is None else commit_id(one.entry.change.sha)
    return Piece(f"S{number}", evidence, text)


def _label(one: Told) -> str:
    """What the statement is, and of a change that a model read, how bad it is and whom it hits."""
    read = one.entry.by_model if one.entry is not None else None
    marks = (
        "leads" if one.leads else "",
        one.mark or ("thread" if one.thread else one.statement.role),
        read and read.shown is not False and read.severity,
        read and read.hit,
    )
    return ", ".join(mark.replace("_", " ") for mark in marks if mark)


def _context(one: Told) -> str:
    change = one.entry.change if one.entry is not None else None
    subject = one_line(change.subject) if change is not None else ""
    return "\n".join((one.repo, subject, *one.statement.text.values()))
