"""HTTP as your files write it: addresses and paths of servers, keys of the JSON bodies sent to them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from daybreak.upgrade.downstream.commands import json_keys
from daybreak.upgrade.downstream.readers import Found
from daybreak.upgrade.downstream.shell_words import Word

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
