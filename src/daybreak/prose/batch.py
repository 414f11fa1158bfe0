"""Batches: one cheap question about many changes below the grade, a sentence of each, held against its own change and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from daybreak.core.model.drafts import Case, Draft, Fate, Piece, Span, home_of
from daybreak.core.model.findings import Finding
from daybreak.core.model.items import Pull
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Side
from daybreak.core.text import plain
from daybreak.judge.change_kinds import is_front
from daybreak.prose.evidence_pieces import (
    LEAST,
    brief,
    context_of,
    holds,
    hunks,
    material,
    named_on,
    split_lines,
    tokens,
)
from daybreak.prose.frame import Frame
from daybreak.prose.prompt_files import told_pieces
from daybreak.prose.questions import Asker, Limits, Question, in_bins
from daybreak.prose.surroundings import Surroundings
from daybreak.prose.triage import touches_source

SENTENCES = 2
"""Of one change."""
_SAID, _DIFF = 240, 1300
"""Tokens of its message or of its pull request, and of its diff: enough for one true sentence."""
_FINDINGS = 3
_ANSWER = 180
"""Tokens of the answer that one change may need."""
_MARK = 2
"""Tokens that the mark of a change takes in an id."""
_FORGED = re.compile(r"^\[(?=C\d)", re.MULTILINE)
"""What would look like another change's evidence."""


def batches(
    asker: Asker, repo: str, some: Sequence[tuple[Entry, Pull | None]], limits: Limits, around: Surroundings | None
) -> tuple[list[Question], set[str]]:
    """As few questions as these changes need, the most important first; and the changes that no question has room for."""
    ordered = sorted(some, key=lambda one: (-one[0].importance.score, one[0].change.sha))
    cases = [_case(entry, repo, pull, around) for entry, pull in ordered if touches_source(entry.change)]
    room, most = asker.room("batch", repo, limits), max(1, limits.answer // _ANSWER)
    cut = [(case, shown) for case in cases if (shown := _within(case, room)) is not None]
    bins = in_bins([(shown, _size(shown)) for _, shown in cut], room, most)
    asked = {case.about for case, _ in cut}
    return [_question(asker, repo, own, limits) for own in bins], {one.about for one in cases if one.about not in asked}


def _size(case: Case) -> int:
    return tokens(told_pieces(case.pieces)) + _MARK * len(case.pieces)


def _within(case: Case, room: int) -> Case | None:
    """The change with as many of its pieces as fit, what is said of it first; None where no line of its diff does."""
    while _size(case) > room and case.pieces:
        case = replace(case, pieces=case.pieces[:-1])
    return case if any(piece.ref.startswith("D") for piece in case.pieces) else None


def _question(asker: Asker, repo: str, own: Sequence[Case], limits: Limits) -> Question:
    batch = {f"C{n}": case for n, case in enumerate(own, start=1)}
    pieces = [replace(piece, ref=f"{home}.{piece.ref}") for home, case in batch.items() for piece in case.pieces]
    case = Case(own[0].about, repo, tuple(pieces))
    return replace(asker.question("batch", case, limits, SENTENCES, {}), batch=batch)


def _case(entry: Entry, repo: str, pull: Pull | None, around: Surroundings | None) -> Case:
    """One change in a few pieces: what is said of it, its findings, and the first lines of its sources."""
    change, findings = entry.change, tuple(entry.reading.findings)
    seen = around.of(change, findings, elsewhere=False).change if around is not None else change
    sources = replace(seen, files=tuple(file for file in seen.files if is_front(file.path) and file.patch))
    found = material(replace(entry, change=sources), repo, pull, _DIFF - 2 * LEAST)
    said = [_begun(piece, entry) for piece in found.said if piece.ref in ("M1", "P1")]
    facts = [piece for piece in found.facts if piece.ref.startswith("F")][:_FINDINGS]
    pieces = (_alone(piece) for piece in (*said, *facts, *_first(found.diff, findings)))
    return Case(change.sha, repo, tuple(pieces), findings, context_of(change, pull))


def _begun(said: Piece, entry: Entry) -> Piece:
    """How a message or pull request begins, and what the rules hold for its most telling words."""
    source = "body" if said.ref == "M1" else "pull"
    text = said.text if source == "body" else said.text.partition("\n")[2].strip()  # without the title, told already
    begin = next(split_lines(text, _SAID))
    quotes = [quote.text for quote in (entry.gist.quotes if entry.gist else ()) if quote.source == source]
    beyond = [brief(text, 400) for text in quotes if plain(text) not in plain(begin)]
    return replace(said, text="\n".join((begin, *beyond[:1])))


def _first(diff: Sequence[Piece], findings: Sequence[Finding]) -> Iterator[Piece]:
    """The hunks that hold what findings found, then those that say most, as far as there is room, whole and in their order, each piece under its path: half of a hunk may say the
    contrary of all of it. Of the others the names.
    """
    every = [(at, hunk) for at, piece in enumerate(diff) for hunk in hunks(piece.text)]
    kept, left = set[int](), _DIFF
    told = [[(f.line, f.breaking) for f in findings if f.path in diff[at].names.values()] for at, _ in every]
    for n in sorted(range(len(every)), key=lambda n: (holds(every[n][1], told[n]), *_rank(every[n][1]))):
        cost = tokens(every[n][1]) + 1
        if cost <= left or not kept:
            kept.add(n)
            left -= cost
    for at, piece in enumerate(diff):
        own = [n for n, (place, _) in enumerate(every) if place == at]
        if shown := [every[n][1] for n in own if n in kept]:
            rest = ["(more of it is not shown)"] if len(shown) < len(own) else []
            yield replace(piece, text="\n".join((brief(next(iter(piece.names.values()), ""), 100), *shown, *rest)))
    hidden = [replace(diff[at], text=hunk) for n, (at, hunk) in enumerate(every) if n not in kept]
    if hidden:
        paths = dict.fromkeys(brief(path, 100) for piece in hidden for path in piece.names.values())
        yield Piece(
            "N2",
            diff[0].id,
            "; ".join(filter(None, (f"not shown: lines of {', '.join([*paths][:_PATHS])}", named_on(hidden, _NAMED)))),
        )


_NAMED, _PATHS = 12, 4
_SWITCH = re.compile(r"environ|getenv|add_argument|--[a-z][a-z0-9]*-|\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+){2,}\b")


def _rank(hunk: str) -> tuple[bool, int]:
    """A switch that comes or goes says for whom all of it is; then whatever changes most lines."""
    changed = [line for line in hunk.split("\n") if line[:1] in ("+", "-")]
    return not any(_SWITCH.search(line[:400]) for line in changed), -len(changed)


def _alone(piece: Piece) -> Piece:
    """Without names in braces, which would be another change's too, and with no mark but its own."""
    text = piece.text
    for name, value in piece.names.items():
        text = text.replace(f"{{{name}}}", brief(value, 100))
    return Piece(piece.ref, piece.id, _FORGED.sub("(", text))


class Frames:
    """The frames of a question: a sentence is held against the change whose lines it cites, and speaks of no other."""

    def __init__(self, question: Question) -> None:
        self._frames: Mapping[str, Frame] = {home: Frame(case) for home, case in question.cases.items()}

    def fate(self, draft: Draft) -> Fate:
        frame, cited = self._frames.get(draft.home), draft.cited
        if frame is None:
            return Fate(draft, None, "unknown_evidence" if cited else "no_evidence", ", ".join(cited)[:40])
        if other := next((ref for ref in cited if home_of(ref) != draft.home), ""):
            return Fate(draft, None, "several_changes", other[:40])
        return replace(frame.fate(apart(draft)), draft=draft)

    def side_of(self, span: Span) -> Side | None:
        """The side that a line stands on in the piece it names."""
        frame = self._frames.get(home_of(span.ref))
        return frame.side_of(_local(span)) if frame is not None else None


def apart(draft: Draft) -> Draft:
    """The sentence as if its change were asked about alone."""
    return replace(draft, spans=tuple(map(_local, draft.spans)))


def _local(span: Span) -> Span:
    return replace(span, ref=span.ref.rpartition(".")[2])
