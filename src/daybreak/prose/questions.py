"""Questions about one change: its evidence packed into prompts that fit the model, and the form of the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from msgspec import Struct, field
from msgspec.structs import replace

from daybreak.core.model.changes import Window
from daybreak.core.model.drafts import Case, Draft, Fate, Piece
from daybreak.core.model.items import Pull
from daybreak.core.model.links import commit_id
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Dimension, Level, Role, Statement
from daybreak.judge.measured_claims import is_claim
from daybreak.judge.message_refs import title
from daybreak.prose.evidence_pieces import LEAST, Material, brief, context_of, material, one_line, tokens
from daybreak.prose.glossary import Glossary, fence_of, in_languages, prompt_file, told_pieces
from daybreak.prose.llm import Prompt
from daybreak.prose.merge_model_text import stays

ROLES: tuple[Role, ...] = get_args(Role)
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
SECTIONS = ("summary", "across", "conclusion")
_SMALL_TEXT = {"zh": 16, "en": 60}
"""Characters; a weak model spends up to three tokens on a Chinese one, and half of its answer on the form."""
_SMALL_QUOTE = 24


def schema(
    languages: Sequence[str], refs: Sequence[str], most: int, *, small: bool = False, sections: bool = False
) -> dict[str, Any]:
    """The answer's JSON Schema, in the words that every server with structured output takes.

    A small one keeps a weak model within few tokens. Of another one nothing is bounded here: what is too long, too much
    or cites a wrong id costs its statement, not the whole answer.
    """
    fields: dict[str, Any] = {"section": {"type": "string", "enum": list(SECTIONS)}} if sections else {}
    fields["role"] = {"type": "string", "enum": list(ROLES)}
    if not small:
        fields["dimension"] = {"type": ["string", "null"], "enum": [*DIMENSIONS, None]}
    for language in languages:
        fields[language] = {"type": "string"} | _bounds(small, minLength=1, maxLength=_SMALL_TEXT.get(language, 40))
    name = {"type": "string"} | _bounds(small, enum=list(refs))
    fields["evidence"] = {"type": "array", "items": name} | _bounds(small, minItems=1, maxItems=1)
    fields["quote"] = {"type": "string"} | _bounds(small, maxLength=_SMALL_QUOTE)
    item = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    listed = {"type": "array", "items": item} | _bounds(small, minItems=1, maxItems=most)
    return {
        "type": "object",
        "properties": {"statements": listed},
        "required": ["statements"],
        "additionalProperties": False,
    }


def _bounds(small: bool, **bounds: object) -> dict[str, object]:
    return bounds if small else {}


def drafts_of(data: Mapping[str, Any], languages: Sequence[str]) -> list[tuple[str, Draft]]:
    """Section (empty where there is none) and draft of each statement that has the form of one."""
    found = data.get("statements")
    rows = [row for row in found if isinstance(row, Mapping)] if isinstance(found, list) else []
    drafts = [(str(row.get("section") or ""), _draft(row, languages)) for row in rows]
    return [(section, draft) for section, draft in drafts if draft is not None]


def _draft(row: Mapping[str, Any], languages: Sequence[str]) -> Draft | None:
    role, dimension, refs = row.get("role"), row.get("dimension"), row.get("evidence")
    if role not in ROLES or not isinstance(refs, list):
        return None
    if dimension not in DIMENSIONS or role not in ("impact", "risk"):
        dimension = None
    texts = {language: " ".join(str(row.get(language) or "").split()) for language in languages}
    names = tuple(dict.fromkeys(ref for ref in refs if isinstance(ref, str)))
    return Draft(role, texts, names, str(row.get("quote") or "").strip(), dimension)


# --- Questions about one change: its evidence packed into prompts that fit the model, every part of it in one of them ---

SMALL = 1200
"""Tokens of a prompt below which the short wording is used."""
_SMALL_FENCE = 6
_LARGEST_PIECE = 3000
_LARGEST_PROMPT = 48_000
"""Beyond this, models read the middle of a prompt badly."""
_MARGIN = 16
"""Tokens that a server adds around a prompt: marks of who speaks."""
MOST: dict[Level, int] = {"high": 8, "medium": 4, "low": 1}
"""Statements of one change."""
_DEPTH: dict[Level, str] = {
    "high": "It is important: after what it does and why, tell impact and risk by dimension, only where evidence exists.",
    "medium": "Be brief: what it does, why, and who notices.",
    "low": "Only what it does.",
}


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


class Standing(Struct, frozen=True):
    """A statement that the checks let stand, with the draft it was made from."""

    statement: Statement
    draft: Draft
    names: Mapping[str, str]
    """What the names in braces of the draft stand for."""
    section: str = ""


class Asking(Struct, frozen=True):
    """All that is asked about one change, and how much of it no question has room for."""

    questions: tuple[Question, ...]
    unread: int = 0
    """Pieces of evidence beyond the parts that may be asked."""


class Asker(Struct, frozen=True):
    """Makes prompts: in these languages, with this glossary."""

    languages: tuple[str, ...]
    glossary: Glossary
    hints: Mapping[str, str] = field(default_factory=dict)
    """Reason of a refusal -> what to do about it."""

    def about_change(self, entry: Entry, repo: str, pull: Pull | None, limits: Limits) -> Asking:
        """The questions that together show all evidence of a change, the most telling part first."""
        task = "change_small" if limits.small else "change"
        room = self.room(task, repo, limits)
        found = material(entry, repo, pull, max(LEAST, min(room // 2 - 12, _LARGEST_PIECE)))
        bins = packed(_first(found, limits.small), found.title, room)
        kept = bins[: limits.parts] if limits.parts else bins
        unread = sum(len(one) for one in bins[len(kept) :])
        level: Level = entry.importance.level
        context, findings = context_of(entry.change, pull), entry.reading.findings
        questions = []
        for at, pieces in enumerate(kept, start=1):
            case = Case(entry.change.sha, repo, tuple(pieces), tuple(findings), context)
            part = f"The commit is large: this is part {at} of {len(bins)} of it.\n" if len(bins) > 1 else ""
            values = {"part": part, "depth": _DEPTH[level]}
            questions.append(self.question(task, case, limits, 1 if limits.small else MOST[level], values))
        return Asking(tuple(questions), unread)

    def joining(
        self, entry: Entry, repo: str, found: Sequence[Standing], pull: Pull | None, limits: Limits
    ) -> list[Question]:
        """Questions that join what was found in parts; several when it is too much for one, to be joined again."""
        level: Level = entry.importance.level
        room = self.room("join", repo, limits)
        if room < 4 * LEAST:
            return []
        title = Piece("M1", f"commit:{entry.change.sha}", brief(entry.change.subject, 300))
        held, rests = survivors(found)
        if len(fitting(held, title, room)) < len(held):
            return []
        context, findings = context_of(entry.change, pull), tuple(entry.reading.findings)
        questions = []
        for pieces in packed(held, title, room):
            case = Case(entry.change.sha, repo, tuple(pieces), findings, context)
            asked = self.question("join", case, limits, MOST[level], {"depth": _DEPTH[level]})
            claims = {f"S{at}": one.statement for at, one in enumerate(found, 1) if is_claim(one.statement)}
            questions.append(replace(asked, rests=rests, claims=claims))
        return questions

    def question(
        self, task: str, case: Case, limits: Limits, most: int, values: Mapping[str, str], *, sections: bool = False
    ) -> Question:
        """One prompt about a case."""
        evidence = told_pieces(case.pieces)
        refs = [piece.ref for piece in case.pieces]
        system, user = prompt_file(task).fill(
            {
                **self._values(case.repo, limits.small),
                "evidence": evidence,
                "fence": fence_of(evidence, _SMALL_FENCE if limits.small else 12),
                "most": str(most),
                "glossary": "" if limits.small else self._terms(evidence, limits),
                **values,
            }
        )
        form = schema(self.languages, refs, most, small=limits.small, sections=sections)
        prompt = Prompt(task, prompt_file(task).version, system, user, form, limits.answer)
        return Question(case, prompt, most, limits.small)

    def again(self, question: Question, refused: Sequence[Fate], limits: Limits) -> Question | None:
        """The question with what a check refused and why, no larger than the first may be; None when there is no room.

        What was refused needs room first, then the pieces that it cites, then the others.
        """
        file = prompt_file("repair_small" if question.small else "repair")
        cited = {ref for fate in refused for ref in fate.draft.refs}
        ordered = sorted(question.case.pieces, key=lambda piece: piece.ref not in cited)
        room = limits.prompt - _MARGIN - tokens(question.prompt.system) - tokens(file.user) - 1
        lines = self._refusals(refused, room - tokens(_showing(question, ordered[:1])), small=question.small)
        if not lines:
            return None
        _, more = file.fill({"refused": "\n".join(lines)})
        shown = _as_many(question, ordered, room - sum(tokens(line) + 1 for line in lines))
        prompt = replace(
            question.prompt,
            task=f"{question.prompt.task}+{file.task}",
            version=f"{question.prompt.version}+{file.version}",
            user=f"{shown}\n{more}",
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
        at_fault = f" ({one_line(fate.detail)[:60]})" if fate.detail else ""
        if small:
            return f"{fate.reason.replace('_', ' ')}{at_fault}"[:80]
        told = " | ".join(brief(text, 400) for text in fate.draft.text.values())
        hint = self.hints.get(fate.reason) or f"{fate.reason.replace('_', ' ')}."
        return f"- [{fate.draft.role}; {', '.join(fate.draft.refs)}] {told}\n  refused: {hint}{at_fault}"

    def _frame(self, task: str, repo: str) -> int:
        """Tokens of a prompt without its evidence."""
        small = task.endswith("_small")
        filler = {"evidence": "", "fence": "0" * 12, "most": "8", "glossary": "", "depth": _DEPTH["high"], "part": ""}
        filler["part"] = "" if small else "The commit is large: this is part 100 of 100 of it.\n"
        system, user = prompt_file(task).fill({**self._values(repo, small), **filler})
        return tokens(system) + tokens(user) + (0 if small else GLOSSARY_ROOM)

    def _values(self, repo: str, small: bool) -> dict[str, str]:
        names, fields = in_languages(self.languages)
        if small:
            names = " and ".join(self.languages)
        return {"repo": one_line(repo), "languages": names, "fields": fields}

    def _terms(self, evidence: str, limits: Limits) -> str:
        found = self.glossary.lines(evidence)
        room = min(GLOSSARY_ROOM, limits.prompt // 8) - tokens(_MORE_TERMS)
        lines: list[str] = []
        for line in found:
            room -= tokens(line) + 1
            if room < 0:
                break
            lines.append(line)
        if len(lines) < len(found):
            lines.append(_MORE_TERMS.format(len(found) - len(lines)))
        return "Terms of the field:\n" + "\n".join(lines) + "\n" if lines else ""


GLOSSARY_ROOM = 400
"""Tokens that terms of the glossary may take in a prompt."""
_MORE_TERMS = "(there is no room for {} more)"


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


def fitting(pieces: Sequence[Piece], title: Piece, room: int) -> list[Piece]:
    """Those that a question with this title can show: a statement, unlike a diff, cannot be cut."""
    headed = tokens(told_pieces([title])) + 1
    return [piece for piece in pieces if headed + tokens(told_pieces([piece])) + 1 <= room]


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


def survivors(fates: Sequence[Standing]) -> tuple[list[Piece], dict[str, tuple[str, ...]]]:
    """Statements that stand, as pieces to be joined: with their names in braces, and what each rests on."""
    pieces: list[Piece] = []
    rests: dict[str, tuple[str, ...]] = {}
    for at, one in enumerate(fates, start=1):
        ref, text = f"S{at}", draft_text(one.draft)
        names = {name: value for name, value in one.names.items() if f"{{{name}}}" in text}
        pieces.append(Piece(ref, one.statement.evidence[0], text, names))
        rests[ref] = one.statement.evidence
    return pieces, rests


def draft_text(draft: Draft) -> str:
    """A draft as a line of evidence."""
    told = " | ".join(draft.text.values())
    quote = f' (quote: "{one_line(draft.quote)}")' if draft.quote else ""
    return f"{draft.role}{f', {draft.dimension}' if draft.dimension else ''}: {told}{quote}"


# --- Questions about a repository's day and about the whole day, from statements that survived the checks ---


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
