"""How a model's statements join those of the rules: facts stay, what only fills a gap makes way."""

from __future__ import annotations

import re
from collections.abc import Sequence

from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Statement
from daybreak.core.words.grammar import joined
from daybreak.findings.kinds import kind_of
from daybreak.judge.antecedents import leans
from daybreak.judge.measured_claims import is_claim
from daybreak.judge.model_reading import lead_of


def retold(entry: Entry, written: Sequence[Statement]) -> tuple[Statement, ...]:
    """The entry's statements: facts of the rules that break, the model's paragraph in its own order, then other facts. Beside a sentence
    that tells the whole, which leads, of the rules only what adds a name or a value.
    """
    own = [s for s in entry.statements if not _refuted(entry, s)]
    if not written:
        return tuple(own)
    led, roles = entry.by_model is not None and entry.by_model.led, {statement.role for statement in written}
    kept = [s for s in own if (not led and (s.role not in roles or _proves(entry, s))) or _adds(entry, s, written)]
    breaking = [s for s in kept if s.role == "what" and _proves(entry, s)]
    return (*breaking, *_without_repeats(written), *(s for s in kept if s not in breaking))


def _adds(entry: Entry, statement: Statement, written: Sequence[Statement]) -> bool:
    """What rests on more than the commit and its findings, or on what could not be read; what to do about a break, where the model has nothing;
    what breaks, is given by default or must be installed, with a name or value that the model does not name.
    """
    if any(not name.startswith(("commit:", "finding:")) for name in statement.evidence):
        return True
    cited = [f for f in entry.reading.findings if f"finding:{f.id}" in statement.evidence]
    if not cited:
        return statement.role == "risk"
    kinds = {f.id: kind_of(f.kind) for f in cited}
    told = [f for f in cited if f.breaking or kinds[f.id].change == "default_changed" or kinds[f.id].requires]
    if statement.role == "action":
        return bool(told) and not any(one.role == "action" for one in written)
    wanted = {leaf for f in told for leaf in _LEAF.findall(f.symbol.partition(" (")[0].replace("-", "_"))[-1:]}
    wanted |= {f.after for f in told if f.before is not None and f.after is not None and not f.breaking}
    texts = [" ".join(one.text[language] for one in written) for language in statement.text]
    texts = [f"{text} {text.replace('-', '_')}" for text in texts]  # a flag is its field
    return not all(name in text for name in wanted for text in texts)


_LEAF = re.compile(r"\w+")


def _refuted(entry: Entry, statement: Statement) -> bool:
    """A sentence of the rules that rests on a finding which model and critic both hold for wrong, with a line."""
    wrong = entry.by_model.refuted if entry.by_model is not None else ()
    return any(f"finding:{finding}" in statement.evidence for finding in wrong)


def made_way(entry: Entry, written: Sequence[Statement]) -> int:
    """How many sentences of the rules are no longer told."""
    after = retold(entry, written)
    return sum(statement not in after for statement in entry.statements)


def _proves(entry: Entry, statement: Statement) -> bool:
    """It says what a finding shows to break, or what to do about it."""
    return statement.role in ("what", "action") and any(
        f.breaking and f"finding:{f.id}" in statement.evidence for f in entry.reading.findings
    )


def _without_repeats(written: Sequence[Statement]) -> list[Statement]:
    """Each sentence once, whichever question it came from."""
    seen: set[tuple[str, ...]] = set()
    out = []
    for statement in written:
        words = tuple("".join(text.lower().split()) for text in statement.text.values())
        if words not in seen:
            seen.add(words)
            out.append(statement)
    return out


# --- A change as one piece, of which summaries are made ---

_OF_ENTRY = {"high": 3, "medium": 3, "low": 1}
"""Sentences of one change that the summaries are made from, what to do among them: together they are one piece."""
_TELLING = ("what", "impact", "action", "risk", "why")
"""What a summary wants of a change first: what it does, then whom it hits and what to do."""
_REPAIRING = ("why", "impact", "what", "action", "risk")
"""And of a repair: the trouble, without which it is not known what was worst."""


def whole(entry: Entry) -> Statement | None:
    """What is said of a change as one piece: the sentence that tells the whole, what to do, then what follows.

    Of the model before those of the rules; none of it that points to another, and of the rules none that only tells size and place.
    """
    alone = [s for s in entry.statements if not (s.author == "model" and leans(s.text))]
    order, lead = _REPAIRING if entry.kind in ("fix", "security") else _TELLING, lead_of(entry)
    telling = [s for s in alone if s.author == "model" or (lead is None and _adds(entry, s, ()))] or alone[:1]
    ranked = sorted(telling, key=lambda s: (s != lead, s.role != "action", s.author != "model", order.index(s.role)))
    first = [s for s in ranked if s.role != "action"][:1]
    some = [*first, *(s for s in ranked if s not in first)][: _OF_ENTRY[entry.importance.level]]
    if not some or any(map(is_claim, some[:1])):  # an author's claim is repeated as it was told, and no more
        return some[0] if some else None
    some = [s for s in some if not is_claim(s)]
    evidence = tuple(dict.fromkeys(name for s in some for name in s.evidence))
    proof = tuple(dict.fromkeys(line for s in some for line in s.proof))
    return Statement(some[0].role, joined(s.text for s in some), evidence, author=some[0].author, proof=proof)
