"""Clients and launchers in JavaScript, TypeScript, Go, Rust, Java and their like, by the strings they hold.

These languages are not parsed: strings and object keys outside comments say which variables, routes, request
fields, metrics and flags a file relies on. Routes and fields count only in files that speak of a watched project or
of a `/v1/` route.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from daybreak.core.projects import Wanted
from daybreak.upgrade.downstream import promql, routes
from daybreak.upgrade.downstream.commands import base, flags, program_at
from daybreak.upgrade.downstream.readers import Found
from daybreak.upgrade.downstream.shell_commands import Embedded, Shell
from daybreak.upgrade.downstream.shell_words import Word

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


def found(name: str, text: str, wanted: Wanted, embedded: Embedded | None = None) -> Iterator[Found]:
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
        yield from promql.metrics(one.text, one.line, wanted)
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
        return routes.route(text.replace("${", "{"))
    match = re.match(r"\$\{[\w.]{1,60}\}(/.*)", text)
    return routes.route(match[1].replace("${", "{")) if match else routes.url_route(text)


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
        if address >= 0 and routes.foreign(text[text.rfind("h", 0, address) : address + 300]):
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
