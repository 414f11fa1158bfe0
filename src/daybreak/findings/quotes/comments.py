"""Comments and docstrings of one side of a hunk, block by block, by the forms of each language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from daybreak.findings.diff import SideLine
from daybreak.findings.quotes.prose import LONGEST_LINE, POINTS_BACK, is_prose

Block = tuple[Literal["comment", "docstring"], list[SideLine]]
Form = Literal["python", "slashes", "hash"]

_FORMS: tuple[tuple[re.Pattern[str], Form], ...] = (
    (re.compile(r"\.(?:pyi?|pyx)$"), "python"),
    (
        re.compile(
            r"\.(?:c|cc|cpp|cxx|cu|cuh|h|hpp|hh|inl|inc|hip|metal|rs|go|js|jsx|ts|tsx|java|kt|swift|mm?|proto|td)$"
        ),
        "slashes",
    ),
    (
        re.compile(
            r"\.(?:sh|bash|cmake|ya?ml|toml|mk|dockerfile)$|(?:^|/)(?:CMakeLists\.txt|Makefile|requirements(?:[\w.-]{0,60}|/[\w./-]{1,80})\.(?:txt|in)|[\w.-]{0,60}Dockerfile[\w.-]{0,60})$"
        ),
        "hash",
    ),
)
_STRING_OR = r"\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?"
_HASH = re.compile(rf"#|{_STRING_OR}")
_SLASHES = re.compile(r"//[/!]*|/\*+!?|\"(?:[^\"\\\n]|\\.)*\"?")
_TRIPLE = re.compile(r"\"\"\"|'''")
_OPENING = re.compile(r"\s*[rRuU]?(\"\"\"|''')")
_STAR = re.compile(r"\s*\*+(?!/)\s?")


def form_of(path: str) -> Form | None:
    """How comments are written in a file of that name."""
    return next((form for pattern, form in _FORMS if pattern.search(path[-200:])), None)


def without_comment(text: str, form: Form | None) -> str:
    """A line of code without what is remarked behind it; in a link or a word `#` begins no comment."""
    marks = (_SLASHES if form == "slashes" else _HASH).finditer(text) if form and len(text) <= LONGEST_LINE else ()
    starts = (m.start() for m in marks if m[0][0] in "/#" and (m[0] != "/*" or text.rstrip().endswith("*/")))
    return next((head.rstrip() for at in starts if (head := text[:at])[-1:].isspace() and head.strip()), text)


def blocks(lines: Sequence[SideLine], form: Form) -> Iterator[Block]:
    """Blocks of comments and docstrings, in order."""
    if form == "slashes":
        yield from _comments(_slash_rows(lines))
        return
    rows, docs = _python_rows(lines) if form == "python" else ([(x, *_hash_comment(x.text)) for x in lines], [])
    yield from _comments(rows)
    yield from (("docstring", block) for block in docs if not _codelike([line.text for line in block]))


Row = tuple[SideLine, str | None, bool]
"""A line, its comment, and whether the line is nothing else."""


def _comments(rows: Sequence[Row]) -> Iterator[Block]:
    """Comments on lines of their own join, unless the next begins anew; one behind code stands alone."""
    held: list[SideLine] = []
    for line, comment, alone in rows:
        if held and (comment is None or not alone or _anew(held[-1], line._replace(text=comment))):
            yield "comment", held
            held = []
        if comment is None:
            continue
        if alone:
            held.append(line._replace(text=comment))
        else:
            yield "comment", [line._replace(text=comment)]
    if held:
        yield "comment", held


_FULL = 55
"""Characters from which on a line of a comment may have been broken for its length."""
_BEGUN = re.compile(r"[A-Z][a-z]+[\s:]")
_OPEN = re.compile(
    r"(?:[.!?…,;:(\[{/&+-]|\b(?:an?|the|of|in|to|for|and|or|but|with|by|on|at|from|as|is|are|be|that|which|when|where|if|than|"
    r"into|via|this|these|our|its|not|no|use|uses|see|per|we|it|has|have|can|will|like|between|under|over))\s*$",
    re.IGNORECASE,
)
"""What a line ends with that the next one goes on with, or a stop, where sentences are told apart anyway."""


def _anew(before: SideLine, now: SideLine) -> bool:
    """Behind a line without a stop one that begins large: two notes, and not one sentence, where the first is short, or one
    came and the other stood there.
    """
    if not before.text.strip() or _OPEN.search(before.text):
        return False
    if before.changed != now.changed:
        return now.text.lstrip()[:1].isupper()
    begun = _BEGUN.match(now.text.lstrip()) is not None and not POINTS_BACK.match(now.text.lstrip())
    return len(before.text.strip()) < _FULL and begun


def _hash_comment(text: str) -> tuple[str | None, bool]:
    if "#" not in text or len(text) > LONGEST_LINE:
        return None, False
    for mark in _HASH.finditer(text):
        if mark[0] == "#":
            return text[mark.end() :].lstrip("#!: "), not text[: mark.start()].strip()
    return None, False


def _slash_rows(lines: Sequence[SideLine]) -> list[Row]:
    """`//` to the end of the line, `/* */` over several; a hunk that begins within one is known by its stars."""
    rows: list[Row] = []
    open_block = _begins_within(lines)
    for line in lines:
        text = line.text if len(line.text) <= LONGEST_LINE else ""
        if open_block:
            body, closing, _ = text.partition("*/")
            rows.append((line, _STAR.sub("", body, count=1).strip(), True))
            open_block = not closing
            continue
        mark = next((m for m in _SLASHES.finditer(text) if m[0][0] == "/"), None)
        if mark is None:
            rows.append((line, None, False))
            continue
        body, alone = text[mark.end() :], not text[: mark.start()].strip()
        if mark[0].startswith("/*"):
            body, closing, _ = body.partition("*/")
            open_block = not closing
        rows.append((line, body.strip(), alone))
    return rows


def _begins_within(lines: Sequence[SideLine]) -> bool:
    for line in lines:
        if "/*" in line.text or "//" in line.text:
            return False
        if "*/" in line.text:
            return True
    return False


def _python_rows(lines: Sequence[SideLine]) -> tuple[list[Row], list[list[SideLine]]]:
    """Comments, and the docstrings; other texts over several lines are data."""
    rows: list[Row] = []
    docs: list[list[SideLine]] = []
    inside = _within_docstring(lines)
    mark, doc = '"""', inside
    if inside:
        docs.append([])
    for line in lines:
        text = line.text if len(line.text) <= LONGEST_LINE else ""
        if not inside:
            opening = _TRIPLE.search(text) if '""' in text or "''" in text else None
            comment, alone = _hash_comment(text)
            if opening is None or (comment is not None and "#" in text[: opening.start()]):
                rows.append((line, comment, alone))
                continue
            mark, doc = opening[0], _OPENING.match(text) is not None
            text, inside = text[opening.end() :], True
            if doc:
                docs.append([])
        rows.append((line, None, False))
        body, closing, _ = text.partition(mark)
        if doc:
            docs[-1].append(line._replace(text=body.rstrip()))
        inside = not closing
    return rows, docs


def _within_docstring(lines: Sequence[SideLine]) -> bool:
    """Whether the hunk begins inside a text: its first mark then closes one, and no code stands before it."""
    for at, line in enumerate(lines):
        mark = _TRIPLE.search(line.text[:LONGEST_LINE])
        if mark is None:
            continue
        opens = _OPENING.match(line.text)
        before = [x.text.strip() for x in lines[:at] if x.text.strip()]
        if opens is None or opens.end() < len(line.text.rstrip()):
            return (
                opens is None
                and line.text.rstrip().endswith(mark[0])
                and line.text.count(mark[0]) == 1
                and not _codelike(before)
            )
        # A mark alone on its line: it opens below a head that ends with a colon, and closes below words.
        return bool(before) and not before[-1].endswith((":", ")", ",")) and not _codelike(before)
    changed = [x.text for x in lines if x.changed]
    return sum(map(is_prose, changed)) * 2 > len(changed) and not any(_STATEMENT.match(x.text) for x in lines)


_STATEMENT = re.compile(
    r"\s*(?:(?:def|class|if|for|while|with|elif|else|try|except|async|finally)\b.{0,200}:$|(?:return|raise|assert|import|await|del|yield)\s"
    r"|[\w.\[\]\"']{1,120}\s{0,4}[+*/|&-]?=\s?\S|[\w.]{1,120}\(|[)\]}]{1,20},?$|[\"'].{0,200}[\"'],?$|[\w.]{1,120},$|[@#])"
)


def _codelike(lines: Sequence[str]) -> bool:
    found = [line for line in lines if line.strip()]
    return sum(_STATEMENT.match(line) is not None for line in found) * 3 > len(found)
