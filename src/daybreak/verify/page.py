"""A Markdown report taken apart: lines, code blocks, headings, links, words in backticks, anchors.

The reader is for reports of any origin, so it forgives what Markdown forgives. Every pattern is linear, and a line
longer than anyone writes is left out and counted.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache

from msgspec import Struct

LONGEST_LINE = 50_000
"""Characters; what is longer is no line of a report."""

_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")
_SPACES = dict.fromkeys(map(ord, "\u00a0\u2007\u202f\u3000"), " ")
PLAIN = _DASHES | _SPACES
"""Other forms of dash and space, one sign for one sign: columns stay where they are."""
_PLAIN = tuple((chr(sign), instead) for sign, instead in PLAIN.items())
_ODD = re.compile("[\u017f\u0130\u0131\u212a]")
"""Letters that patterns take for s, i or k when case does not count, though lower case is not the same."""

_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})(.*)$")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)$")
_TARGET = re.compile(r"\]\(<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)?)>?(?: \"[^\"]*\")?\)")
_LOOSE = re.compile(r"https?://[^\s<>()\[\]|\"'`，。；、）】」*]+")
_TICKED = re.compile(r"(?<![`\\])(`{1,3})(?!`)([^`\n]+)\1(?!`)|<code>([^<]*)</code>")
_ID = re.compile(r"<a\s+(?:id|name)=[\"']?([^\"'>\s]+)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_INVISIBLE = re.compile("[\u200b-\u200d\u2060\ufeff\ufe0f]")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")
_DULL = re.compile(r"[\[\]():/]")
_LONGEST_LABEL = 400
KEPT = 4_000
"""Characters of a line that is remembered taken apart."""
_READ_AGAIN = 20
"""Blocks that nothing closes, of one report; after so many the rest is taken as code."""


class Link(Struct, frozen=True):
    label: str
    """As written; the address itself when it stands alone."""
    target: str
    start: int
    end: int
    """Of the whole link in its line."""
    labelled: bool = True


class Ticked(Struct, frozen=True):
    """Text shown as code."""

    text: str
    start: int
    end: int


class Line:
    """A line of a report. No dataclass: there are thousands, and each check asks each of them."""

    __slots__ = (
        "_item",
        "_links",
        "_ticked",
        "blank",
        "edge",
        "fence",
        "heading",
        "info",
        "number",
        "raw",
        "table",
        "text",
    )

    def __init__(
        self, number: int, raw: str, text: str, fence: int | None = None, info: str = "", edge: bool = False
    ) -> None:
        self.number, self.raw = number, raw
        self.text = text
        """`raw` with plain dashes and spaces, column for column."""
        self.fence = fence
        """Number of the line that opened the code block this line is in."""
        self.info = info
        """What the opening line says after its marks."""
        self.edge = edge
        """Opens or closes the block."""
        words = text.lstrip()
        self.blank = not words
        self.table = words[:1] == "|"
        found = _HEADING.match(text) if fence is None and words[:1] == "#" else None
        self.heading: tuple[int, str] | None = (len(found[1]), _unclosed(found[2])) if found else None
        self._item: bool | None = None
        self._ticked: tuple[Ticked, ...] | None = None
        self._links: tuple[Link, ...] | None = None

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip())

    @property
    def item(self) -> bool:
        if self._item is None:
            self._item = bool(_ITEM.match(self.text))
        return self._item

    @property
    def ticked(self) -> tuple[Ticked, ...]:
        if self._ticked is None:
            self._ticked = ticked_in(self.text)
        return self._ticked

    @property
    def links(self) -> tuple[Link, ...]:
        if self._links is None:
            find = _links if len(self.text) < KEPT else _links.__wrapped__
            self._links = find(self.text) if "](" in self.text or "://" in self.text else ()
        return self._links


def ticked_in(text: str) -> tuple[Ticked, ...]:
    find = _ticked if len(text) < KEPT else _ticked.__wrapped__
    return find(text) if "`" in text or "<code>" in text else ()


@lru_cache(maxsize=1 << 12)
def _ticked(text: str) -> tuple[Ticked, ...]:
    """Kept, since the pages of a day have many lines in common, and each line is looked at by many checks."""
    found = _TICKED.finditer(text)
    return tuple(Ticked(html.unescape(m[2] or m[3] or "").strip(), m.start(), m.end()) for m in found)


@lru_cache(maxsize=1 << 12)
def _links(text: str) -> tuple[Link, ...]:
    shown = _covered(text, ticked_in(text))
    found = [
        Link(text[at + 1 : m.start()], m[1], at, m.end())
        for m in _TARGET.finditer(shown)
        if (at := _opening(shown, m.start())) >= 0
    ]
    if shown.count("://") > len(found) or not found:
        bare = list(shown)
        for link in found:
            bare[link.start : link.end] = " " * (link.end - link.start)
        found += [_alone(m) for m in _LOOSE.finditer("".join(bare))]
    return tuple(sorted(found, key=lambda link: link.start))


def _alone(found: re.Match[str]) -> Link:
    address = found[0].rstrip(".,;:!?")
    return Link(address, address, found.start(), found.start() + len(address), labelled=False)


def _covered(text: str, ticked: tuple[Ticked, ...]) -> str:
    """The text with what brackets and addresses stand in code made dull, so that they are no links."""
    parts, at = [], 0
    for one in ticked:
        inner = text[one.start : one.end]
        if any(sign in inner for sign in "[]()") or "://" in inner:
            parts += [text[at : one.start], _DULL.sub("_", inner)]
            at = one.end
    return "".join([*parts, text[at:]])


def _opening(text: str, close: int) -> int:
    """Where the label that ends at `close` begins; brackets inside of it may nest. -1: nowhere near."""
    depth = 0
    for at in range(close, max(-1, close - _LONGEST_LABEL), -1):
        sign = text[at]
        if sign in "[]" and (at == 0 or text[at - 1] != "\\"):
            depth += 1 if sign == "]" else -1
            if depth == 0:
                return at
    return -1


class Page:
    """One report."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.lines: tuple[Line, ...] = tuple(_read(text))
        self.too_long = sum(len(line.raw) > LONGEST_LINE for line in self.lines)
        self.ours = text.lstrip("\ufeff").startswith("<!-- daybreak.")
        self.ranged = text.startswith("<!-- daybreak.range/")
        self.index = text.startswith("<!-- daybreak.index/")

    def having(self, words: Iterable[str]) -> tuple[str, ...]:
        """Those of the words, all in lower case, that the page has; a pattern that needs one can be spared.

        With letters in it whose case is not that simple, every line has the empty word.
        """
        return ("",) if self._low is None else tuple(word for word in words if word.encode() in self._low)

    @cached_property
    def _low(self) -> bytes | None:
        """The text in lower case, without code blocks; as bytes, which are searched much faster."""
        text = "\n".join([line.text for line in self.lines if line.fence is None])
        return None if _ODD.search(text) else text.lower().encode("utf-8", "surrogatepass")

    @cached_property
    def unclosed(self) -> tuple[int, ...]:
        """Numbers of the lines that open a code block which nothing closes."""
        ends = {line.fence: line for line in self.lines if line.fence is not None}
        return tuple(line.fence for line in ends.values() if line.fence is not None and not _closed(line))

    @cached_property
    def blocks(self) -> Mapping[int, list[Line]]:
        """Number of the line that opens a code block -> what is in it."""
        found: dict[int, list[Line]] = {}
        for line in self.lines:
            if line.fence is not None and not line.edge:
                found.setdefault(line.fence, []).append(line)
        return found

    @property
    def prose(self) -> Iterator[Line]:
        return (line for line in self.lines if line.fence is None)

    @cached_property
    def anchors(self) -> frozenset[str]:
        """Everything that `#…` can lead to, by GitHub's rules."""
        found: set[str] = set()
        seen: Counter[str] = Counter()
        for line in self.prose:
            if "<a" in line.raw:
                found.update(_ID.findall(line.raw))
            if line.heading:
                name = slug(line.heading[1] if line.raw == line.text else _heading_of(line.raw))
                found.add(f"{name}-{seen[name]}" if seen[name] else name)
                seen[name] += 1
        return frozenset(found)


def _heading_of(raw: str) -> str:
    found = _HEADING.match(raw)
    return _unclosed(found[2]) if found else raw.lstrip("# ")


def _unclosed(heading: str) -> str:
    """Without the marks that may stand behind it as well."""
    text = heading.rstrip()
    bare = text.rstrip("#")
    return bare.rstrip() if bare != text and bare[-1:] in (" ", "\t") else text


def plainly(text: str) -> str:
    """With plain dashes and spaces; one sign after the other, since `translate` looks at each character."""
    if not text.isascii():
        for sign, instead in _PLAIN:
            text = text.replace(sign, instead)
    return text


def _read(text: str) -> Iterator[Line]:
    """Every line with the block it is in; after a block that nothing closes, the next heading is text again."""
    text = text.replace("\r\n", "\n")
    rows = list(zip(text.split("\n"), plainly(text).split("\n"), strict=True))
    if rows and not rows[-1][0]:
        rows.pop()
    begin = 0
    for _ in range(_READ_AGAIN):
        lines = list(_fenced(rows, begin))
        opened = lines[-1].fence if lines and not _closed(lines[-1]) else None
        again = next((n for n in range(opened, len(rows)) if _HEADING.match(rows[n][0])), None) if opened else None
        if again is None:
            break
        yield from lines[: again - begin]
        begin = again
    yield from lines[: len(rows) - begin]


def _closed(line: Line) -> bool:
    """No block is open after this line."""
    return line.fence is None or (line.edge and line.fence != line.number)


def _fenced(rows: list[tuple[str, str]], begin: int) -> Iterator[Line]:
    """A block is closed by marks at least as long as those that opened it."""
    opened, mark, info = 0, "", ""
    for number, (raw, plain) in enumerate(rows[begin:], start=begin + 1):
        if len(raw) > LONGEST_LINE:
            yield Line(number, raw, "", opened or None, info)
            continue
        found = _FENCE.match(raw) if "```" in raw or "~~~" in raw else None
        if not opened and found and not (found[1][0] == "`" and "`" in found[2]):
            opened, mark, info = number, found[1], found[2].strip()
            yield Line(number, raw, plain, opened, info, edge=True)
        elif opened and found and found[1].startswith(mark) and not found[2].strip():
            yield Line(number, raw, plain, opened, info, edge=True)
            opened = 0
        else:
            yield Line(number, raw, plain, opened or None, info)


def slug(heading: str) -> str:
    """GitHub's anchor of a heading: lower case, letters, numbers, `_` and `-`; spaces become `-`, all else goes."""
    text = _TAG.sub("", unlinked(heading))
    text = html.unescape(_ESCAPE.sub(r"\1", text)).strip().lower()
    return "".join(c for c in text if c in " -_" or unicodedata.category(c)[0] in "LMN").replace(" ", "-")


def unlinked(text: str) -> str:
    """Links as their labels."""
    if "](" not in text:
        return text
    parts, at = [], 0
    for m in _TARGET.finditer(text):
        begin = _opening(text, m.start())
        if begin >= at:
            parts += [text[at:begin], text[begin + 1 : m.start()]]
            at = m.end()
    return "".join([*parts, text[at:]])


def plain(text: str) -> str:
    """Quoted words of upstream as they were: no escapes, entities, invisible signs, other dashes."""
    if text.isascii() and "\\" not in text and "&" not in text:
        return text.strip()
    return _plain(text) if len(text) < KEPT else _plain.__wrapped__(text)


@lru_cache(maxsize=1 << 12)
def _plain(text: str) -> str:
    unescaped = _ESCAPE.sub(r"\1", text) if "\\" in text else text
    return plainly(_INVISIBLE.sub("", html.unescape(unescaped))).strip()
