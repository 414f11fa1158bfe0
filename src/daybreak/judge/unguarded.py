"""Unguarded: what a fix of few statements asks first from now on, and what went wrong by the language's own rules where nobody asked.

What may be None was used, an attribute that not everything has was read, a given 0 counted as nothing, a text was compared by
identity, a message named its values instead of showing them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.quotes import Gist, Quote
from daybreak.core.words import term
from daybreak.findings.diff import DiffHunk, SideLine, hunks, side
from daybreak.judge.change_kinds import front
from daybreak.judge.effect import statements
from daybreak.judge.line_pairs import turns_of

_FEW, _MOST, _LONGEST, _BELOW = 12, 20_000, 400, 8
"""Statements of a side, characters of a patch and of a line that are looked at, and lines below a check that it is for."""
_NAME = r"[A-Za-z_]\w{0,60}(?:\.\w{1,60}){0,4}"
_SET = re.compile(rf"(?<![\w.])(?P<name>{_NAME}) is not None\b")
_UNSET = re.compile(rf"\s*if (?:not (?P<falsy>{_NAME})|(?P<name>{_NAME}) is None):\s*(?:return|continue|break|$)")
_HAS = re.compile(rf"(?<![\w.])(?:hasattr|getattr)\((?P<name>{_NAME}), [\"'](?P<attribute>\w{{1,60}})[\"']")
_LEAVES = re.compile(r"\s*(?:return|continue|break)\b")
_IDENTITY = re.compile(rf"(?<![\w.])({_NAME}) is (not )?([\"'][^\"'\n]{{1,60}}[\"'])")
_TRUTH = re.compile(rf"(?:el)?if (not )?({_NAME})( (?:and|or) .{{1,200}})?:")
_VALUE_IN_TEXT = re.compile(r"(?<![fFrRbB$\w{])([\"'])([^\"'\n]{0,160}\{[a-z_][\w.]{1,60}\}[^\"'\n]{0,160})\1")


class _Fault(NamedTuple):
    kind: str
    what: str
    quote: Quote


def unguarded(change: Change) -> Gist | None:
    """The fault, where the few statements of a fix of Python show it."""
    files = [file for file in front(change) if file.path.endswith(".py") and file.patch]
    if not files or any(file.patch_cut or len(file.patch) > _MOST for file in files):
        return None
    if any(len(list(islice(statements(file, sign), _FEW + 1))) > _FEW for file in files for sign in "-+"):
        return None
    found = next((fault for ask in (_pairs, _asked) for file in files for fault in ask(file)), None)
    if found is None or (found.kind in _ENDS_IN and not _may_be(found.kind, change, files)):
        return None
    return Gist(term("judge.unguarded", found.kind, what=found.what), "line", (found.quote,))


_ENDS_IN = {"none": ("AttributeError", "TypeError"), "attribute": ("AttributeError",)}
_NAMED_ERROR = re.compile(r"\b[A-Z]\w{1,60}Error\b")
_GIVES_NONE = re.compile(r"(?m)^\+.{0,200}(?:\breturn None\b|\| None:|Optional\[.{1,80}\]:|(?<![=!<>])= None\b)")


def _may_be(kind: str, change: Change, files: Sequence[FileChange]) -> bool:
    """Its title names no other error, and no thing is None only since this change."""
    named = _NAMED_ERROR.findall(change.subject)
    since = kind == "none" and any(_GIVES_NONE.search(file.patch) for file in files)
    return not since and (not named or not set(named).isdisjoint(_ENDS_IN[kind]))


def _pairs(file: FileChange) -> Iterator[_Fault]:
    """Faults that two lines show which stand for one another."""
    for turn in turns_of([(file.path, file.patch)], ""):
        old, new = turn.old[:_LONGEST], turn.new[:_LONGEST]
        if not old or not new:
            continue
        quote = Quote("line", turn.path, turn.line, "added", turn.new)
        same = _IDENTITY.search(old)
        if same and f"{same[1]} {'!=' if same[2] else '=='} {same[3]}" in new:
            yield _Fault("identity", f"{same[1]} is {same[2] or ''}{same[3]}", quote)
        asks = _TRUTH.fullmatch(old)
        if asks and new == f"if {asks[2]} is {'' if asks[1] else 'not '}None{asks[3] or ''}:":
            yield _Fault("zero", asks[2], quote)
        if (text := _VALUE_IN_TEXT.search(old)) and f"f{text[0]}" in new:
            yield _Fault("unfilled", text[2][text[2].index("{") :].partition("}")[0] + "}", quote)


def _asked(file: FileChange) -> Iterator[_Fault]:
    """Faults where a question came: what stood there used a thing as if the answer were sure."""
    for hunk in hunks(file.patch):
        new = side(hunk, "+")
        for at, line in enumerate(new):
            if line.changed and len(line.text) <= _LONGEST and not line.text.lstrip().startswith("assert "):
                yield from _by_question(file.path, hunk, new, at)


def _by_question(path: str, hunk: DiffHunk, new: list[SideLine], at: int) -> Iterator[_Fault]:
    line = new[at]
    below = new[at + 1 : at + 1 + _BELOW]
    went = "\n".join(x.text for x in hunk.lines if x.sign == "-")
    stays = "\n".join(x.text for x in below if not x.changed)
    stood = "\n".join(x.text for x in side(hunk, "-"))
    quote = Quote("line", path, line.number, "added", line.text.strip())
    for found in _HAS.finditer(line.text):
        name, attribute = found["name"], found["attribute"]
        read = re.compile(rf"(?<![\w.]){re.escape(name)}\.{attribute}\b(?!\s*=[^=])")
        if (read.search(went) or read.search(stays)) and not _is_known(name, stood):
            yield _Fault("attribute", f"{name}.{attribute}", quote)
    leaves = _UNSET.match(line.text) if below else None
    if leaves and not (_LEAVES.match(below[0].text) or _LEAVES.search(line.text)):
        leaves = None
    for name, where in (
        *((found["name"], f"{went}\n{stays}") for found in _SET.finditer(line.text)),
        *([(leaves["name"] or leaves["falsy"], stays)] if leaves else []),
    ):
        used = re.search(rf"(?<![\w.]){re.escape(name)}(?:\.\w|\[)", where)
        if used and not _is_known(name, stood):
            yield _Fault("none", name, quote)


def _is_known(name: str, stood: str) -> bool:
    """Something near it asked the same before."""
    one = re.escape(name)
    return bool(
        re.search(
            rf"(?<![\w.]){one} (?:is|and|or)\b|(?:if|and|or|not) (?:not )?{one}(?![\w.(\[])|(?:has|get)attr\({one},"
            rf"|\bexcept \(?(?:AttributeError|TypeError|Exception)",
            stood,
        )
    )
