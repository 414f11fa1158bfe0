"""Questions about one change: its evidence packed into prompts that fit the model, and the form of the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from daybreak.core.model.drafts import Case, Draft, Fate, Piece, home_of
from daybreak.core.model.items import Pull
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Level, Proof, Statement
from daybreak.prose.evidence_pieces import (
    LEAST,
    OTHERS,
    Material,
    brief,
    context_of,
    in_one_view,
    material,
    one_line,
    tokens,
)
from daybreak.prose.form import change_form, statements_form
from daybreak.prose.llm import Prompt
from daybreak.prose.plain_sentence import REASONS
from daybreak.prose.prompt_files import fence_of, in_languages, prompt_file, told_pieces
from daybreak.prose.surroundings import Surroundings

# --- Questions about one change: its evidence packed into prompts that fit the model, every part of it in one of them ---

SMALL = 1500
"""Tokens of a prompt below which nothing is weighed or told beside others."""
_WHOLE = 2500  # below it the question about a change is put in few words: the whole form would leave no room
_SMALL_FENCE = 6
_LARGEST_PIECE = 3000
_LARGEST_PROMPT = 48_000
"""Beyond this, models read the middle of a prompt badly."""
_MARGIN = 16
"""Tokens that a server adds around a prompt: marks of who speaks."""
MOST: dict[Level, int] = {"high": 6, "medium": 4, "low": 2}
"""Statements of one change."""
_DEPTH: dict[Level, str] = {
    "high": "It may hit many: tell trouble, change, who, and what to do, as far as there is evidence.",
    "medium": "Be brief: the whole, what to do, the cause or whom else it hits.",
    "low": "One or two sentences.",
}


ACROSS = """ across (what changes of two or more projects have to do with each other: it must
   rest on statements of at least two projects, and say what joins them; mostly there is none),"""
_LOW = 6_000
"""Tokens of evidence about a change of low importance that a look brought up: its most telling part is read, and no other."""


class Limits(Struct, frozen=True):
    """What a prompt and an answer may have."""

    prompt: int = 16_000
    answer: int = 2_000
    parts: int = 0
    """Questions that the parts of one change may take; 0: as many as it needs."""

    @classmethod
    def within(cls, context: int, parts: int = 0) -> Limits:
        """For a model whose prompt and answer have so many tokens together; 0: unknown."""
        if not context:
            return cls(parts=parts)
        answer = min(cls().answer, context // 3)
        return cls(min(context - answer, _LARGEST_PROMPT), answer, parts)

    @property
    def small(self) -> bool:
        return self.prompt < SMALL

    @property
    def short(self) -> bool:
        """Too little for the whole form of a change."""
        return self.prompt < _WHOLE

    def halved(self) -> Limits | None:
        """For a model that takes less than it was said to; None when less makes no sense."""
        return replace(self, prompt=self.prompt // 2) if self.prompt >= 2 * 200 else None


class Question(Struct, frozen=True):
    """One prompt with all that its answer is held against."""

    case: Case
    prompt: Prompt
    most: int
    """Statements that are taken from the answer."""
    small: bool = False
    rests: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Id of a piece that is itself a statement -> the evidence which that one rests on."""
    homes: Mapping[str, str] = field(default_factory=dict)
    """Id of such a piece -> the repository it speaks of."""
    claims: Mapping[str, Statement] = field(default_factory=dict)
    """Id of such a piece -> the statement itself, where it tells an author's numbers."""
    proofs: Mapping[str, tuple[Proof, ...]] = field(default_factory=dict)
    """Id of such a piece -> the lines that it rests on."""
    batch: Mapping[str, Case] = field(default_factory=dict)
    """Of a question about several changes: the mark that ids of a change begin with -> what it is held against."""

    @property
    def cases(self) -> Mapping[str, Case]:
        return self.batch or {"": self.case}


class Standing(Struct, frozen=True):
    """A statement that the checks let stand, with the draft it was made from."""

    statement: Statement
    draft: Draft
    section: str = ""
    at: int = 0
    """Its place in the answer, or that of the sentence which it mends."""
    lead: bool = False
    """It begins what is said of its change, and so tells the whole of it."""


class Asking(Struct, frozen=True):
    """All that is asked about one change, and how much of it no question has room for."""

    questions: tuple[Question, ...]
    unread: int = 0
    """Pieces of evidence beyond the parts that may be asked."""


class Asker(Struct, frozen=True):
    """Makes prompts in these languages."""

    languages: tuple[str, ...]

    def about_change(
        self, entry: Entry, repo: str, pull: Pull | None, limits: Limits, around: Surroundings | None = None
    ) -> Asking:
        """The questions that together show all evidence of a change, the most telling part first."""
        elsewhere, released, context = "", "", context_of(entry.change, pull)
        if around is not None and not limits.short:
            seen = around.of(entry.change, entry.reading.findings)
            released = around.in_release(entry)
            entry, elsewhere = replace(entry, change=seen.change), seen.elsewhere
        task = "change_small" if limits.short else "change"
        level: Level = entry.importance.level
        room = self.room(task, repo, limits)
        if level == "low" and not limits.short:
            room, limits = min(room, _LOW), replace(limits, parts=1)
        found = material(entry, repo, pull, max(LEAST, min(room // 2 - 12, _LARGEST_PIECE)), elsewhere, released)
        bins = packed(_first(found, limits.short), found.title, room)
        if len(bins) > 1 and room > 2 * OTHERS:
            bins = in_one_view(packed(_first(found, limits.short), found.title, room - OTHERS), found.title.id)
        kept = bins[: limits.parts] if limits.parts else bins
        unread = sum(len(one) for one in bins[len(kept) :])
        findings = entry.reading.findings
        questions = []
        for at, pieces in enumerate(kept, start=1):
            case = Case(entry.change.sha, repo, tuple(pieces), tuple(findings), context)
            part = f"The commit is large: this is part {at} of {len(bins)} of it.\n" if len(bins) > 1 else ""
            values = {"part": part, "depth": _DEPTH[level]}
            questions.append(self.question(task, case, limits, 1 if limits.short else MOST[level], values))
        return Asking(tuple(questions), unread)

    def question(
        self, task: str, case: Case, limits: Limits, most: int, values: Mapping[str, str], sections: Sequence[str] = ()
    ) -> Question:
        """One prompt about a case."""
        evidence = told_pieces(case.pieces)
        fence = fence_of(evidence, _SMALL_FENCE if limits.short else 12)
        given = {"evidence": evidence, "fence": fence, "most": str(most), **values}
        system, user = prompt_file(task).fill({**self._values(case.repo, limits.short), **given})
        if (several := task == "batch") or task.startswith("change"):
            refs = [piece.ref for piece in case.pieces]
            form = change_form(self.languages, refs, most, small=limits.short, several=several)
        else:
            form = statements_form(self.languages, sections)
        prompt = Prompt(task, prompt_file(task).version, system, user, form, limits.answer)
        return Question(case, prompt, most, limits.short)

    def again(self, question: Question, refused: Sequence[Fate], limits: Limits) -> Question | None:
        """The question with what a check refused and why, no larger than the first may be; None when there is no room.

        What was refused needs room first, then the pieces that it cites, what its writer needs beside them, title and findings;
        nothing else is sent again.
        """
        file = prompt_file("repair_small" if question.small else "repair")
        cited = {ref for fate in refused for ref in fate.draft.cited}
        beside = titles_of(cited) | {ref for fate in refused for ref in fate.at}
        beside |= findings_of(question.case, cited) if not question.small else set()
        titles = [piece for piece in question.case.pieces if piece.ref in beside - cited]
        shown = [piece for piece in question.case.pieces if piece.ref in cited]
        ordered = [*shown, *titles] or list(question.case.pieces[:1])
        system = question.prompt.system
        if file.system and not question.rests:
            fence = fence_of(told_pieces(question.case.pieces))
            system, _ = file.fill({**self._values(question.case.repo, small=False), "fence": fence, "refused": ""})
        room = limits.prompt - _MARGIN - tokens(system) - tokens(file.user) - 1
        lines = self._refusals(refused, room - tokens(_showing(question, ordered[:1])), small=question.small)
        if not lines:
            return None
        more = replace(file, system="").fill({"refused": "\n".join(lines)})[1]
        user = _as_many(question, ordered, room - sum(tokens(line) + 1 for line in lines))
        task, version = f"{question.prompt.task}+{file.task}", f"{question.prompt.version}+{file.version}"
        # What is said of the change as a whole was said.
        form = {**question.prompt.schema} | (
            {"required": ["tells"]} if "tells" in question.prompt.schema["properties"] else {}
        )
        prompt = replace(
            question.prompt, task=task, version=version, system=system, user=f"{user}\n{more}", schema=form
        )
        return replace(question, prompt=prompt, most=min(question.most, len(lines)))

    def _refusals(self, refused: Sequence[Fate], room: int, *, small: bool) -> list[str]:
        """As many as there is room for; one that has none with the words at fault goes without them."""
        lines: list[str] = []
        for fate in refused:
            told = (self._refusal(one, small=small) for one in (fate, replace(fate, detail="")))
            line = next((one for one in told if tokens(one) < room), None)
            if line is None:
                break
            room -= tokens(line) + 1
            lines.append(line)
        return lines

    def room(self, task: str, repo: str, limits: Limits) -> int:
        """Tokens that are left for evidence."""
        return limits.prompt - self._frame(task, repo) - _MARGIN

    def _refusal(self, fate: Fate, *, small: bool) -> str:
        """What was written and what is wrong with it."""
        at_fault = f" ({brief(fate.detail, 400)})" if fate.detail else ""
        if small:
            return f"{fate.reason.replace('_', ' ')}{at_fault}"[:80]
        told = " | ".join(brief(text, 400) for text in fate.draft.text.values())
        hint = REASONS.get(fate.reason) or f"{fate.reason.replace('_', ' ')}."
        return f"- [{fate.draft.role}; {', '.join(fate.draft.cited)}] {told}\n  refused: {hint}{at_fault}"

    def _frame(self, task: str, repo: str) -> int:
        """Tokens of a prompt without its evidence."""
        small = task.endswith("_small")
        part = "" if small else "The commit is large: this is part 100 of 100 of it.\n"
        filler = {
            "evidence": "",
            "fence": "0" * 12,
            "most": "8",
            "depth": _DEPTH["high"],
            "part": part,
            "across": ACROSS,
        }
        system, user = prompt_file(task).fill({**self._values(repo, small), **filler})
        return tokens(system) + tokens(user)

    def _values(self, repo: str, small: bool) -> dict[str, str]:
        names, fields = in_languages(self.languages)
        if small:
            names = " and ".join(self.languages)
        return {"repo": one_line(repo), "languages": names, "fields": fields}


def _first(found: Material, small: bool) -> list[Piece]:
    """All pieces in the order in which they are asked about; counts are of no use to a weak model."""
    facts = [piece for piece in found.facts if not small or piece.ref != "N1"]
    return [*found.said, *facts, *found.diff]


def _showing(question: Question, pieces: Sequence[Piece]) -> str:
    """The question with these of its pieces, in their order; for a small model nothing but the evidence."""
    refs = {piece.ref for piece in pieces}
    evidence = told_pieces([piece for piece in question.case.pieces if piece.ref in refs])
    if not question.small:
        return question.prompt.user.replace(told_pieces(question.case.pieces), evidence, 1)
    fence = fence_of(evidence, _SMALL_FENCE)
    return f"{fence}\n{evidence}\n{fence}"


def _as_many(question: Question, ordered: Sequence[Piece], room: int) -> str:
    """With as many of the pieces as fit, the first ones first; with one at the least."""
    least, most = 1, len(ordered)
    while least < most:
        middle = (least + most + 1) // 2
        if tokens(_showing(question, ordered[:middle])) <= room:
            least = middle
        else:
            most = middle - 1
    return _showing(question, ordered[:least])


def packed(pieces: Sequence[Piece], title: Piece, room: int) -> list[list[Piece]]:
    """The pieces in order, in as few questions as they need; each after the first begins with the title."""
    bins: list[list[Piece]] = [[]]
    left = room
    for piece in pieces:
        cost = tokens(told_pieces([piece])) + 1
        if bins[-1] and cost > left:
            headed = tokens(told_pieces([title])) + 1
            bins.append([title] if headed + cost <= room and piece.ref != title.ref else [])
            left = room - (headed if bins[-1] else 0)
        bins[-1].append(piece)
        left -= cost
    return [one for one in bins if one]


Item = TypeVar("Item")


def in_bins(sized: Iterable[tuple[Item, int]], room: int, most: int = 0) -> list[list[Item]]:
    """Things with their sizes in order, in as few bins as they need, so many in one at most; 0: as many as fit."""
    bins: list[list[Item]] = []
    left = 0
    for item, cost in sized:
        if not bins or cost > left or len(bins[-1]) == most:
            bins.append([])
            left = room
        bins[-1].append(item)
        left -= cost
    return bins


def titles_of(refs: Iterable[str]) -> set[str]:
    """The titles of the changes that these pieces are of."""
    return {f"{home_of(ref)}.M1".removeprefix(".") for ref in refs}


def findings_of(case: Case, refs: Iterable[str]) -> set[str]:
    """The findings of the changes that these pieces are of."""
    marks = tuple(f"{home_of(ref)}.F".removeprefix(".") for ref in refs)
    return {piece.ref for piece in case.pieces if piece.ref.startswith(marks)}
