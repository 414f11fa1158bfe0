"""Checks of one statement against its evidence; a statement stands only when every check lets it.

Adding a check is a class with `verdict`, and a row in `CHECKS`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from keyword import iskeyword
from typing import Protocol

from daybreak.core.model.day import Action
from daybreak.core.model.statements import Grounding, Statement, Verdict
from daybreak.core.text import digits, numbers, outside, plain, spans
from daybreak.core.words.phrases import checked_languages

Evidence = Mapping[str, str]
"""Evidence id -> everything that evidence says, as plain text."""
GOOD = Verdict(True)

_MARKUP = re.compile(
    r"https?://|www\.|<[/!a-zA-Z]|!?\[[^\]]*\]\(|(?<![\w.])@[A-Za-z]|\*\*|__|^\s*[#>|]|&#?\w{1,10};|\n"
)
_QUOTED = re.compile(r"“[^”]*”|「[^」]*」")
_LINK = re.compile(r"/(?:commit|pull|issues)/\w")
_SHA = re.compile(r"(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}")
_INTERNAL = re.compile(r"\"(?:sha|patch|files)\"\s*:|(?:patch|body)_truncated")
_ATOM = re.compile(r"\w+(?:[.-]\w+)*")
NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w]|\.\d)|(?<![\w.])\d+(?:[.,]\d+)*(?=x\b)")
"""A number by itself, as in `4.1 GB` and `2x`, and no digit of a name."""
_WHOLE = re.compile(r"(?:[。！？.!?]|[。！？.!?…][”」])$")


class Check(Protocol):
    """One reason for which a statement may be dropped."""

    def verdict(self, statement: Statement, evidence: Evidence) -> Verdict: ...


class EvidenceExists:
    """The statement names evidence, and each piece of it is there and says something."""

    def verdict(self, statement: Statement, evidence: Evidence) -> Verdict:
        if not statement.evidence:
            return Verdict(False, "no_evidence")
        for key in statement.evidence:
            if key not in evidence:
                return Verdict(False, "unknown_evidence", key)
            if not evidence[key]:
                return Verdict(False, "empty_evidence", key)
        return GOOD


class WordsStand:
    """Every word in backticks stands in the evidence; a shortened one by what is left of it, a dotted one by its parts."""

    def verdict(self, statement: Statement, evidence: Evidence) -> Verdict:
        texts = [*(evidence[key] for key in statement.evidence), *_proof(statement)]
        for word in {w for text in statement.text.values() for w in spans(text)}:
            wanted = plain(word)
            if "…" in (wanted[:1], wanted[-1:]) and not any(wanted in t for t in texts):
                wanted = wanted.removeprefix("…").removesuffix("…").strip()
            if not wanted or not name_stands(wanted, texts):
                return Verdict(False, "word_not_in_evidence", word)
        return GOOD


def name_stands(name: str, texts: Iterable[str]) -> bool:
    """A name verbatim, or every part of an expression, a command or a dotted name in the texts, which are in plain form; of the two values
    of a switch either one.
    """
    wanted, found = plain(name), list(texts)
    if any(wanted in text or (wanted in _OTHER and _OTHER[wanted] in text) for text in found):
        return True
    if not re.search(r"[ .(\[=]", wanted) or operates(wanted):
        return False
    counted = NUMBER.search(wanted) is not None
    parts = [piece for part in _ATOM.findall(wanted) for piece in ([part] if counted else part.split("."))]
    every = "\n".join(found)
    return bool(parts) and all(iskeyword(p) or re.search(rf"(?<!\w){re.escape(p)}(?!\w)", every) for p in parts)


_OTHER = {"True": "False", "False": "True", "true": "false", "false": "true"}


def operates(name: str) -> bool:
    """Arithmetic: its signs carry the meaning, so it stands as it is or not at all."""
    return re.search(r"\d\s?[-+*/]|[-+*/]{1,2}\s?\d", name) is not None and not name.startswith("-")


def _proof(statement: Statement) -> list[str]:
    """Lines that a model's sentence rests on: each was found where it stands before the sentence was."""
    return [plain(one.line) for one in statement.proof]


class NumbersStand:
    """Every number outside backticks stands in the evidence."""

    def verdict(self, statement: Statement, evidence: Evidence) -> Verdict:
        stated = set().union(*(numbers(outside(text)) for text in statement.text.values()))
        if not stated:
            return GOOD
        known = set().union(*map(digits, (*(evidence[key] for key in statement.evidence), *_proof(statement))))
        missing = sorted(stated - known)
        return Verdict(False, "number_not_in_evidence", missing[0]) if missing else GOOD


class LiteralText:
    """No markup, link, mention or sha: code alone puts those in."""

    def verdict(self, statement: Statement, evidence: Evidence) -> Verdict:
        del evidence
        for text in statement.text.values():
            # Rules quote code and authors as they stand, with what is in them, and renderers escape that; of a model's
            # quotes these are suspect as well.
            own = _QUOTED.sub(" ", text) if statement.author == "rules" else text
            said = outside(own) if statement.author == "rules" else text
            found = _MARKUP.search(outside(own)) or _LINK.search(said) or _INTERNAL.search(said)
            if found:
                return Verdict(False, "markup", found[0])
            if any(_SHA.fullmatch(word) for word in spans(own)) or _SHA.fullmatch(outside(own).strip()):
                return Verdict(False, "sha_in_text")
        return GOOD


class AllLanguages:
    """Every language that can be checked is there, ends whole, and quotes the same words."""

    def verdict(self, statement: Statement, evidence: Evidence) -> Verdict:
        del evidence
        for language in checked_languages():
            text = statement.text.get(language, "").strip()
            if not text:
                return Verdict(False, "language_missing", language)
            if text.count("`") % 2 or not _WHOLE.search(text):
                return Verdict(False, "cut", text[-30:])
        quoted = {frozenset(spans(statement.text[language])) for language in checked_languages()}
        return GOOD if len(quoted) == 1 else Verdict(False, "languages_differ")


CHECKS: dict[str, Check] = {
    "evidence": EvidenceExists(),
    "languages": AllLanguages(),
    "literal": LiteralText(),
    "words": WordsStand(),
    "numbers": NumbersStand(),
}
"""In this order: the later ones rely on the evidence being there."""
OF_RULES = ("evidence", "literal")
"""What is asked of a rule's sentence. Its words are the catalogue's and its arguments are facts: they are not read back."""


def judge(statement: Statement, evidence: Evidence) -> Verdict:
    """The first objection of all checks, or none."""
    return _first_objection(CHECKS, statement, evidence)


def admit(statement: Statement, evidence: Evidence) -> Verdict:
    """The first objection of the checks that its author needs, or none."""
    return _first_objection(OF_RULES if statement.author == "rules" else CHECKS, statement, evidence)


def _first_objection(names: Iterable[str], statement: Statement, evidence: Evidence) -> Verdict:
    verdicts = (CHECKS[name].verdict(statement, evidence) for name in names)
    return next((verdict for verdict in verdicts if not verdict.ok), GOOD)


def sift(statements: Iterable[Statement], evidence: Evidence) -> tuple[tuple[Statement, ...], Grounding]:
    """The statements that stand, and how many were dropped for which reason."""
    kept: list[Statement] = []
    reasons: Counter[str] = Counter()
    for statement in statements:
        verdict = admit(statement, evidence)
        if verdict.ok:
            kept.append(statement)
        else:
            reasons[verdict.reason] += 1
    return tuple(kept), _grounding(len(kept), reasons)


def sift_actions(actions: Iterable[Action], evidence: Evidence) -> tuple[tuple[Action, ...], Grounding]:
    """The same for actions, whose evidence is their commits and findings."""
    kept: list[Action] = []
    reasons: Counter[str] = Counter()
    for action in actions:
        ids = (*(f"commit:{sha}" for sha in action.commits), *(f"finding:{ident}" for ident in action.findings))
        verdict = admit(Statement("action", action.text, ids), evidence)
        if verdict.ok:
            kept.append(action)
        else:
            reasons[verdict.reason] += 1
    return tuple(kept), _grounding(len(kept), reasons)


def _grounding(kept: int, reasons: Counter[str]) -> Grounding:
    dropped = reasons.total()
    return Grounding(kept + dropped, kept, dropped, dict(sorted(reasons.items())))


def total(parts: Sequence[Grounding]) -> Grounding:
    """Several groundings as one."""
    reasons: Counter[str] = Counter()
    for part in parts:
        reasons.update(part.by_reason)
    return Grounding(
        sum(p.statements for p in parts),
        sum(p.kept for p in parts),
        sum(p.dropped for p in parts),
        dict(sorted(reasons.items())),
    )
