"""Texts of issues and pull requests: blocks of Markdown in one pass, and references with GitHub's closing words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, NamedTuple

# --- The text of issues and pull requests as blocks: headings, paragraphs, items, tables, code; one pass, linear time ---
# Bodies are hostile and may be megabytes: what is looked at is bounded, and `cut` tells when there was more. Comments,
# scripts and pictures are left out; what is left out ends a paragraph, so that every block stands in the body as it is
# (up to white space) and can be quoted.


MAX_TEXT = 60_000
MAX_LINE = 2_000
BlockKind = Literal["heading", "text", "item", "table", "code", "quote"]

_FENCE = re.compile(r"[ \t]{0,12}(?:[-*+][ \t]{1,4}|\d{1,3}[.)][ \t]{1,4})?(`{3,12}|~{3,12})([^\n]{0,200})")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+(\S[^\n]{0,200})|[ \t]{0,3}\*\*([^*\n]{2,80})\*\*[ \t]*:?[ \t]*$")
ITEM = re.compile(r"[ \t]{0,12}(?:[-*+]|\d{1,3}[.)])[ \t]+")
"""The sign that an item of a list begins with."""
BOX = re.compile(ITEM.pattern + r"\[[ xX]\]")
"""The same with a box to tick."""
_RAW = re.compile(r"[ \t]{0,3}<(script|style|pre|textarea)\b", re.IGNORECASE)
_FOLD = re.compile(r"<(/?)details\b", re.IGNORECASE)
_RUN = re.compile(r"`{1,64}")
_INDENTED = re.compile(r"(?: {4}|\t)[ \t]*\S")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BREAKS = "\n\r\t\v\f\u2028\u2029\x85"


class Block(NamedTuple):
    """Lines that belong together."""

    kind: BlockKind
    text: str
    """Its lines as they stand, joined by line breaks."""
    section: str
    """The heading above it, in lower case; empty before the first."""
    folded: bool = False
    """Inside `<details>`."""


class Prose(NamedTuple):
    """A body as blocks."""

    blocks: tuple[Block, ...]
    cut: bool


def shown(text: str) -> str:
    """One line of text without what no reader sees: exactly what quoting would take away."""
    if not text.isascii() or not text.isprintable():
        hidden = {c for c in set(text) if c in _BREAKS or unicodedata.category(c) in _HIDDEN}
        text = text.translate({ord(c): " " if c in _BREAKS else None for c in hidden})
    return " ".join(text.split())


@dataclass(slots=True)
class _Scan:
    """Where the pass stands."""

    out: list[Block] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    kind: BlockKind = "text"
    section: str = ""
    depth: int = 0
    fence: str = ""
    raw: str = ""
    comment: bool = False
    blank: bool = True

    def end(self) -> None:
        """What was gathered is a block."""
        if self.lines:
            self.out.append(Block(self.kind, "\n".join(self.lines), self.section, self.depth > 0))
        self.lines, self.kind = [], "text"

    def add(self, kind: BlockKind, line: str) -> None:
        if self.lines and self.kind != kind:
            self.end()
        self.kind = kind
        self.lines.append(line)


def prose(text: str) -> Prose:
    """The blocks of a body, as far as it is looked at."""
    cut = len(text) > MAX_TEXT
    scan = _Scan()
    for line in text[:MAX_TEXT].replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        cut = cut or len(line) > MAX_LINE
        _take(scan, line[:MAX_LINE])
    scan.end()
    return Prose(tuple(scan.out), cut)


def _take(scan: _Scan, line: str) -> None:
    """One line, whatever it is inside of."""
    if scan.fence:
        closing = line.strip()
        if closing.startswith(scan.fence) and not closing.strip(scan.fence[0]):
            scan.end()
            scan.fence = ""
        else:
            scan.add("code", line)
        return
    if not line and not scan.comment and not scan.raw:
        scan.end()
        scan.blank = True
        return
    if scan.raw:
        if f"</{scan.raw}" in line.lower():
            scan.raw = ""
        return
    if not scan.comment and _opens(scan, line):
        return
    for piece in _outside_comments(scan, line):
        _plain_line(scan, piece)


def _opens(scan: _Scan, line: str) -> bool:
    """A fence or a raw element begins here, whose content is no prose."""
    fence = _FENCE.match(line)
    if fence and not (fence[1][0] == "`" and "`" in fence[2]):
        scan.end()
        scan.fence = fence[1]
        return True
    raw = _RAW.match(line)
    if raw is None:
        return False
    scan.end()
    if f"</{raw[1].lower()}" not in line[raw.end() :].lower():
        scan.raw = raw[1].lower()
    return True


def _outside_comments(scan: _Scan, line: str) -> Iterator[str]:
    """The pieces of a line that stand outside of `<!-- … -->`; a comment ends the paragraph."""
    at = 0
    masked = without_code(line) if "<!--" in line and "`" in line else line
    while True:
        if scan.comment:
            end = line.find("-->", at)
            if end < 0:
                return
            scan.comment, at = False, end + 3
        start = masked.find("<!--", at)
        if start < 0:
            break
        yield line[at:start]
        scan.end()
        scan.comment, at = True, start + 4
    if at == 0 or line[at:].strip():
        yield line[at:]


def _plain_line(scan: _Scan, line: str) -> None:
    """A line of prose, or what stands among it."""
    fold = [found[1] for found in _FOLD.finditer(line[:400])]
    if fold:
        scan.end()
        for closes in fold:
            scan.depth = max(0, scan.depth + (-1 if closes else 1))
    bare = line.strip()
    after_blank, scan.blank = scan.blank, not bare
    if not bare:
        scan.end()
        return
    heading = _HEADING.match(line)
    if heading:
        scan.end()
        scan.section = shown(heading[1] or heading[2]).rstrip("#: ").lower()
        scan.out.append(Block("heading", bare, scan.section, scan.depth > 0))
    elif bare.startswith(">"):
        scan.add("quote", line)
    elif scan.kind == "quote" and scan.lines and not ITEM.match(line):
        scan.add("quote", line)  # a quotation goes on until an empty line
    elif bare.startswith("|") or bare.count("|") > 2:
        scan.add("table", bare)
    elif _INDENTED.match(line) and (after_blank or scan.kind == "code") and not _in_list(scan):
        scan.add("code", line)
    elif ITEM.match(line):
        scan.end()
        scan.add("item", line)
    else:
        scan.add("item" if scan.kind == "item" and scan.lines else "text", line)


def _in_list(scan: _Scan) -> bool:
    """Indented lines after an item belong to it."""
    last = "item" if scan.kind == "item" and scan.lines else scan.out[-1].kind if scan.out else "text"
    return last == "item"


def without_code(text: str) -> str:
    """The text with every `code span` blanked out, of the same length: runs of backticks pair up by their length."""
    runs = list(_RUN.finditer(text))
    if len(runs) < 2:
        return text
    later: dict[int, list[int]] = {}
    for place in range(len(runs) - 1, -1, -1):
        later.setdefault(len(runs[place][0]), []).append(place)
    out: list[str] = []
    at = place = 0
    while place < len(runs):
        run = runs[place]
        same = later[len(run[0])]
        while same and same[-1] <= place:
            same.pop()
        if same:
            close = runs[same[-1]]
            out += [text[at : run.start()], re.sub(r"[^\n]", " ", text[run.start() : close.end()])]
            at, place = close.end(), same[-1] + 1
        else:
            place += 1
    return "".join((*out, text[at:]))


# --- References in a text, and the closing keywords before them, by GitHub's rules ---
# A keyword (close, fix, resolve and their forms, any case, a colon allowed) stands on the same line before one
# reference; `fixes #1, #2` closes the first only. What stands in code, in a quotation or in a comment closes nothing.


MOST = 60
"""References of one text that are looked at: a list of hundreds says nothing of one of them."""
_PLACE = r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[\w.-]{1,100}"
_REFERENCE = (
    rf"(?:https?://(?:www\.)?github\.com/(?P<where>{_PLACE})/(?:(?P<page>pull|issues)/(?P<there>[1-9]\d{{0,8}})|commit/(?P<sha>[0-9a-f]{{7,40}}))"
    rf"|(?P<near>{_PLACE})?#(?P<number>[1-9]\d{{0,8}})|[Gg][Hh]-(?P<gh>[1-9]\d{{0,8}}))(?![\w])"
)
_KEYWORD = r"(?<![\w-])(?P<word>close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?P<colon>:?)[ \t]{1,4}"
_CLOSES = re.compile(f"{_KEYWORD}{_REFERENCE}", re.IGNORECASE)
_MENTIONS = re.compile(rf"(?<![\w/#.@&-]){_REFERENCE}")
_CODE_TAG = re.compile(r"<(code|kbd|samp)>[^<\n]{0,400}</\1>", re.IGNORECASE)


class Reference(NamedTuple):
    """One thing of a repository that a text names."""

    repo: str | None
    """OWNER/NAME as written; None: the text's own."""
    number: int | None
    sha: str | None
    page: Literal["pull", "issues", "commit"] | None
    """What an address says it is; None for `#12`, which may be either."""
    words: str
    """As written, a closing keyword included."""


def prose_texts(text: str) -> Iterator[str]:
    """The paragraphs of a body in which references count: no code, quotations and comments."""
    for block in prose(text).blocks:
        if block.kind not in ("code", "quote"):
            plain = without_code(block.text)
            yield _CODE_TAG.sub(lambda m: " " * len(m[0]), plain) if "<" in plain else plain


def message(subject: str, body: str) -> str:
    """A commit's message as such a body: headings and lists do not begin a subject, so it is no Markdown of its own."""
    return f"{subject.lstrip('#>- ')}\n\n{body}"


def closing(text: str) -> tuple[Reference, ...]:
    """What a body says it closes, each once, in its order; commits cannot be closed."""
    found = (m for plain in prose_texts(text) for m in _CLOSES.finditer(plain))
    return _once(_reference(m) for m in islice(found, MOST) if not m["sha"])


def mentioned(text: str, most: int = MOST) -> tuple[Reference, ...]:
    """Everything a body refers to, each once, in its order."""
    found = (m for plain in prose_texts(text) for m in _MENTIONS.finditer(plain))
    return _once(_reference(m) for m in islice(found, most))


def _reference(m: re.Match[str]) -> Reference:
    number = m["there"] or m["number"] or m["gh"]
    page: Literal["pull", "issues", "commit"] | None = None
    if m["where"]:
        page = "commit" if m["sha"] else "pull" if m["page"].lower() == "pull" else "issues"
    where = (m["where"] or m["near"] or "").removesuffix(".git")
    return Reference(where or None, int(number) if number else None, m["sha"], page, m[0])


def _once(found: Iterator[Reference]) -> tuple[Reference, ...]:
    out: dict[tuple[str, int | None, str | None], Reference] = {}
    for one in found:
        out.setdefault(((one.repo or "").lower(), one.number, one.sha), one)
    return tuple(out.values())
