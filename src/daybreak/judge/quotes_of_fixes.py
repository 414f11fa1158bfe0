"""Quotes that cannot tell a fix: a comment over code that stays as it was, what a file as a whole is for, what an assertion
says that came with it, and remarks to whoever works on the code. Each is true, and none of them is what was put right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from daybreak.core.model.changes import Change
from daybreak.core.model.quotes import Quote
from daybreak.findings.diff import DiffHunk, DiffLine, hunks
from daybreak.judge.hazards import hazard

_COMMENT = re.compile(r"\s*(?:#|//|/?\*)")
_TRIPLE = re.compile(r"\"\"\"|'''")
_BEHIND = re.compile(r"\s+(?:#|//)\s.*$")
_ASSERTS = re.compile(r"\b(?:assert\b|raise\s+AssertionError|static_assert|debug_assert\w{0,3}!)")
_REFUSES = re.compile(r"\b(?:raise|throw|return)\b|\w{0,40}(?:CHECK|ENFORCE)\w{0,40}\(")
_HEAD = re.compile(r"\s*(?:async\s+|pub\s+)?(?:def|class|fn|func)\s")
_ABOVE = 8
"""Lines above a text in which its statement begins."""
_BELOW = 4
"""Lines of a statement, or of the branch that it opens, that a comment over it is about."""
_WIDEST = 400


def cannot_tell(change: Change, quote: Quote) -> bool:
    """Whether a quote that came with a fix speaks of something else than what the fix alters."""
    if quote.side != "added" or quote.source not in ("comment", "docstring", "error"):
        return False
    hunk = next(_around(change, quote), None)
    if hunk is None:
        return False
    if quote.source == "error":
        return _is_asserted(hunk, quote.line)
    return _stays(hunk, quote.line) if quote.source == "comment" else _is_of_module(hunk, quote.line)


def _around(change: Change, quote: Quote) -> Iterator[DiffHunk]:
    """The hunk in which it stands."""
    files = (file for file in change.files if file.path == quote.path)
    found = (hunk for file in files for hunk in hunks(file.patch))
    return (hunk for hunk in found if any(line.new == quote.line and line.sign == "+" for line in hunk.lines))


def _is_of_module(hunk: DiffHunk, number: int) -> bool:
    """It stands in the docstring that a file begins with."""
    above = [line.text for line in hunk.lines if 0 < line.new < number]
    if next((line.new for line in hunk.lines if line.new), 0) != 1:
        return False
    code = [text for text in above if text.strip() and not _COMMENT.match(text)]
    marks = sum(len(_TRIPLE.findall(text[:_WIDEST])) for text in code)
    return not code or (marks == 1 and _TRIPLE.match(code[0].lstrip(" rRuU")) is not None)


def _is_asserted(hunk: DiffHunk, number: int) -> bool:
    """The statement that says it is an assertion: it can only fail where the fix itself is wrong."""
    above = [line.text[:_WIDEST] for line in hunk.lines if number - _ABOVE < line.new <= number]
    first = next((text for text in reversed(above) if _ASSERTS.search(text) or _REFUSES.search(text)), "")
    return _ASSERTS.search(first) is not None


# --- a comment over code that stays -------------------------------------------------------------------------------


def _stays(hunk: DiffHunk, number: int) -> bool:
    """Neither the statement below it nor what it opens came with the comment, and nothing went beside it."""
    lines = hunk.lines
    at = next(i for i, line in enumerate(lines) if line.new == number and line.sign == "+")
    if not _COMMENT.match(lines[at].text):
        return _only_remarked(lines, at)
    first, last = _block(lines, at)
    if any(map(_is_code, _gone(reversed(lines[:first])))) or any(map(_is_code, _gone(lines[last:]))):
        return False
    if any(line.sign != " " and _HEAD.match(line.text) for line in lines):
        return False  # it may be what stays, and is in another function by now
    below = [line for line in lines[last:] if line.text.strip() and not (line.sign == "-" and not _is_code(line))]
    return bool(below) and all(line.sign == " " for line in _statement(below))


def _only_remarked(lines: Sequence[DiffLine], at: int) -> bool:
    """A comment behind code that stood there without it."""
    code = _BEHIND.sub("", lines[at].text).strip()
    return any(line.sign == "-" and _BEHIND.sub("", line.text).strip() == code for line in lines)


def _block(lines: Sequence[DiffLine], at: int) -> tuple[int, int]:
    """Where the comment begins, and behind what it ends; lines of an older one that it replaces are among them."""
    first, last = at, at + 1
    while first and _is_remark(lines[first - 1]):
        first -= 1
    while last < len(lines) and _is_remark(lines[last]):
        last += 1
    return first, last


def _is_remark(line: DiffLine) -> bool:
    return bool(_COMMENT.match(line.text)) and not _is_code(line)


def _is_code(line: DiffLine) -> bool:
    return bool(line.text.strip()) and _COMMENT.match(line.text) is None


def _gone(lines: Iterable[DiffLine]) -> list[DiffLine]:
    """What went right there."""
    return list(takewhile(lambda line: line.sign == "-" or not line.text.strip(), lines))


def _statement(lines: Sequence[DiffLine]) -> list[DiffLine]:
    """A statement with all its lines, and of a branch that it opens the first ones."""
    out, depth = list[DiffLine](), 0
    for line in lines:
        out.append(line)
        text = line.text[:_WIDEST]
        depth += sum(map(text.count, "([")) - sum(map(text.count, ")]"))
        if depth <= 0 and (not text.rstrip().endswith((":", "{")) or len(out) > 1):
            break
    opens = out and out[-1].text.rstrip().endswith((":", "{"))
    return [*out, *lines[len(out) : len(out) + _BELOW]] if opens else out


# --- what is said to those who work on the code -----------------------------------------------------------------------


def is_remark(sentence: str) -> bool:
    """Said to those who work on the code, or of what stays: an order, what a function gives, that something is as before;
    unless it says what went wrong. What would follow if an order were not kept is no fault that anybody met.
    """
    if hazard(sentence, titled=False) is not None or _MET.search(sentence):
        return False
    return _ORDERS.match(sentence) is not None or (_STANDS.search(sentence) is not None and not _WHY.search(sentence))


_ORDERS = re.compile(
    r"\W*(?:note:?\s(?:that\s)?|important:?\s)?(?:please\s)?(?:keep|leave|(?:do not|don't|never|always)\s\w|remember|make sure|be (?:sure|careful|aware)"
    r"|see\b(?! that)|refer to|returns?\b|whether\b|(?:true|false) (?:if|when|where)\b)",
    re.IGNORECASE,
)
_STANDS = re.compile(
    r"^\W*(?:(?:all|the|any)\s)?other\s|^\W*(?:every|any)thing else\b|\b(?:unchanged|untouched|(?:same|exactly|just|works?) as before|(?:stays?|remains?|kept) (?:as (?:is|it was)|the same|intact)"
    r"|(?:preserv|keep|retain|maintain)(?:s|e|es|ing)? (?:the |its |their )?(?:existing|old|original|previous|prior|same)"
    r"|same behaviou?r|backwards?[- ]compat\w{1,8})\b",
    re.IGNORECASE,
)
_MET = re.compile(
    r"\b(?:otherwise|or else|unlike|previous(?:ly)?|used to|no longer|instead of|br(?:eaks?|eaking|oke|oken))\b",
    re.IGNORECASE,
)
_WHY = re.compile(r"\b(?:because|since|would)\b", re.IGNORECASE)
