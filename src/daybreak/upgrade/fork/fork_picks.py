"""Small upstream fixes that a fork may want to take over: which ones, and why each matters.

Fixes that say what was wrong come first: security, wrong results, crashes, hangs, leaks, regressions; then those that
do not say it, of the parts that every request runs through. Left out are fixes of what is said, tested or documented,
fixes that upstream took back, and fixes of a change that the fork does not have.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from daybreak.core.model.changes import Change
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Text
from daybreak.core.words import say, term
from daybreak.judge.message_refs import Index, named, reverted
from daybreak.judge.places import front
from daybreak.judge.titles import bare
from daybreak.judge.urgency import repaired
from daybreak.judge.vocabulary import NICHE, PLACES, WORDS

MOST_LINES = 60
"""Changed lines outside tests and docs."""
MOST_FILES = 5
_CODE = frozenset({"code", "kernel", "api"})
_WRONG = ("security", "wrong_result", "hang", "leak", "crash", "regression")
"""What a fix may say was wrong, most urgent first."""
_MAYBE = frozenset({"wrong_result", "crash"})
"""Said by words that fixes use of other things as well."""
_CORE_PLACES = frozenset(
    {"schedule", "attention", "moe", "quantization", "cache", "speculative", "distributed", "runner", "served"}
)
_CORE = re.compile(
    r"(?:^|/)(?:csrc|kernels?|layers|\w{0,20}sampl\w{0,20}|\w{0,20}logits\w{0,20})(?:/|\.)", re.IGNORECASE
)
_ABOUT = re.compile(
    r"\b(?:typos?|comments?|docstrings?|docs?|lint|mypy|typing|type (?:hints?|annotations?)|messages?|logs?|logging"
    r"|warnings?|tests?|testing|CI|flaky|benchmarks?|bench|unused|redundant|clean ?-?ups?|pre-?commit)\b",
    re.IGNORECASE,
)
"""A subject that speaks of these repairs what is said, or what tests, and nothing that a server does."""


class Wish(NamedTuple):
    """Why a fork would want a change."""

    why: Text
    classed: bool
    """It says what was wrong; else it is a fix and no more is known."""


def wanted(entry: Entry) -> Wish | None:
    """Why a fork would want this change; None: it is no small fix, or one of nothing that a server does."""
    change = entry.change
    if entry.kind not in ("fix", "security") or change.skipped or not small(change) or entry.breaking:
        return None
    if not _CODE & set(entry.reading.areas) or _ABOUT.search(change.subject[:400]):
        return None
    said = _said(change)
    # Words such as `unsafe` and `injection` mean other things where the change as a whole is no security fix.
    word = said.pop("security", "")
    if entry.kind == "security":
        said = {"security": word}
    kind = next((name for name in _WRONG if name in said), None)
    if kind is not None:
        return Wish(_text(term("upgrade.pick_why", kind), said[kind], entry), True)
    if found := repaired(entry.change, entry.kind):
        unsure = not found.said and found.kind in _MAYBE
        why = term("upgrade.pick_maybe", found.kind) if unsure else term("upgrade.pick_why", found.kind)
        return Wish(_text(why, found.word, entry), True)
    return Wish(_text(term("upgrade.pick_why", "fix"), "", entry), False) if _core(change) else None


def _core(change: Change) -> bool:
    """It touches what every request runs through, and not only on hardware that few have."""
    paths = [file.path[-300:] for file in front(change)]
    patterns = (_CORE, *(pattern for name, pattern in PLACES if name in _CORE_PLACES))
    return any(not NICHE.search(path) and any(pattern.search(path) for pattern in patterns) for path in paths)


def small(change: Change) -> bool:
    """Few enough lines and files to be read before they are taken over; tests come along for nothing."""
    ours = front(change)
    plain = all(not f.binary and not f.submodule and f.skipped is None for f in change.files)
    return plain and 0 < len(ours) <= MOST_FILES and sum(f.added + f.deleted for f in ours) <= MOST_LINES


def _said(change: Change) -> dict[str, str]:
    """What the subject says was wrong -> the word that says it."""
    subject = bare(change.subject)
    found = {name: match[0] for name, pattern in WORDS if name in _WRONG and (match := pattern.search(subject))}
    if found.get("crash", "").lower().startswith("leak"):
        found["leak"] = found.pop("crash")
    return found


def _text(why: Text, word: str, entry: Entry) -> Text:
    if word:
        why = say("upgrade.pick.word", why=why, word=word)
    part = entry.reading.components[:1]
    return say("upgrade.pick.part", why=why, part=part[0]) if part else why


def needless(theirs: Sequence[Change]) -> dict[str, str]:
    """By sha, why a fix is not for a fork that has none of these changes: upstream took it back, or what it repairs is
    among them; oldest first.
    """
    index = Index(theirs)
    found: dict[str, str] = {}
    for change in theirs:
        for undone in reverted(change, index):
            found[undone.sha] = "upstream took it back"
        repaired = named(change, index)
        if repaired is not None and repaired[1] == "repairs":
            found.setdefault(change.sha, "it repairs a change that the branch does not have")
    return found
