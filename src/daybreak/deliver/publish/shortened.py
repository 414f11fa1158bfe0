"""Fits a page into what GitHub takes: whole sections go, the least important first, and the page says which."""

from __future__ import annotations

from dataclasses import dataclass, field

from daybreak.core.words.catalogue import REFERENCE, languages
from daybreak.core.words.phrases import Phrases, phrases
from daybreak.deliver.publish.neutralise import fenced_lines

MOST = 65_536
"""Characters of a body, as GitHub counts and says."""
ROOM = 64_800
"""What is filled of it: the sentences about what is left out need some."""


def size(text: str) -> int:
    """Characters as the strictest of GitHub's counts may have it: beyond the basic plane and line ends as two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2 + text.count("\n")


@dataclass(slots=True)
class _Part:
    """A section with its sub-sections; the last block, which leads on, stays."""

    head: str
    parts: list[str]
    tail: str = ""
    left_out: list[str] = field(default_factory=list)

    def text(self, place: str, t: Phrases) -> str:
        told = [t("left_out", names=t("list").join(self.left_out), place=place)] if self.left_out else []
        return "\n\n".join(one for one in (self.head, *self.parts, *told, self.tail) if one)


def shortened(page: str, language: str, place: str, most: int = ROOM) -> str:
    """The page, or as much of it as there is room for; `place` says where all of it is."""
    t = phrases(language if language in languages() else REFERENCE, "publish")
    if size(page) <= most:
        return page
    head, *sections = _split(page, "## ")
    parts = [_part(section) for section in sections]
    kept = list(parts)
    while (excess := size(made := _joined(head, kept, parts, t, place)) - most) > 0:
        if any(one.parts for one in kept):
            _leave_out(kept, excess)
        elif kept:
            kept.pop()
        else:
            return _cut(head, most)
    return made


def _leave_out(kept: list[_Part], excess: int) -> None:
    """Last sub-sections of sections, the longest of them first, until so much is gone or none is left."""
    while excess > 0 and (full := [one for one in kept if one.parts]):
        longest = max(full, key=lambda one: len(one.parts[-1]))
        gone = longest.parts.pop()
        longest.left_out.insert(0, _name(gone))
        excess -= size(gone)


def _joined(head: str, kept: list[_Part], parts: list[_Part], t: Phrases, place: str) -> str:
    gone = [_name(one.head) for one in parts[len(kept) :]]
    count = sum(len(one.left_out) for one in kept) + len(gone)
    said = [t("limit", n=count, place=place)] if count else []
    end = [t("left_out", names=t("list").join(gone), place=place)] if gone else []
    return "\n\n".join([head.strip("\n"), *said, *(one.text(place, t) for one in kept), *end]) + "\n"


def _part(section: str) -> _Part:
    head, *parts = _split(section, "### ")
    tail = ""
    if parts:
        before, _, last = parts[-1].rpartition("\n\n")
        if before and not last.startswith(("#", "<", "`", "-", "|", " ")) and "](" in last:
            parts[-1], tail = before, last
    return _Part(head, parts, tail)


def _split(text: str, mark: str) -> list[str]:
    """Before the first heading of this depth, and from each one to the next; a `#` in code is no heading."""
    lines = text.split("\n")
    pieces: list[list[str]] = [[]]
    for line, in_code in zip(lines, fenced_lines(lines), strict=True):
        if line.startswith(mark) and not in_code:
            pieces.append([])
        pieces[-1].append(line)
    return ["\n".join(piece).strip("\n") for piece in pieces]


def _name(section: str) -> str:
    return section.partition("\n")[0].lstrip("# ").strip()


def _cut(text: str, most: int) -> str:
    """At a whole line: nothing but the head of a page is left, and it is too long all the same."""
    kept: list[str] = []
    for line in text.split("\n"):
        if size("\n".join([*kept, line, "…"])) > most:
            break
        kept.append(line)
    return "\n".join([*kept, "…"]) + "\n"
