"""Small upstream fixes that a fork may want to take over: which ones, and why each matters.

Only fixes whose subject says what was wrong are offered: wrong results, crashes, hangs, leaks, security. Left out
are fixes that upstream took back, and fixes of a change that the fork does not have.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from daybreak.analyse.links import Index, named, reverted
from daybreak.analyse.places import front
from daybreak.analyse.titles import bare
from daybreak.analyse.vocabulary import WORDS
from daybreak.analyse.wording import code, say
from daybreak.model import Change, Entry, Text

MOST_LINES = 60
"""Changed lines outside tests and docs."""
MOST_FILES = 5
_CODE = frozenset({"code", "kernel", "api"})
_WHY: dict[str, tuple[str, str]] = {
    "security": ("安全修复", "security fix"),
    "wrong_result": ("修正错误结果", "fixes wrong results"),
    "hang": ("修正挂起或竞态", "fixes a hang or a race"),
    "leak": ("修正泄漏", "fixes a leak"),
    "crash": ("修正崩溃或报错", "fixes a crash or an error"),
}
"""Most urgent first."""
_ABOUT = re.compile(
    r"\b(?:typos?|comments?|docstrings?|docs?|lint|mypy|messages?|logs?|logging|warnings?|tests?|testing|CI|flaky"
    r"|benchmarks?|bench)\b",
    re.IGNORECASE,
)
"""A subject that speaks of these repairs what is said, or what tests, and nothing that a server does."""


def wanted(entry: Entry) -> Text | None:
    """Why a fork would want this change; None: it is no small fix that says what it repairs."""
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
    kind = next((name for name in _WHY if name in said), None)
    return None if kind is None else _text(kind, said[kind], entry)


def small(change: Change) -> bool:
    """Few enough lines and files to be read before they are taken over; tests come along for nothing."""
    ours = front(change)
    plain = all(not f.binary and not f.submodule and f.skipped is None for f in change.files)
    return plain and 0 < len(ours) <= MOST_FILES and sum(f.added + f.deleted for f in ours) <= MOST_LINES


def _said(change: Change) -> dict[str, str]:
    """What the subject says was wrong -> the word that says it."""
    subject = bare(change.subject)
    found = {name: match[0] for name, pattern in WORDS if name in _WHY and (match := pattern.search(subject))}
    if found.get("crash", "").lower().startswith("leak"):
        found["leak"] = found.pop("crash")
    return found


def _text(kind: str, word: str, entry: Entry) -> Text:
    zh, en = _WHY[kind]
    if word:
        zh, en = f"{zh}：{code(word)}", f"{en}: {code(word)}"
    part = entry.reading.components[:1]
    if part:
        zh, en = f"{zh}（{code(part[0])}）", f"{en} (in {code(part[0])})"
    return say(zh, en)


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
