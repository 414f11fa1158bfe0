"""The marks by which one change points to another: shas, numbers, quoted titles, parts of a series, lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from daybreak.analyse.kinds import is_revert
from daybreak.model import Change

ENOUGH_LINES = 3
"""Fewer shared lines than this may be chance."""
_MAX_PATCH = 200_000
"""Patches beyond this are mass edits; lines shared with them say nothing."""

_NUMBER = re.compile(r"\s*\(#(\d{1,9})\)\s*$")
_SHA = re.compile(r"\b[Tt]his reverts (?:commit |merge )?([0-9a-f]{7,40})\b")
_REVERT_TITLE = re.compile(r"Revert\s+[\"'“](.{3,300}?)[\"'”]?(?:\s*\(#\d{1,9}\)){0,2}\s*$", re.IGNORECASE)
_AGAIN = re.compile(
    r"\b(?:re-?land|re-?apply|re-?applied|re-?submit|redo|retry|try again|take 2|v2 of|revert of revert)\b",
    re.IGNORECASE,
)
_FOLLOWS = re.compile(
    r"(?:follow[- ]?up (?:to|of|on|for)|fix(?:es|ed|up)?(?: for| of| from| after)?|after|introduced (?:by|in)|broken by|broke by"
    r"|caused by|regression (?:from|in|of|by)|address comments on|since|amends?)\s{1,3}(?:PR\s{0,2})?(?:#(\d{2,9})|([0-9a-f]{9,40}))\b",
    re.IGNORECASE,
)
_FIX = re.compile(r"\b(?:fix\w{0,4}|bugfix|hotfix|repair|restore|correct)\b", re.IGNORECASE)
_PART = re.compile(r"[\[(]\s{0,2}(\d{1,2})\s{0,2}/\s{0,2}(\d{1,2}|[nN])\s{0,2}[\])]")
_TAG = re.compile(r"\[[^\]]{1,60}\]")


Lines = dict[str, "Counter[str]"]


class Part(NamedTuple):
    """Part `number` of `total` of the series `name`."""

    number: str
    total: str
    name: str


class Index:
    """Changes of the window by sha, number and title."""

    def __init__(self, changes: Sequence[Change]) -> None:
        self.by_sha = {c.sha: c for c in changes}
        self.by_number = {c.pr: c for c in changes if c.pr is not None}
        self.by_title = {_plain(title(c)): c for c in changes}
        self._paths = {c.sha: frozenset(f.path for f in c.files) for c in changes}
        self._lines: dict[str, tuple[Lines, Lines]] = {}

    def with_prefix(self, sha: str) -> Change | None:
        found = [c for full, c in self.by_sha.items() if full.startswith(sha)]
        return found[0] if len(found) == 1 else None

    def shared(self, first: Change, later: Change) -> frozenset[str]:
        """Paths that both changes touch."""
        return self._paths[first.sha] & self._paths[later.sha]

    def lines(self, change: Change) -> tuple[Lines, Lines]:
        """Telling lines that a change added and deleted, by path; read once."""
        if change.sha not in self._lines:
            self._lines[change.sha] = _lines(change)
        return self._lines[change.sha]


def title(change: Change) -> str:
    """The subject without its pull request number."""
    return _NUMBER.sub("", change.subject)


def _plain(text: str) -> str:
    text = _NUMBER.sub("", text).strip().strip("\"'“”").lower()
    return " ".join(text.split())


def quoted_title(change: Change) -> str | None:
    """The title that a revert quotes."""
    match = _REVERT_TITLE.search(change.subject[:400])
    return _NUMBER.sub("", match[1].strip().rstrip("\"'”")) if match else None


def reverted(change: Change, index: Index) -> str | None:
    """The sha that a change takes back: of the window, or any that its body gives in full."""
    match = _SHA.search(change.body[:20000])
    if match:
        known = index.with_prefix(match[1])
        if known is not None and known.sha != change.sha:
            return known.sha
        if len(match[1]) == 40 and match[1] != change.sha:
            return match[1]
    if not is_revert(change.subject):
        return None
    quoted = quoted_title(change)
    found = _by_title(quoted, index) if quoted else None
    if found is None:
        numbers = [int(n) for n in re.findall(r"#(\d{2,9})\b", change.subject[:400]) if int(n) != change.pr]
        found = next((index.by_number[n] for n in numbers if n in index.by_number), None)
    return found.sha if found is not None and found.sha != change.sha else None


def _by_title(quoted: str, index: Index) -> Change | None:
    """By whole title; a title that GitHub cut with `…` by its beginning, when only one fits."""
    plain = _plain(quoted)
    if plain in index.by_title:
        return index.by_title[plain]
    if plain.endswith(("…", "...")):
        start = plain.rstrip("….")
        fits = [c for t, c in index.by_title.items() if t.startswith(start)]
        return fits[0] if len(fits) == 1 and len(start) > 20 else None
    return None


def relands(change: Change, root: str, chain: Sequence[Change], index: Index) -> bool:
    """The change says that it lands the reverted one again: by its title or by naming one of the chain."""
    if change.committed_at < chain[0].committed_at or is_revert(change.subject):
        return False
    first = index.by_sha.get(root)
    subject = change.subject[:400]
    original = _plain(title(first)) if first else _plain(quoted_title(chain[0]) or "")
    if original and _plain(title(change)) == original:
        return True
    if not _AGAIN.search(subject):
        return False
    numbers = {c.pr for c in chain} | ({first.pr} if first else set())
    named_numbers = {int(n) for n in re.findall(r"#?(\d{4,9})\b", subject + " " + change.body[:2000])}
    return bool(named_numbers & {n for n in numbers if n}) or (len(original) > 8 and original in _plain(subject))


def named(change: Change, index: Index, earlier: Sequence[Change]) -> Change | None:
    """An earlier change of the window that the message says this one follows, by number or sha."""
    before = {c.sha for c in earlier}
    for match in _FOLLOWS.finditer(f"{title(change)}\n{change.body[:4000]}"):
        found = index.by_number.get(int(match[1])) if match[1] else index.with_prefix(match[2])
        if found is not None and found.sha in before:
            return found
    return None


def series_part(change: Change) -> Part | None:
    """`[2/N]` in a subject; the series' name is its tags, else its first words."""
    subject = title(change)[:400]
    match = _PART.search(subject)
    if match is None or int(match[1]) < 1:
        return None
    rest = " ".join((subject[: match.start()] + " " + subject[match.end() :]).split())
    tags = _TAG.findall(rest)
    name = "".join(tags) or " ".join(rest.split(":")[0].split()[:6])
    return Part(str(int(match[1])), match[2].upper(), name) if name else None


def _lines(change: Change) -> tuple[Lines, Lines]:
    added: Lines = {}
    deleted: Lines = {}
    for file in change.files:
        if not file.patch or len(file.patch) > _MAX_PATCH:
            continue
        for line in file.patch.split("\n"):
            if line[:1] == "+" and _telling(line):
                added.setdefault(file.path, Counter())[line[1:].strip()] += 1
            elif line[:1] == "-" and _telling(line):
                deleted.setdefault(file.path, Counter())[line[1:].strip()] += 1
    return added, deleted


def _telling(line: str) -> bool:
    text = line[1:].strip()
    return len(text) >= 16 and not text.startswith(("#", "//", "import ", "from ", "*", '"""', "return None", "@"))


def took_back(first: Change, later: Change, index: Index) -> int:
    """How many lines the later change deleted that equal lines the first one added in the same file.

    None of it counts unless the later change calls itself a fix and those lines are most of what it deleted.
    """
    shared = index.shared(first, later)
    if not shared or not _FIX.search(later.subject[:400]):
        return 0
    added, deleted = index.lines(first)[0], index.lines(later)[1]
    same = sum((added[p] & deleted[p]).total() for p in shared if p in added and p in deleted)
    everything = sum(lines.total() for lines in deleted.values())
    return same if same * 2 >= everything and (same >= ENOUGH_LINES or same == everything) else 0


def inverse(first: Change, later: Change) -> bool:
    """The second diff undoes the first one line for line."""
    one = {f.path: f for f in first.files}
    two = {f.path: f for f in later.files}
    if one.keys() != two.keys() or len(one) != first.files_total or len(two) != later.files_total:
        return False
    return all(one[p].patch and not one[p].patch_cut and _opposite(one[p].patch, two[p].patch) for p in one)


def _opposite(first: str, later: str) -> bool:
    sides = [[sorted(x[1:] for x in patch.split("\n") if x[:1] == sign) for sign in "+-"] for patch in (first, later)]
    return sides[0][0] == sides[1][1] and sides[0][1] == sides[1][0]
