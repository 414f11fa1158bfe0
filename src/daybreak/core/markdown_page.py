"""Markdown page taken apart: lines, code blocks, headings, links, code in lines, anchors.

The one reader of finished pages: for the gates of reports, which know what their own pages must say, and for `verify`,
which takes reports of any origin. So it forgives what Markdown forgives. Every pattern is linear; a line longer than
anyone writes has no `text` and is counted, but its `raw` form is there to be searched.
"""

from __future__ import annotations

import hashlib
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
_BRACKET = re.compile(r"\\.|[\[\]]")
"""`[`, `]`, and an escaped sign of whatever kind, which is neither."""
_TARGET = re.compile(r"\(<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)?)>?(?: \"[^\"]*\")?\)")
_LOOSE = re.compile(r"https?://[^\s<>()\[\]|\"'`，。；、）】」*]+")
_CODE = re.compile(r"(?<![`\\])(`+)(?!`)(.+?)(?<!`)\1(?!`)|<code>([^<]*)</code>")
"""`` `a` ``, ``` ``a`b`` ``` and `<code>a</code>`."""
_BARE = re.compile(r"\b(?:https?|ftp)://|\bwww\.", re.IGNORECASE)
"""What GitHub turns into a link: `https://example.org`, `www.example.org`."""
_ID = re.compile(r"<a\s+(?:id|name)=[\"']?([^\"'>\s]+)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_INVISIBLE = re.compile("[\u200b-\u200d\u2060\ufeff\ufe0f]")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_EMPHASIS = re.compile(r"</?(?:code|b)>")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")
_DULL = re.compile(r"[\[\]():/]")


LATER = "> 📌 "
"""How a line of a page begins that a later report put there."""


def page_digest(text: str) -> str:
    """Of the lines that say something: ends of lines and blank ones are as a file system or an editor has them."""
    rows = (row.rstrip() for row in text.split("\n"))
    kept = "\n".join(row for row in rows if row and not row.startswith(LATER))
    return hashlib.sha256(kept.encode("utf-8", "surrogateescape")).hexdigest()


def page_digests(pages: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Of pages with their paths, by file name: what the data beside them knows them by, whoever reads them later."""
    return {path.rpartition("/")[2]: page_digest(text) for path, text in pages}


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
    """Without entities, whoever wrote them."""
    start: int
    end: int
    shown: str
    """As a page shows it: entities stand for signs between tags, and for themselves between backticks."""


class Line:
    """A line of a report. No dataclass: there are thousands, and each check asks each of them."""

    __slots__ = (
        "_item",
        "_links",
        "_raw_links",
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
        self._raw_links: tuple[Link, ...] | None = None

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
        """Labelled links and addresses that stand alone, with plain dashes and spaces."""
        if self._links is None:
            self._links = links_in(self.text)
        return self._links

    @property
    def raw_links(self) -> tuple[Link, ...]:
        """Labelled links alone, letter by letter as written."""
        if self._raw_links is None:
            found = self.links if self.raw == self.text else links_in(self.raw)
            self._raw_links = tuple(link for link in found if link.labelled)
        return self._raw_links

    @property
    def bare_address(self) -> bool:
        """Whether an address stands in the words, which GitHub would turn into a link; in code and links it may."""
        low = self.raw.lower()
        if "://" not in low and "www." not in low:
            return False
        spans = [(one.start, one.end) for one in ticked_in(self.raw)]
        spans += [(link.start, link.end) for link in self.raw_links]
        return _BARE.search(_blanked(self.raw, spans)) is not None


def without_code(text: str) -> str:
    """A line without the code it shows."""
    parts, at = [], 0
    for one in ticked_in(text):
        parts.append(text[at : one.start])
        at = one.end
    return "".join([*parts, text[at:]])


def links_in(text: str) -> tuple[Link, ...]:
    """The links of a line in their order; what looks like one inside code is code."""
    find = _links if len(text) < KEPT else _links.__wrapped__
    return find(text) if "](" in text or "://" in text else ()


def ticked_in(text: str) -> tuple[Ticked, ...]:
    find = _ticked if len(text) < KEPT else _ticked.__wrapped__
    return find(text) if "`" in text or "<code>" in text else ()


@lru_cache(maxsize=1 << 12)
def _ticked(text: str) -> tuple[Ticked, ...]:
    """Kept, since the pages of a day have many lines in common, and each line is looked at by many checks."""
    return tuple(
        Ticked(html.unescape(m[2] or m[3] or "").strip(), m.start(), m.end(), m[2] or html.unescape(m[3] or ""))
        for m in _CODE.finditer(text)
    )


@lru_cache(maxsize=1 << 12)
def _links(text: str) -> tuple[Link, ...]:
    shown = _covered(text, ticked_in(text))
    found = list(_labelled(text, shown))
    if shown.count("://") > len(found) or not found:
        bare = _blanked(shown, [(link.start, link.end) for link in found])
        found += [_alone(m) for m in _LOOSE.finditer(bare)]
    return tuple(sorted(found, key=lambda link: link.start))


def _labelled(text: str, shown: str) -> Iterator[Link]:
    """`[label](target)`, inner ones first; `shown` is the text in which they are looked for."""
    opened: list[int] = []
    end = 0
    for sign in _BRACKET.finditer(shown):
        if sign.start() < end:
            continue
        if sign[0] == "[":
            opened.append(sign.start())
        elif sign[0] == "]" and opened:
            at = opened.pop()
            if target := _TARGET.match(shown, sign.end()):
                end = target.end()
                yield Link(text[at + 1 : sign.start()], target[1], at, end)


def _blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with spaces in place of some of it."""
    signs = list(text)
    for start, end in spans:
        signs[start:end] = " " * (end - start)
    return "".join(signs)


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


class Page:
    """One report."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.lines: tuple[Line, ...] = tuple(_read(text))
        self.too_long = sum(len(line.raw) > LONGEST_LINE for line in self.lines)
        self.ours = text.lstrip("\ufeff").startswith("<!-- daybreak.")
        self.ranged = text.startswith("<!-- daybreak.range/")
        self.index = text.startswith("<!-- daybreak.index/")
        self.rollup = text.startswith("<!-- daybreak.rollup/")

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
    for link in _labelled(text, text):
        if link.start >= at:
            parts += [text[at : link.start], link.label]
            at = link.end
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


def visible(text: str) -> str:
    """Escaped text of a page as its reader sees it: without escapes, entities and the tags and marks of code and bold."""
    return html.unescape(_ESCAPE.sub(r"\1", _EMPHASIS.sub("", text))).strip("`")
