"""HTTP statuses of a server's answers: the same answer with another status, and errors of a stream that get one of their own.

Clients choose by the status whether to try again. An error inside a stream comes behind `200`; where the first part is
awaited before the stream begins, the same error is an answer of its own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from http import HTTPStatus

from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, one_line, quiet
from daybreak.findings.languages.python_functions import Function, sources
from daybreak.findings.languages.python_syntax import called_name, walk

_HINT = re.compile(r"^[-+].*(?:status|HTTPStatus|HTTP_\d|anext)", re.MULTILINE)
_NUMBERED = re.compile(r"HTTP_(\d{3})_")
_STREAMS = "StreamingResponse"
_FAILS = re.compile(r"error", re.IGNORECASE)
_BEGUN = re.compile(r"\b(?:__)?anext(?:__)?\(")
_LONGEST = 120


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Answers of functions that stand on both sides and have another status now."""
    if quiet(file) or not file.public or not _HINT.search(file.change.patch):
        return
    told: set[tuple[str, str]] = set()
    for pair, old, new in sources(whole).changed(file.path):
        for line, before, after in (*_turned(old, new), *_begun(old, new)):
            if (before, after) not in told and len(told) < PER_FILE:
                told.add((before, after))
                yield Fact("status_changed", file.path, line, pair.place, before, after)


def _turned(old: Function, new: Function) -> Iterator[tuple[int, str, str]]:
    """Calls that are written alike but for the status."""
    before, after = _answers(old), _answers(new)
    for form in sorted(before.keys() & after.keys()):
        was, now = before[form], after[form]
        if len(was) == len(now) == 1 and was.keys() != now.keys():
            (first,), ((second, line),) = was, now.items()
            yield line, first, second


def _answers(function: Function) -> dict[str, dict[str, int]]:
    """Call without its status → each status with the line of the call."""
    out: dict[str, dict[str, int]] = {}
    for node in walk(function.body):
        for given in _given(node) if isinstance(node, ast.Call) else ():
            if (status := _status(given)) is not None:
                form = ast.unparse(node).replace(ast.unparse(given), "_", 1)
                out.setdefault(form, {})[status] = function.at(given)
    return out


def _given(call: ast.Call) -> list[ast.expr]:
    """What a call is handed as a status: by that name, or by the name of the value itself."""
    named = [one.value for one in call.keywords if one.arg in ("status_code", "status")]
    return named or [one for one in call.args if isinstance(one, ast.Attribute)]


def _status(node: ast.expr) -> str | None:
    """The number of a status that is written out."""
    if isinstance(node, ast.Constant):
        known = type(node.value) is int and 100 <= node.value < 600
        return str(node.value) if known else None
    text = ast.unparse(node)[-80:].removesuffix(".value")
    if (numbered := _NUMBERED.search(text)) is not None:
        return numbered[1]
    owner, _, name = text.rpartition(".")
    known = owner.rpartition(".")[2] == "HTTPStatus" and name in HTTPStatus.__members__
    return str(HTTPStatus[name].value) if known else None


def _begun(old: Function, new: Function) -> Iterator[tuple[int, str, str]]:
    """A handler of a stream that awaits its first part now, and answers with an error where that fails."""
    if _BEGUN.search(old.text) or not _BEGUN.search(new.text) or not (_streams(old) and _streams(new)):
        return
    for node in walk(new.body):
        awaited = isinstance(node, ast.Try) and any(_BEGUN.search(ast.unparse(one)) for one in node.body)
        for handler in node.handlers if awaited and isinstance(node, ast.Try) else ():
            for one in handler.body:
                if (
                    isinstance(one, ast.Return)
                    and isinstance(one.value, ast.Call)
                    and _FAILS.search(called_name(one.value))
                ):
                    yield new.at(one), "200", one_line(new.source(one.value))[:_LONGEST]


def _streams(function: Function) -> bool:
    returned = (n.value for n in walk(function.body) if isinstance(n, ast.Return))
    return any(isinstance(value, ast.Call) and called_name(value) == _STREAMS for value in returned)
