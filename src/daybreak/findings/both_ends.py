"""Statements about a file that its lines at both ends of a range do not bear out.

A change, its revert and its landing again on branches of releases are read as steps that need not meet: one is missed
where a text was merged by hand. Whatever was read on the way, what the file says alike at both ends did not change.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from keyword import iskeyword

from daybreak.core.errors import GitError
from daybreak.core.model.findings import Finding
from daybreak.findings.trees import Trees

_LEAST = 3
"""Letters of a part of a word that says what the word is about."""
_WORD = re.compile(r"\w+")
_Lines = Counter[tuple[str, str]]
"""How often a line stands below another: one that moves into another class or branch is another line."""


def unborne(trees: Trees, start: str, end: str, findings: Sequence[Finding]) -> list[bool]:
    """Of each finding, whether the file that it was read from has nothing of it that differs between two commits."""
    paths = list(dict.fromkeys(finding.path for finding in findings if finding.path))
    try:
        blobs = trees.blobs_at(f"{ref}:{path}" for ref in (start, end) for path in paths)
    except GitError:
        return [False] * len(findings)
    pairs = {
        path: (blobs[f"{start}:{path}"], blobs[f"{end}:{path}"]) for path in paths if _both(blobs, start, end, path)
    }
    texts = dict(trees.contents({oid for was, now in pairs.values() if was != now for oid in (was, now)}))
    files = {path: _File(texts[was], texts[now]) for path, (was, now) in pairs.items() if was in texts and now in texts}
    same = {path for path, (was, now) in pairs.items() if was == now}
    return [one.path in same or (one.path in files and files[one.path].lacks(one)) for one in findings]


def _both(blobs: Mapping[str, str], start: str, end: str, path: str) -> bool:
    return f"{start}:{path}" in blobs and f"{end}:{path}" in blobs


class _File:
    """The words of a file at two ends, and those of them that stand on lines which only one end has."""

    def __init__(self, was: str, now: str) -> None:
        old, new = _lines(was), _lines(now)
        self._known = _words(was) | _words(now)
        self._moved = {word for _, line in (old - new) + (new - old) for word in _words(line)}

    def lacks(self, finding: Finding) -> bool:
        """Whether the file speaks of it, and on no line that differs."""
        asked = {part for word in _decisive(finding) for part in self._written(word)}
        return bool(asked & self._known) and not asked & self._moved

    def _written(self, word: str) -> set[str]:
        """A word that the file does not have may be put together: `sm_107` of `107`, a variable behind a prefix."""
        return {word} if word in self._known else {part for part in word.split("_") if len(part) >= _LEAST}


def _lines(text: str) -> _Lines:
    found: _Lines = Counter()
    above: list[tuple[int, str]] = []
    for line in text.splitlines():
        if not (plain := line.strip()):
            continue
        indent = len(line) - len(line.lstrip())
        while above and above[-1][0] >= indent:
            above.pop()
        found[above[-1][1] if above else "", plain] += 1
        above.append((indent, plain))
    return found


def _decisive(finding: Finding) -> set[str]:
    """Words of which one must stand on a changed line: what differs of two values, a value that came or went, else the
    name.
    """
    name, before, after = (_words(text or "") for text in (finding.symbol, finding.before, finding.after))
    if finding.before is not None and finding.after is not None:
        return before ^ after or name
    told = before | after
    return name if not told or told & name else told


def _words(text: str) -> set[str]:
    found = set(_WORD.findall(text.replace("-", "_")))
    return {word.strip("_") for word in found if not iskeyword(word)} - {""}
