"""Requests that a Python file sends to a server: the route, and the fields of the JSON body."""

from __future__ import annotations

import ast

from daybreak.upgrade.downstream import routes
from daybreak.upgrade.downstream.python_literals import behind, opening, pairs_of, text_of, value_of
from daybreak.upgrade.downstream.python_strings import see_route
from daybreak.upgrade.downstream.python_values import Instance, Value
from daybreak.upgrade.downstream.python_walk import Walk

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
    theirs = "Azure" in name or any(routes.foreign(opening(one, walk.scope)) for one in given)
    return Instance(FOREIGN) if theirs else None


def _elsewhere(walk: Walk, node: ast.Call, callee: Value) -> bool:
    """Whether a request plainly goes to a server of somebody else."""
    if isinstance(callee, str) and callee.startswith(FOREIGN):
        return True
    given = (*node.args[:2], *(one.value for one in node.keywords if one.arg == "url"))
    return any(routes.foreign(opening(one, walk.scope)) for one in given)


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
