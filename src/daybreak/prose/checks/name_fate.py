"""What became of a name: added, removed, or neither, by the findings and by the signs of the diff's lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from daybreak.core.model.findings import Finding
from daybreak.core.plain_words import plain
from daybreak.findings.kinds import CAME, kind_of
from daybreak.prose.checks.evidence_index import Ground, Grounds, whole

Fate = Literal["added", "removed"]
_ADDED = CAME | {"widened"}
_GOES = re.compile(r"\b(?:remov|delet|drop|retir|strip|elimin|clean)|移除|删除|去掉", re.IGNORECASE)
_REMOVED = frozenset({"removed", "narrowed"})
_UNDOES = (
    r"(?:\bdel\s[^#\n]{0,80}?|\.(?:pop|remove|discard|delete|removeprefix|removesuffix|replace|strip|lstrip|rstrip|drop)\(\s?"
    r"|\bdelattr\([^)\n]{0,40}?|\bunset\s|\bfor\b.{0,80}\bif\b.{0,40}(?:!=\s?|\bnot in\s?[(\[{][^)\]}\n]{0,80}?))[\"']?"
)
"""Code that takes what follows away, or leaves it out, as it runs."""
_DELETES = re.compile(r"^\s*del\s|\bdelattr\(|^\s*unset\s")
_COMMENT = ("#", "//", "*", "/*")


def became(name: str, grounds: Grounds) -> Fate | None:
    """Added or removed as a whole; None when it stands on both sides, or on none."""
    name = plain(name).strip("'")
    stated = {_of_finding(name, finding) for finding in grounds.case.findings} - {None}
    if len(stated) == 1:
        return stated.pop()
    if stated:
        return None
    return _of_diff(name, grounds.diffs)


def _of_finding(name: str, finding: Finding) -> Fate | None:
    same = name in (finding.symbol, finding.symbol.rpartition(".")[2], finding.symbol.lstrip("-"))
    change = kind_of(finding.kind).change
    if same and change in _ADDED:
        return "added"
    if same and change in _REMOVED:
        return "removed"
    if finding.before and finding.after and finding.before != finding.after:
        if name == plain(finding.before):
            return "removed"
        if name == plain(finding.after):
            return "added"
    return None


def stays(name: str, grounds: Grounds, *, wholly: bool = False) -> bool:
    """It is not gone: it stands on more added lines than removed ones, or on no removed one, and nobody says so.

    What is `wholly` gone stands on fewer added lines than removed ones.
    """
    pattern = whole(plain(name).strip("'"))
    shown = [ground for ground in grounds.diffs if ground is not grounds.context] or list(grounds.diffs)
    plus = sum(not line.lstrip().startswith(_COMMENT) for line in _added(name, shown))
    minus = sum(bool(pattern.search(line)) for ground in shown for line in ground.removed.splitlines())
    if minus:
        return plus >= minus if wholly else plus > minus
    told = (line for g in grounds.pieces.values() if not g.diff for line in g.lines)
    return any(pattern.search(g.plain) for g in shown) and not any(
        pattern.search(line) and _GOES.search(line) for line in told
    )


def undone(name: str, cited: Sequence[Ground]) -> bool:
    """Some added line takes it away as it runs: `del x`, `.pop("x")`, all but `"x"`."""
    taken = re.compile(_UNDOES + whole(plain(name).strip("'")).pattern)
    return any(taken.search(line) for line in _added(name, cited))


def only_undone(name: str, cited: Sequence[Ground]) -> bool:
    """The added lines have it only to take it away: nothing of this name came."""
    lines = [line for line in _added(name, cited) if not line.lstrip().startswith(_COMMENT)]
    return bool(lines) and all(_DELETES.search(line) for line in lines)


def _added(name: str, cited: Sequence[Ground]) -> list[str]:
    pattern = whole(plain(name).strip("'"))
    return [line for ground in cited for line in ground.added.splitlines() if pattern.search(line)]


def _of_diff(name: str, diffs: Sequence[Ground]) -> Fate | None:
    """By the lines with a sign: what was added stands on an added line, whether or not it stands elsewhere too."""
    pattern = whole(name)
    plus = any(pattern.search(ground.added) for ground in diffs)
    minus = any(pattern.search(ground.removed) for ground in diffs)
    if plus == minus:
        return None
    return "added" if plus else "removed"
