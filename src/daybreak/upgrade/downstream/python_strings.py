"""What strings of a Python file name: variables, operators, metrics, models, modules, commands and routes."""

from __future__ import annotations

import ast
import re

from daybreak.upgrade.downstream import promql, routes
from daybreak.upgrade.downstream.python_commands import of_text
from daybreak.upgrade.downstream.python_notes import Notes
from daybreak.upgrade.downstream.python_words import MODEL

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
    if found.wanted.metrics and "_" in text and promql.looks_asked(text):
        for matched in promql.joined_pattern(found.wanted.metrics).finditer(text):
            found.add("metric", matched[0], _line(node, text, matched.start()))
    if _VERSIONED.fullmatch(text):
        see_route(found, text, node.lineno)
    elif "://" in text and (address := _ADDRESS.fullmatch(text)) is not None:
        if not routes.foreign(text) and (_LOCAL.fullmatch(address[1]) or _VERSIONED.fullmatch(address[2])):
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
