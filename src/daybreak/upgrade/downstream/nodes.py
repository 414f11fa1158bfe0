"""A file of keys and values as a tree in which every key and value knows its line; JSON and YAML's flow form.

Read without recursion and in linear time; comments of JSON with comments are passed over, and trailing commas.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

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
