"""Cut text: a section that ends inside a sentence, a row or a code block, and a heading with nothing below it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from daybreak.core.markdown_page import Line
from daybreak.verify.check_input import Study

_HAN = re.compile(r"[\u3400-\u9fff]$")
_ESCAPED = re.compile(r"\\[!-/:-@\[-`{-~]")
_FULL = re.compile(r"[。！？；.!?;][”」'\")）]?$")
_OPEN_WORD = re.compile(
    r"(?:\b(?:the|a|an|of|to|and|or|in|on|with|for|by|from|that|which|is|are)|[,，、(（\[「“])$", re.IGNORECASE
)
_ENTITY = re.compile(r"&#?\w{2,8};$")
_RULE = re.compile(r"\s*-{3,}\s*")
_TAG = re.compile(r"\s*</?\w+[^<>]*>(?:</\w+>)?\s*")
_ANCHOR = re.compile(r"\s*<a (?:id|name)=[^<>]*></a>\s*")
_CODE = re.compile(r"`[^`]*`")
_LETTER = re.compile(r"[A-Za-z]$")
_LONG, _SENTENCE = 8, 40
"""Characters of a line that can be cut, and of a line of English that is surely a sentence."""
_USUAL, _ALWAYS, _MANY = 0.75, 0.9, 2
"""How many lines of its kind end with a full stop: share, share in English, and number."""


def check(study: Study) -> None:
    for opened in study.page.unclosed:
        line = study.page.lines[opened - 1]
        study.findings.false("whole", opened, line.text.strip(), "opens a code block that nothing closes")
    for section in _sections(study.page.lines):
        _section(study, section)
    _empty(study)


def _sections(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """The lines between headings and rules."""
    body: list[Line] = []
    for line in lines:
        if line.heading or (line.fence is None and _RULE.fullmatch(line.text)):
            yield body
            body = []
        else:
            body.append(line)
    yield body


def _section(study: Study, body: list[Line]) -> None:
    text = [line for line in body if not line.blank and not _TAG.fullmatch(line.text)]
    if not text:
        return
    last = text[-1]
    if last.fence is not None:
        if last.fence not in study.page.unclosed:
            study.findings.true("whole")
        return
    words = _ESCAPED.sub("x", last.text.rstrip())
    why = _torn(words.strip(), text) or _stops(last, words.strip().rstrip("\\"), text[:-1])
    if why:
        study.findings.false("whole", last.number, f"…{last.text.strip()[-40:]}", why)
    else:
        study.findings.true("whole")


def _torn(words: str, text: list[Line]) -> str:
    """Something is opened and not closed."""
    if words.startswith("|") and not words.endswith("|"):
        rows = [line for line in text[:-1] if line.table]
        if rows and all(line.text.rstrip().endswith("|") for line in rows[-3:]):
            return "the row of the table is cut"
    if words.count("`") % 2 and "``" not in words:
        return "code is opened and not closed"
    if words.count("（") > words.count("）"):
        return "a bracket is opened and not closed"
    bold = _CODE.sub("", words).count("**")
    return "bold is opened and not closed" if bold % 2 else ""


def _stops(last: Line, words: str, before: list[Line]) -> str:
    """It ends as no other line of its kind in the section ends."""
    if _size(words) <= _LONG or words.startswith(("|", "#", "<", "![")) or _ENTITY.search(words):
        return ""
    alike = [line for line in before if _is_prose(line) and line.item == last.item and line.indent == last.indent]
    ends = [line.text.rstrip().rstrip("\\*_ ") for line in alike]
    if _OPEN_WORD.search(words) or _HAN.search(words):
        kind = [end for end in ends if _HAN.search(end) or _FULL.search(end)]
        often = _USUAL
    elif _LETTER.search(words) and len(words) > _SENTENCE and " " in words:
        kind = [end for end in ends if len(end) > _SENTENCE]
        often = _ALWAYS
    else:
        return ""
    full = sum(bool(_FULL.search(end)) for end in kind)
    return "the sentence is cut" if full >= _MANY and full >= often * len(kind) else ""


def _is_prose(line: Line) -> bool:
    text = line.text.strip()
    return line.fence is None and text[:1] not in ("", *"#|`<") and (len(text) > 15 or _size(text) > 15)


def _size(text: str) -> int:
    """Characters; a Chinese one says as much as two letters."""
    return len(text) if text.isascii() else len(text) + sum("\u3400" <= sign <= "\u9fff" for sign in text)


def _empty(study: Study) -> None:
    """A heading whose very next text is another heading of its level, or the end."""
    above: Line | None = None
    for line in study.page.lines:
        if line.heading:
            if above and _bare(above, line):
                _alarm(study, above)
            above = line
        elif not line.blank and not _ANCHOR.fullmatch(line.text):
            if above:
                study.findings.true("whole")
            above = None
    if above:
        _alarm(study, above)


def _bare(above: Line, line: Line) -> bool:
    """Two headings of one level; on neighbouring lines the first may be a title that the second repeats."""
    assert above.heading
    assert line.heading
    level = above.heading[0]
    return level == line.heading[0] and (level > 2 or line.number - above.number > 1)


def _alarm(study: Study, line: Line) -> None:
    study.findings.false("whole", line.number, line.text.strip()[:80], "nothing stands below this heading")
