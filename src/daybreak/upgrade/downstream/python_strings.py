"""Python strings: variables, operators, metrics, models, routes and commands that a file names by text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from daybreak.core.projects import Wanted
from daybreak.upgrade.downstream import nodes
from daybreak.upgrade.downstream.commands import Word, flags, guessed_program
from daybreak.upgrade.downstream.python_literals import behind, opening, pairs_of, text_of, value_of
from daybreak.upgrade.downstream.python_values import Instance, Notes, Value
from daybreak.upgrade.downstream.python_walk import Walk
from daybreak.upgrade.downstream.python_words import MODEL
from daybreak.upgrade.downstream.readers import Found
from daybreak.upgrade.downstream.shell_commands import Shell

# --- Commands that a Python file builds, as a list of words or as one string, read by the rules of shell scripts ---


OTHER = ""
"""The program is visible and is none of the watched ones."""
UNKNOWN = "{}"
"""A word that is only known at run time."""
_LAST = "--the-flag-that-comes-last"


def of_words(words: Sequence[Word], wanted: Wanted, program: str | None) -> list[Found]:
    """What a list of words says; `program` is the one that earlier words of the same command start, if known."""
    if program == OTHER or not words:
        return []
    if program is not None:
        return _cleaned(flags(words, program))
    found = list(Shell(wanted).run(words, 0))
    if not found and _is_open(words):
        guessed = guessed_program(words, wanted)
        found = [one for one in flags(words, guessed or "") if guessed or one.name.startswith("--")]
    return _cleaned(found)


def _is_open(words: Sequence[Word]) -> bool:
    """Whether the program may be a watched one: bare flags, or an unknown program with a subcommand."""
    head = [word.text for word in words[:3]]
    if any(text.endswith(".py") for text in head):
        return False
    return head[0].startswith("--") or (head[0] == UNKNOWN and len(head) > 1 and head[1].isalpha())


def program_of(words: Sequence[Word], wanted: Wanted) -> str | None:
    """The program a command starts: None when it cannot be seen, OTHER when it is not watched."""
    for one in Shell(wanted).run([*words, Word(_LAST, 1)], 0):
        if one.name == _LAST:
            return one.program or None
    seen = [word.text for word in words[:4]]
    hidden = not seen or seen[0] == UNKNOWN or seen[0].startswith("-")
    return None if hidden and not any(text.endswith(".py") for text in seen) else OTHER


def of_text(text: str, line: int, wanted: Wanted) -> list[Found]:
    """What a command written as one string says."""
    return _cleaned(Shell(wanted).read(text, line))


def of_rest(text: str, line: int, program: str | None) -> list[Found]:
    """Flags in a string that is added to a command."""
    return _cleaned(flags([Word(word, line) for word in text.split()[:1000]], program or ""))


def _cleaned(found: Iterable[Found]) -> list[Found]:
    """Without values and programs that are not known."""
    return [
        one._replace(
            value=None if one.value is None or UNKNOWN in one.value else one.value, program=one.program or None
        )
        for one in found
        if UNKNOWN not in one.name
    ]


# --- What strings of a Python file name: variables, operators, metrics, models, modules, commands and routes ---


_MOST = 20_000
"""Characters of one string that are looked at: a longer one is data."""
_ROUTE = re.compile(r"(?:/[A-Za-z_{][\w.{}-]{0,60}){1,8}/?")
_VERSIONED = re.compile(r"(?:/(?:api|openai|inference))?/v\d{1,2}(?:/[A-Za-z_{][\w.{}-]{0,60}){1,6}/?")
_ADDRESS = re.compile(r"https?://([^/\s?#]{0,200})((?:/[A-Za-z_{][\w.{}-]{0,60}){1,8})/?(?:[?#]\S{0,500})?")
_LOCAL = re.compile(
    r"(?:localhost|[\d.]+|\{\}|[\w-]+)(?::(?:\d+|\{\}))?|[\w.{}-]+:(?:\d+|\{\})|\[?[\d:a-f]*\]?:?\d*|[\w.-]+\.(?:svc|local|internal|lan|corp)"
)
_ENDING = re.compile(
    r"\.(?:py|json|jsonl|txt|md|ya?ml|toml|csv|log|bin|pt|pth|safetensors|so|sh|html?|png|jpe?g|cu|h)/?$"
)
_URL_NAME = re.compile(r"(?i)url|uri|host|addr|endpoint|server|port\b|api|origin|^base$")
_FILE_NAME = re.compile(r"(?i)dir|file|folder|path|root|cache|repo")


def see_string(found: Notes, node: ast.expr, text: str) -> None:
    """Look at a string wherever it stands; f-strings come with `{}` for what is not known."""
    if found.muted or len(text) > _MOST or not found.words.telling.search(text):
        return
    words, line = found.words, node.lineno
    if words.variable.fullmatch(text):
        if found.has_environment():
            found.add("env", text, line)
    elif matched := words.path.fullmatch(text):
        found.add("attribute", matched[0].replace(":", "."), line)
    elif MODEL.fullmatch(text):
        found.add("model", text, line)
    elif matched := words.operator.match(text):
        found.add("operator", matched[0], line)
    else:
        _see_text(found, node, text)


def _see_text(found: Notes, node: ast.expr, text: str) -> None:
    words = found.words
    for matched in words.metric.finditer(text):
        found.add("metric", matched[0], _line(node, text, matched.start()))
    if found.wanted.metrics and "_" in text and nodes.looks_asked(text):
        for matched in nodes.joined_pattern(found.wanted.metrics).finditer(text):
            found.add("metric", matched[0], _line(node, text, matched.start()))
    if _VERSIONED.fullmatch(text):
        see_route(found, text, node.lineno)
    elif "://" in text and (address := _ADDRESS.fullmatch(text)) is not None:
        if not nodes.foreign(text) and (_LOCAL.fullmatch(address[1]) or _VERSIONED.fullmatch(address[2])):
            see_route(found, address[2], node.lineno)
    elif words.command.search(text):
        found.add_all(of_text(text, node.lineno, found.wanted), node.end_lineno or node.lineno)


def _line(node: ast.expr, text: str, at: int) -> int:
    """The line of a place in a string: exact in a triple-quoted one, never past the end of the string."""
    return min(node.lineno + text.count("\n", 0, at), node.end_lineno or node.lineno)


def see_route(found: Notes, text: str, line: int) -> None:
    """A string that is known to be the end of an address."""
    route = text.partition("?")[0]
    if not found.muted and not found.declaring and _ROUTE.fullmatch(route) and not _ENDING.search(route):
        found.add("route", route.rstrip("/") or route, line)


def is_address_name(node: ast.expr) -> bool:
    """Whether an expression's name says that it holds an address (`base_url`, `self.host`)."""
    while isinstance(node, ast.Call | ast.Subscript | ast.FormattedValue):
        node = node.func if isinstance(node, ast.Call) else node.value
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return bool(_URL_NAME.search(name)) and not _FILE_NAME.search(name)


def see_joined(found: Notes, node: ast.JoinedStr) -> None:
    """An f-string: its literal parts, and the route that follows an address."""
    parts = [str(one.value) if isinstance(one, ast.Constant) else "{}" for one in node.values]
    if sum(map(len, parts)) > _MOST:
        return
    text = "".join(parts)
    start = text.find("/", 2)
    if text.startswith("{}") and start >= 0 and _is_address(node, parts, start):
        see_route(found, text[start:], node.lineno)
    else:
        see_string(found, node, text)


def _is_address(node: ast.JoinedStr, parts: list[str], start: int) -> bool:
    """Whether what stands before the first slash is an address: `{base_url}`, `{host}:{port}`."""
    length = 0
    for part, one in zip(parts, node.values, strict=True):
        if length >= start:
            return False
        if isinstance(one, ast.FormattedValue) and is_address_name(one.value):
            return True
        length += len(part)
    return False


# --- Requests that a Python file sends to a server: the route, and the fields of the JSON body ---


METHODS = ("post", "put", "get", "delete", "request", "stream", "urlopen", "Request", "urljoin")
CLIENTS = ("OpenAI", "AsyncOpenAI", "AzureOpenAI", "AsyncAzureOpenAI", "Client", "AsyncClient", "ClientSession")
FOREIGN = "https:"
"""Path of a client that talks to somebody else's server: no package can be called that."""
_ENDPOINTS = frozenset(("completions", "responses", "embeddings", "transcriptions", "translations", "speech", "models"))
_CLIENT = frozenset(("extra_body", "extra_headers", "extra_query", "timeout", "stream_cls"))
"""Arguments of a client's own, which do not go into the body."""


def client(walk: Walk, node: ast.Call, callee: Value) -> Value | None:
    """`OpenAI(base_url="https://api.…")`: what is sent with it goes to somebody else; None when it may not."""
    if isinstance(callee, str) and walk.words.watches(callee):
        return None
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    given = [one.value for one in node.keywords if one.arg in {"base_url", "url", "azure_endpoint"}] or node.args[:1]
    theirs = "Azure" in name or any(nodes.foreign(opening(one, walk.scope)) for one in given)
    return Instance(FOREIGN) if theirs else None


def _elsewhere(walk: Walk, node: ast.Call, callee: Value) -> bool:
    """Whether a request plainly goes to a server of somebody else."""
    if isinstance(callee, str) and callee.startswith(FOREIGN):
        return True
    given = (*node.args[:2], *(one.value for one in node.keywords if one.arg == "url"))
    return any(nodes.foreign(opening(one, walk.scope)) for one in given)


def request(walk: Walk, node: ast.Call, callee: Value = None) -> None:
    """`requests.post(url, json={…})`, `session.post("/generate", data=json.dumps(payload))`."""
    if _elsewhere(walk, node, callee):
        walk.done.update(id(one) for one in node.args[:2] if isinstance(one, ast.Constant))
        return
    for one in (*node.args[:2], *(one.value for one in node.keywords if one.arg in {"url", "path", "endpoint"})):
        text = text_of(one, walk.scope)
        if text is not None and text.startswith("/"):
            see_route(walk.found, text, one.lineno)
    for keyword in node.keywords:
        if keyword.arg in {"json", "data", "content"}:
            body(walk, keyword.value)


def completion(walk: Walk, node: ast.Call, callee: Value = None) -> None:
    """`client.chat.completions.create(model=…, extra_body={…})` of a client with an OpenAI-like interface."""
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    if not isinstance(owner, ast.Attribute) or owner.attr not in _ENDPOINTS:
        return
    if isinstance(callee, str) and callee.startswith(FOREIGN):
        return
    for keyword in node.keywords:
        if keyword.arg == "extra_body":
            body(walk, keyword.value)
        elif keyword.arg is None:
            _options(walk, keyword.value)
        elif keyword.arg not in _CLIENT:
            line, value = keyword.value.lineno, value_of(keyword.value, walk.scope)
            walk.found.add("request_field", keyword.arg, line, value=value)


def _options(walk: Walk, node: ast.expr) -> None:
    for key, value in pairs_of(node, walk.scope):
        if key == "extra_body":
            body(walk, value)
        elif key not in _CLIENT:
            walk.found.add("request_field", key, value.lineno, value=value_of(value, walk.scope))


def body(walk: Walk, node: ast.expr) -> None:
    """Keys of a JSON body, with those one level below as `outer.inner`."""
    node = _dumped(node, walk)
    for key, value in pairs_of(node, walk.scope):
        if not key or len(key) > 100:
            continue
        walk.found.add("request_field", key, value.lineno, value=value_of(value, walk.scope))
        for inner, below in pairs_of(value, walk.scope):
            walk.found.add("request_field", f"{key}.{inner[:100]}", below.lineno, value=value_of(below, walk.scope))


def _dumped(node: ast.expr, walk: Walk) -> ast.expr:
    """What `json.dumps(…)` and `.encode()` are made from."""
    inner = behind(node, walk.scope)
    for _ in range(3):
        if not isinstance(inner, ast.Call):
            break
        if isinstance(inner.func, ast.Attribute) and inner.func.attr == "encode":
            inner = inner.func.value
        elif inner.args and isinstance(inner.func, ast.Attribute | ast.Name) and _last(inner.func) == "dumps":
            inner = behind(inner.args[0], walk.scope)
        else:
            break
    return node if inner is None else inner


def _last(node: ast.Attribute | ast.Name) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id
