"""Source files of other languages: C, C++ and CUDA by their names, clients in JavaScript, Go, Rust, Java by their strings."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from daybreak.core.projects import Wanted
from daybreak.upgrade.downstream import nodes
from daybreak.upgrade.downstream.commands import Word, base, flags, program_at
from daybreak.upgrade.downstream.readers import Found
from daybreak.upgrade.downstream.shell_commands import Embedded, Shell

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


def cpp_file(name: str, text: str, wanted: Wanted, embedded: Embedded | None = None) -> Iterator[Found]:
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


# --- Clients and launchers in JavaScript, TypeScript, Go, Rust, Java and their like, by the strings they hold ---
# These languages are not parsed: strings and object keys outside comments say which variables, routes, request
# fields, metrics and flags a file relies on. Routes and fields count only in files that speak of a watched project or
# of a `/v1/` route.

_PIECE = re.compile(
    r"//[^\n]*|/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/|\Z)|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'|`[^`\\]*(?:\\.[^`\\]*)*`",
    re.DOTALL,
)
_BODY = re.compile(
    r"(?:JSON\.stringify|json!|extra_body\s{0,9}[:=]|\bbody\s{0,9}[:=]|\.post\w{0,20})\s{0,9}\(?[^{}\n;]{0,200}\{"
)
_KEY = re.compile(r"[{,]\s{0,40}[\"']?([A-Za-z_]\w{0,60})[\"']?\s{0,9}(?=[:,}])|[{}\[\]]")
_TAG = re.compile(r"\b(?:json|serde\(rename\s{0,4}=\s{0,4})\s{0,4}:?\s{0,4}\"([a-z_]\w{0,60})[,\"]")
_ENV = re.compile(r"\benv(?:\.|\[[\"'])([A-Z][A-Z0-9_]{2,100})")
_SENT_TO = 400
"""Characters before a body in which the address it is sent to is looked for."""
_NEAR = 60
"""Strings after a program's name that may be its arguments."""


class _Text(NamedTuple):
    text: str
    line: int
    start: int


def client_file(name: str, text: str, wanted: Wanted, embedded: Embedded | None = None) -> Iterator[Found]:
    """What such a file uses."""
    del name, embedded
    text = text.replace("\r\n", "\n")
    words = "|".join(map(re.escape, sorted(wanted.packages | wanted.programs))) or r"(?!)"
    about = re.search(rf"(?i:\b(?:{words})\b)|/v1/", text)
    prefixes = tuple(wanted.variables)
    if about is None and not any(one in text for one in prefixes):
        return
    strings = list(_strings(text))
    for one in strings:
        if one.text.startswith(prefixes) and re.fullmatch(r"[A-Z0-9_]{3,100}", one.text):
            yield Found("env", one.text, one.line)
        yield from nodes.metrics(one.text, one.line, wanted)
        if about and (route := _route(one.text)):
            yield Found("route", route, one.line)
    line, seen = 1, 0
    for match in _ENV.finditer(text):
        line, seen = line + text.count("\n", seen, match.start()), match.start()
        if match[1].startswith(prefixes):
            yield Found("env", match[1], line)
    if about:
        yield from _started(strings, wanted)
        yield from _fields(text)


def _strings(text: str) -> Iterator[_Text]:
    line, seen = 1, 0
    for match in _PIECE.finditer(text):
        piece = match.group()
        if piece[0] == "/":
            continue
        line, seen = line + text.count("\n", seen, match.start()), match.start()
        yield _Text(piece[1:-1], line, match.start())


def _route(text: str) -> str | None:
    if len(text) > 300 or "/" not in text:
        return None
    if text.startswith("/"):
        return nodes.route(text.replace("${", "{"))
    match = re.match(r"\$\{[\w.]{1,60}\}(/.*)", text)
    return nodes.route(match[1].replace("${", "{")) if match else nodes.url_route(text)


def _started(strings: list[_Text], wanted: Wanted) -> Iterator[Found]:
    """Programs started with a list of strings, or with a whole command in one."""
    until = 0
    for i, one in enumerate(strings):
        if " " in one.text and any(program in one.text for program in (*wanted.programs, *wanted.packages)):
            shell = Shell(wanted).read(one.text, one.line)
            yield from (use for use in shell if use.kind in ("cli_flag", "config_key"))
        if i < until:
            continue
        if base(one.text) not in wanted.programs and not one.text.startswith(("python", "-m", "torchrun")):
            continue
        words = [Word(text, line) for text, line, _ in strings[i : i + _NEAR] if line - one.line < 40]
        known = program_at(words, 0, wanted) if words else None
        if known and (known[0].startswith("python -m") or " " in known[0]):
            yield from flags(words[known[1] :], known[0])
            until = i + len(words)


def _fields(text: str) -> Iterator[Found]:
    """Keys of objects that are sent, and field names in struct tags."""
    line, seen, until = 1, 0, 0
    for match in _BODY.finditer(text):
        if match.start() < until:
            continue
        address = text.rfind("://", max(until, match.start() - _SENT_TO), match.end())
        if address >= 0 and nodes.foreign(text[text.rfind("h", 0, address) : address + 300]):
            until = match.end()
            continue
        line, seen = line + text.count("\n", seen, match.end() - 1), match.end() - 1
        until = match.end()
        depth = 0
        for key in _KEY.finditer(text, match.end() - 1, match.end() + 5000):
            until = key.end()
            if key[1]:
                depth += key.group()[0] == "{"
                if depth == 1:
                    at = line + text.count("\n", seen, key.start(1))
                    yield Found("request_field", key[1], at)
            else:
                depth += 1 if key.group() in "{[" else -1
            if depth <= 0:
                break
    line, seen = 1, 0
    for match in _TAG.finditer(text):
        line, seen = line + text.count("\n", seen, match.start(1)), match.start(1)
        yield Found("request_field", match[1], line)
