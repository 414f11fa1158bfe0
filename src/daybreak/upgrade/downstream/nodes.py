"""Trees of keys and values that know their lines, and what is named in them: routes, bodies, metrics."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from daybreak.core.projects import Wanted
from daybreak.upgrade.downstream.commands import Word, json_keys
from daybreak.upgrade.downstream.readers import Found

Style = Literal["plain", "quoted", "literal", "folded"]

_PIECE = re.compile(
    r"""(?P<space>\s+)|(?P<comment>//[^\n]*|\#[^\n]*|/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/|\Z))|(?P<template>\{\{[^\n{}]{0,300}\}\})
    |(?P<double>"[^"\\]*(?:\\.[^"\\]*)*")|(?P<single>'[^']*(?:''[^']*)*')|(?P<mark>[\[\]{},:])
    |(?P<plain>(?:[^\s\[\]{},:"'\#/]|:(?=[^\s,\[\]{}"])|(?<=\S)["'\#]|/(?![/*])|(?<=\S)/)(?:[^\[\]{},:"'\n\#]|:(?=[^\s,\[\]{}])|(?<=\S)["'\#])*)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(slots=True)
class Node:
    """A scalar, a list or a map."""

    line: int
    text: str | None = None
    """Of a scalar; lines of a literal or folded one stand as in the file, without their indent."""
    style: Style = "plain"
    pairs: list[tuple[str, int, Node]] = field(default_factory=list)
    """Of a map: key, its line, value."""
    items: list[Node] = field(default_factory=list)
    """Of a list."""

    def get(self, *keys: str) -> Node | None:
        """The value of the first of these keys."""
        return next((value for key, _, value in self.pairs if key in keys), None)

    def scalars(self) -> Iterator[Node]:
        """The scalars of a list, or the scalar itself."""
        if self.text is not None:
            yield self
        yield from (item for item in self.items if item.text is not None)


class Unclosed(ValueError):
    """The text ends inside a bracket, or is none of this."""


def flow(text: str, at: int = 0, line: int = 1, *, strict: bool = False) -> tuple[Node, int]:
    """The bracketed value that starts at `at`, and where it ends; `strict` for JSON."""
    return _Flow(text, at, line, strict=strict).value()


class _Flow:
    def __init__(self, text: str, at: int, line: int, *, strict: bool) -> None:
        self.text, self.at, self.line, self.strict = text, at, line, strict
        self.open: list[tuple[str, Node]] = []
        self.key: list[tuple[str, int] | None] = []

    def value(self) -> tuple[Node, int]:
        while match := _PIECE.match(self.text, self.at):
            kind, piece = str(match.lastgroup), match.group()
            self.at = match.end()
            done = None
            if kind == "mark":
                done = self.mark(piece)
            elif kind == "other" and self.strict:
                raise Unclosed(f"line {self.line}")
            elif kind not in ("space", "comment"):
                done = self.scalar(kind, piece)
            self.line += piece.count("\n")
            if done is not None:
                return done, self.at
        raise Unclosed(f"line {self.line}")

    def mark(self, piece: str) -> Node | None:
        if piece in "[{":
            self.open.append((piece, Node(self.line)))
            self.key.append(None)
        elif piece in "]}":
            return self.close(piece)
        elif not self.open:
            raise Unclosed(f"line {self.line}")
        elif piece == "," and self.key[-1] is not None:  # a key without value
            self.put(Node(self.line, ""))
        return None

    def close(self, piece: str) -> Node | None:
        if not self.open or (self.open[-1][0] == "[") != (piece == "]"):
            raise Unclosed(f"line {self.line}")
        if self.key[-1] is not None:
            self.put(Node(self.line, ""))
        node = self.open.pop()[1]
        self.key.pop()
        return self.put(node)

    def scalar(self, kind: str, piece: str) -> Node | None:
        quoted = kind in ("double", "single")
        text = _unquoted(piece) if quoted else piece.strip()
        if self.open and self.open[-1][0] == "{" and self.key[-1] is None:
            self.key[-1] = (text, self.line)
            return None
        return self.put(Node(self.line, text, "quoted" if quoted and "\\" in piece else "plain"))

    def put(self, node: Node) -> Node | None:
        """Puts a value where it belongs; returns it when it is the outermost."""
        if not self.open:
            return node
        bracket, holder = self.open[-1]
        if bracket == "[":
            holder.items.append(node)
        else:
            key, line = self.key[-1] or ("", node.line)
            holder.pairs.append((key, line, node))
            self.key[-1] = None
        return None


def _unquoted(piece: str) -> str:
    if piece.startswith("'"):
        return piece[1:-1].replace("''", "'")
    if "\\" not in piece:
        return piece[1:-1]
    try:
        return str(json.loads(piece, strict=False))
    except ValueError:
        return piece[1:-1]


def json_tree(text: str) -> Node:
    """A JSON file; raises `Unclosed` when it is none."""
    text = text.removeprefix("\ufeff")
    node, end = flow(text, strict=True)
    while match := _PIECE.match(text, end):
        if match.lastgroup not in ("space", "comment"):
            raise Unclosed(f"text after the end, line {text.count(chr(10), 0, end) + 1}")
        end = match.end()
    return node


# --- HTTP as your files write it: addresses and paths of servers, keys of the JSON bodies sent to them ---

_URL = re.compile(
    r"(?:https?|wss?)://(?P<host>[^\s/'\"`?#]{0,200})(?P<path>/[^\s'\"`?#]{0,300})?|^(?P<local>\$\{?\w{1,60}\}?)(?P<rest>/[\w./{}$:-]{1,300})"
)
_LOCAL = re.compile(
    r"^(?:localhost|127\.|0\.0\.0\.0|\[?::1|\d{1,3}\.\d{1,3}\.|\$|\{|[\w-]{1,60}(?::|$))|\.(?:svc|local|internal|lan|corp)\b"
)
"""Hosts that may be a server of yours: a public one counts only with a versioned route."""
_ADDRESS = re.compile(r"(?:(?P<scheme>https?|wss?)://)(?P<host>[^\s/'\"`?#]{1,200})")
_FOLDERS = tuple(
    f"/{one}/" for one in ("tmp", "etc", "var", "opt", "usr", "home", "root", "dev", "proc", "sys", "repos")
)
_PATH = re.compile(r"/[A-Za-z_][\w{}$.:-]{0,80}(?:/[\w{}$.:<>-]{1,80}){0,8}/?")
_OTHERS = re.compile(
    r"(?:^|[.@])(?:openai\.com|anthropic\.com|github\.com|githubusercontent\.com|huggingface\.co|hf\.co|googleapis\.com"
    r"|amazonaws\.com|azure\.com|pypi\.org|pytorch\.org|nvidia\.com|docker\.(?:com|io)|python\.org|deepseek\.com"
    r"|aliyuncs\.com|slack\.com|mistral\.ai|groq\.com|together\.(?:ai|xyz)|openrouter\.ai|cohere\.(?:ai|com)|gitlab\.com"
    r"|example\.com|w3\.org|json-schema\.org|kubernetes\.io|k8s\.io|ubuntu\.com|debian\.org|anaconda\.(?:com|org))(?::\d+)?$"
)  # fmt: skip
_BODY_FLAGS = frozenset({"-d", "--data", "--data-raw", "--data-binary", "--json", "--data-ascii"})
_TAKES_VALUE = frozenset(
    {"-H", "--header", "-o", "--output", "-w", "--write-out", "-u", "--user", "-A", "-e", "-F", "--form", "-x", "-T", "-c",
     "-b", "--cookie", "--cacert", *_BODY_FLAGS}
)  # fmt: skip
_FLATTENED = frozenset({"extra_body", "sampling_params"})
SENDERS = frozenset({"curl", "wget", "http", "https", "xh", "hey", "ab", "wrk", "grpcurl"})


def route(path: str) -> str | None:
    """A path as a route, without query, placeholders kept; None when it is none."""
    bare = path.partition("?")[0].partition("#")[0]
    match = _PATH.fullmatch(bare)
    last = bare.rstrip("/").rpartition("/")[2]
    if match is None or "." in last or bare.startswith(_FOLDERS):
        return None
    return bare.rstrip("/")


def foreign(text: str) -> bool:
    """Whether an address is plainly a server of somebody else: a public name without port, reached by https.

    Names without dots, numbers, variables, other ports and the endings of private networks may be a server of yours.
    """
    match = _ADDRESS.match(text.lstrip())
    if match is None:
        return False
    host = match["host"].rpartition("@")[2]
    if _OTHERS.search(host):
        return True
    public = "." in host and not _LOCAL.search(host) and not re.search(r"[${}<>%()]|:\d", host)
    return public and match["scheme"] in ("https", "wss")


def url_route(text: str) -> str | None:
    """The route of an address, unless the host is known to be somebody else's."""
    match = _URL.search(text[:1000])
    if match is None:
        return None
    if match["rest"]:
        return route(match["rest"])
    if not match["path"] or foreign(match.group()):
        return None
    near = _LOCAL.search(match["host"]) or re.match(r"/v\d{1,2}/", match["path"])
    return route(match["path"]) if near else None


def of_curl(words: Sequence[Word]) -> Iterator[Found]:
    """Routes asked and the keys of the bodies sent by `curl` and its like."""
    found = False
    for before, word in itertools.pairwise(words):
        if before.text in _TAKES_VALUE:
            continue
        named = None if word.text.startswith("-") else url_route(word.text) or _bare_host(word.text)
        if named:
            found = True
            yield Found("route", named, word.line)
    if not found:
        return
    for flag, word in itertools.pairwise(words):
        if flag.text in _BODY_FLAGS:
            yield from body_fields(word.text, word.line)
    for word in words:
        name, _, value = word.text.partition("=")
        if name in _BODY_FLAGS and value:
            yield from body_fields(value, word.line)


def _bare_host(text: str) -> str | None:
    host, slash, path = text.partition("/")
    return route(f"/{path}") if slash and " " not in host and _LOCAL.search(host) and ":" in host else None


def body_fields(text: str, line: int) -> Iterator[Found]:
    """Keys of a JSON body: the outermost, and those of the parts a server reads as if they stood there."""
    if "{" not in text:
        return
    for key, value, offset in json_keys(text[text.index("{") :]):
        yield Found("request_field", key, line + offset, value)
    for part in _FLATTENED:
        at = text.find(f'"{part}"')
        start = text.find("{", at) if at >= 0 else -1
        if start >= 0:
            before = text.count("\n", 0, start)
            for key, value, offset in json_keys(_balanced(text, start)):
                yield Found("request_field", key, line + before + offset, value)


def _balanced(text: str, start: int) -> str:
    depth = 0
    for match in re.finditer(r"[{}]", text[start : start + 20_000]):
        depth += 1 if match.group() == "{" else -1
        if not depth:
            return text[start : start + match.end()]
    return text[start : start + 20_000]


# --- Names of metrics in queries, dashboards and rules ---

_WHOLE = re.compile(r"[a-z][a-z0-9]{0,60}(?:_[a-z0-9]{1,60}){2,20}")
_QUERY = re.compile(
    r"[\w)\]}]\s{0,9}(?:[\[{>]|<(?![/\w])|[=!]=)|\b(?:sum|rate|max|min|avg|count|label_values|increase)\b"
)


@lru_cache(maxsize=8)
def _pattern(prefixes: frozenset[str]) -> re.Pattern[str]:
    any_prefix = "|".join(re.escape(one) for one in sorted(prefixes))
    return re.compile(rf"(?<![\w:])(?:{any_prefix})[A-Za-z_][\w:]{{0,150}}")


@lru_cache(maxsize=8)
def joined_pattern(words: frozenset[str]) -> re.Pattern[str]:
    """Metrics that start with a project's name and an underscore; a label or a function of that name is none."""
    first = "|".join(re.escape(one) for one in sorted(words)) or r"(?!)"
    return re.compile(
        rf"(?<![\w:./$-])(?:{first})[a-z][a-z0-9_]{{1,150}}(?![\w:./-]|\s{{0,9}}(?:=(?!=)|!=\s{{0,9}}\"|=~|!~|\())"
    )


def prefixes(wanted: Wanted) -> frozenset[str]:
    """The metric prefixes among the namespaces that end with a colon."""
    return frozenset(one for one in wanted.namespaces if one.endswith(":"))


def metrics(
    text: str, line: int, wanted: Wanted, own: frozenset[str] = frozenset(), *, query: bool = False
) -> Iterator[Found]:
    """The watched metrics a query names; `own` are recorded under a name of yours and are not theirs.

    A colon is a mark of a metric; a name joined by an underscore may be anything, so it counts in a `query` or in a
    text that looks like one.
    """
    known = prefixes(wanted)
    patterns = [_pattern(known)] if any(one in text for one in known) else []
    if any(one in text for one in wanted.metrics) and (query or looks_asked(text)):
        patterns.append(joined_pattern(wanted.metrics))
    for pattern in patterns:
        yield from _matches(pattern, text, line, own)


def looks_asked(text: str) -> bool:
    """Whether a text is one long name or has the marks of a query: `rate(x[1m])`, `x{a="b"}`, `x > 3`."""
    return _WHOLE.fullmatch(text) is not None or _QUERY.search(text[:2000]) is not None


def _matches(pattern: re.Pattern[str], text: str, line: int, own: frozenset[str]) -> Iterator[Found]:
    seen = 0
    for match in pattern.finditer(text):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        after = text[match.end() : match.end() + 2]
        if match.group() not in own and after not in ("::", "//"):
            yield Found("metric", match.group().rstrip(":"), line)
