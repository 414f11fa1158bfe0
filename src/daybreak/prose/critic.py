"""The critic: a fresh reader who is asked once per question which sentences its evidence carries, and with which line it contradicts one.

It can only take away. Code checks that the contradicting line exists; nothing that the critic writes reaches a reader.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

from msgspec import Struct

from daybreak.core.model.drafts import Case, Draft, Piece, Span, home_of
from daybreak.core.model.statements import Severity
from daybreak.core.text import named
from daybreak.prose.batch import Frames
from daybreak.prose.evidence_pieces import one_line
from daybreak.prose.form import TEXT, WRONG_FINDINGS, Refuted, filled, object_form
from daybreak.prose.injection_patterns import speaks_to_reader
from daybreak.prose.llm import Prompt
from daybreak.prose.prompt_files import fence_of, prompt_file, told_pieces
from daybreak.prose.questions import findings_of, titles_of

Verdict = Literal["carried", "narrower", "contradicted", "not_shown", "empty"]
Beyond = Literal["nothing", "condition", "direction", "consequence", "scope"]
"""In what a sentence says more than its lines."""
_MOST_TOKENS = 90
"""Of the answer, for one sentence."""
_LONGEST_WHEN = 160
_SEVERAL = """The sentences are about several commits: one marked [C3] is about commit C3, and only ids that begin with C3 are evidence
of it; `exclude` is for sentences about the same commit.
"""


class Opinion(Struct, frozen=True):
    """What the critic says of one sentence."""

    verdict: Verdict
    line: Span | None = None
    """Of a contradiction, the line that says otherwise: it stands in the evidence."""
    said: bool = True
    """By the critic itself, and not for want of an answer of use."""
    when: str = ""
    """Under which condition, for whom and how far the lines do what it says."""


_HARM: Mapping[Severity, str] = {
    "wrong_result": "somebody who runs the project gets wrong text, tokens, scores or stored data, and no error says so"
    " (not: a counter, a log, the state of a request, a place on the hardware, an empty answer)",
    "crash": "a request, worker or server of somebody who runs the project fails, crashes or hangs",
    "refuses": "a start, request or setting that was served is refused",
    "contract": "callers, clients or settings that rely on a name, field, status or signature have to follow: it is gone or another",
    "default": "somebody who sets nothing gets another value or path",
}
"""What a severity says: it is judged like a sentence."""


class Opinions(Struct, frozen=True):
    """What the critic says of all sentences of one question."""

    each: tuple[Opinion, ...]
    harm: bool | None = None
    """Whether the lines show the severity; None where nobody was asked."""
    exclusive: frozenset[int] = frozenset()
    """Places of sentences that cannot be true together with another."""
    refuted: tuple[Refuted, ...] = ()


def critic_prompt(
    case: Case, drafts: Sequence[Draft], languages: Sequence[str], severity: Severity | None = None
) -> Prompt:
    """The cited evidence with the findings and the title, and the numbered sentences, with how bad it is as the last of them."""
    file = prompt_file("critic")
    evidence = told_pieces(_shown(case, drafts))
    told = [_texts(draft, languages) for draft in drafts]
    if severity is not None and severity in _HARM:
        told.append(f"By these lines, from now on or until a fix of it, {_HARM[severity]}.")
    claims = "\n".join(f"{n}. {one}" for n, one in enumerate(told, start=1))
    both, several = f"{evidence}\n{claims}", _SEVERAL if any(draft.home for draft in drafts) else ""
    system, user = file.fill({"evidence": evidence, "claims": claims, "fence": fence_of(both), "several": several})
    return Prompt(file.task, file.version, system, user, _form(), 200 + _MOST_TOKENS * len(told))


def opinions(
    data: Mapping[str, Any], drafts: Sequence[Draft], frame: Frames, severity: Severity | None = None
) -> Opinions:
    """What of its answer holds: a contradiction without a line that exists is none, and then nothing is shown."""
    rows = data.get("verdicts")
    told = {row.get("n"): row for row in rows if isinstance(row, Mapping)} if isinstance(rows, list) else {}
    homes = [draft.home for draft in drafts]
    each = tuple(_opinion(told.get(n), home, frame) for n, home in enumerate(homes, start=1))
    refuted = tuple(one for one in filled(data, ()).refuted if frame.side_of(one.span) is not None)
    harm = (
        _opinion(told.get(len(drafts) + 1), "", frame).verdict in ("carried", "narrower") if severity in _HARM else None
    )
    return Opinions(each, harm, frozenset(_exclusive(data.get("exclude"), homes, each)), refuted)


def _opinion(row: Mapping[str, Any] | None, home: str, frame: Frames) -> Opinion:
    """Of another commit than the sentence's own no line contradicts it."""
    verdict = row.get("verdict") if row is not None else None
    if row is None or verdict not in get_args(Verdict) or verdict == "not_shown":
        return Opinion("not_shown", said=verdict == "not_shown", when=_condition(row) if row is not None else "")
    if verdict == "empty" or (verdict == "carried" and row.get("beyond") in (None, "", "nothing")):
        return Opinion(verdict)
    if verdict != "contradicted":
        return Opinion("narrower", when=_condition(row))
    at, line = row.get("at"), row.get("line")
    span = Span(at, line) if isinstance(at, str) and isinstance(line, str) else None
    own = span is not None and home_of(span.ref) == home and frame.side_of(span) is not None
    return Opinion("contradicted", span) if own else Opinion("not_shown", said=False)


def _condition(row: Mapping[str, Any]) -> str:
    """As its writer may be told it: a few words, none of them an order."""
    told = one_line(str(row.get("when") or ""))
    return "" if len(told) > _LONGEST_WHEN or speaks_to_reader(told) else told


def _exclusive(pairs: object, homes: Sequence[str], each: Sequence[Opinion]) -> Iterator[int]:
    """Where one of two falls by itself, nothing speaks against the other."""
    for pair in pairs if isinstance(pairs, list) else ():
        known = isinstance(pair, list) and all(isinstance(n, int) and 1 <= n <= len(homes) for n in pair)
        if not known or len(pair) != 2 or len({homes[n - 1] for n in pair}) != 1:
            continue
        if all(each[n - 1].verdict == "carried" for n in pair):
            yield from (n - 1 for n in pair)


def _shown(case: Case, drafts: Sequence[Draft]) -> list[Piece]:
    """What is cited, title and findings of each change that is spoken of, what of the lines that go still stands, and each piece on whose
    changed lines a name of a sentence stands: what nobody showed to the critic it cannot find.
    """
    cited = {ref for draft in drafts for ref in draft.cited}
    shown = cited | titles_of(cited) | findings_of(case, cited) | {"N2", "R1", "T1", "T2"}
    names = {(draft.home, name) for draft in drafts for text in draft.text.values() for name in named(text)}
    return [piece for piece in case.pieces if piece.ref in shown or _changes(piece, names)]


def _changes(piece: Piece, names: Collection[tuple[str, str]]) -> bool:
    mine = [name for home, name in names if home == home_of(piece.ref)]
    lines = [line for line in piece.text.split("\n") if line[:1] in ("+", "-")] if mine and "D" in piece.ref else []
    return any(name in line for name in mine for line in lines)


def _texts(draft: Draft, languages: Sequence[str]) -> str:
    mark = f"[{draft.home}] " if draft.home else ""
    return mark + " | ".join(draft.text[language] for language in languages)


def _form() -> dict[str, Any]:
    row = {
        "n": {"type": "integer"},
        "when": TEXT,
        "beyond": {"type": "string", "enum": list(get_args(Beyond))},
        "verdict": {"type": "string", "enum": list(get_args(Verdict))},
        "at": TEXT,
        "line": TEXT,
    }
    return object_form(
        {
            "verdicts": {"type": "array", "items": object_form(row)},
            "exclude": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
            "wrong_findings": WRONG_FINDINGS,
        }
    )
