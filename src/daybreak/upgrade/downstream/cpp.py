"""C, C++ and CUDA: included headers, qualified names and macros of the watched projects."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from daybreak.core.projects import Wanted
from daybreak.upgrade.downstream.readers import Found
from daybreak.upgrade.downstream.shell_commands import Embedded

_NOISE = re.compile(
    r"//[^\n]*|/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/|\Z)|R\"(?P<mark>[^\s()\\\"]{0,16})\([^)]*(?:\)(?!(?P=mark)\")[^)]*)*(?:\)(?P=mark)\"|\Z)|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"|'(?:[^'\\\n]|\\.){1,8}'",
    re.DOTALL,
)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([\w./+-]{1,300})[>\"]", re.MULTILINE)
_ALIAS = re.compile(
    r"\bnamespace\s{1,20}(\w{1,60})\s{0,20}=\s{0,20}(?:::)?(\w{1,60}(?:\s{0,4}::\s{0,4}\w{1,60}){0,8})\s{0,20};"
)


_MACRO = re.compile(r"(?<![\w.])[A-Z][A-Z0-9]{0,40}_[A-Z0-9_]{1,100}(?!\w)")
_DEFINED = re.compile(r"^[ \t]*#[ \t]*(?:define|undef)[ \t]+(\w{1,150})", re.MULTILINE)
_MACROS_MOST = 2_000
"""Names in capitals that one file may give: more is a table."""


class _Patterns(NamedTuple):
    words: tuple[str, ...]
    """One of them is in every file that is worth reading: asked first, being many times as fast."""
    any: re.Pattern[str]
    macro: re.Pattern[str]


@lru_cache(maxsize=8)
def _patterns(headers: frozenset[str], macros: frozenset[str], scopes: frozenset[str]) -> _Patterns:
    """One search that tells whether a file is worth reading, and the one for macros."""
    macro = "|".join(map(re.escape, sorted(macros))) or r"(?!)"
    words = "|".join(map(re.escape, sorted(scopes | headers))) or r"(?!)"
    return _Patterns(
        tuple(sorted(macros | scopes | headers)),
        re.compile(rf"\b(?:{words})(?:/|\s{{0,4}}::|;)|\b(?:{macro})"),
        re.compile(rf"\b(?:{macro})[A-Z0-9_]{{1,100}}\b"),
    )


def found(name: str, text: str, wanted: Wanted, embedded: Embedded | None = None) -> Iterator[Found]:
    """What a C++ file uses; names behind a namespace alias are given in full."""
    del name, embedded
    known = _patterns(wanted.headers, wanted.macros, wanted.scopes)
    if not any(word in text for word in known.words) or not known.any.search(text):
        return
    text = text.replace("\r\n", "\n")
    included = False
    for one in _lines(_INCLUDE, text):
        header = one.group[1]
        if header.partition("/")[0] in wanted.headers and "/" in header:
            included = True
            yield Found("include", header, one.line)
    code = _NOISE.sub(lambda match: "\n" * match.group().count("\n") or " ", text)
    aliases = {scope: scope for scope in wanted.scopes}
    for match in _ALIAS.finditer(code):
        full = re.sub(r"\s", "", match[2])
        if full.partition("::")[0] in wanted.scopes:
            aliases[match[1]] = full
    outer = "|".join(map(re.escape, sorted(aliases))) or r"(?!)"
    qualified = re.compile(rf"(?<![\w:])(?:::)?({outer})((?:\s{{0,4}}::\s{{0,4}}[A-Za-z_]\w{{0,80}}){{1,10}})")
    for one in _lines(qualified, code):
        tail = re.sub(r"\s", "", one.group[2])
        yield Found("symbol", aliases[one.group[1]] + tail, one.line)
    for one in _lines(re.compile(rf"\busing\s{{1,20}}namespace\s{{1,20}}({outer})\s{{0,20}};"), code):
        yield Found("symbol", aliases[one.group[1]], one.line)
    for one in _lines(known.macro, code):
        yield Found("symbol", one.group[0], one.line)
    if included:
        yield from _macros(code)


def _macros(code: str) -> Iterator[Found]:
    """Names in capitals of a file that includes a watched header: nobody can know every prefix a project uses."""
    own = {match[1] for match in _DEFINED.finditer(code)}
    taken = (one for one in _lines(_MACRO, code) if one.group[0] not in own)
    for one in itertools.islice(taken, _MACROS_MOST):
        yield Found("symbol", one.group[0], one.line)


class _Match(NamedTuple):
    group: re.Match[str]
    line: int


def _lines(pattern: re.Pattern[str], text: str) -> Iterator[_Match]:
    """Matches with their lines, counted once through the text."""
    line, seen = 1, 0
    for match in pattern.finditer(text):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        yield _Match(match, line + len(match.group()) - len(match.group().lstrip("\n")))
