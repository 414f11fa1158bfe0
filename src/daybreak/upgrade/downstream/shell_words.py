"""Shell text as commands of words, each word with its line; nothing is run and nothing is expanded.

Quotes, escapes, continued lines, comments, here-documents, command substitutions and template marks (`{{ … }}`) are
known; what is not closed stands for itself. Time is linear in the text: every search that fails is not tried again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

DEEPEST = 4
"""Commands inside commands that are followed."""

_PIECE = re.compile(
    r"""(?P<joined>\\\n)|(?P<space>[ \t\f\v]+)|(?P<newline>\n)
    |(?P<template>\$?\{\{|\{%)
    |(?P<here><<-?[ \t]*(?P<mark>['"]?)(?P<end>[A-Za-z_][\w.-]{0,60})(?P=mark))
    |(?P<redirect><<<|[&]?>(?:>|\||&(?:\d{1,2}|-))?|<(?:&\d)?(?!\())
    |(?P<single>')|(?P<double>")
    |(?P<substitution>\$\()|(?P<parameter>\$\{)|(?P<tick>`)
    |(?P<stop>;;?|&&|\|\|?&?|&|\(|\))
    |(?P<escaped>\\[^\n])|(?P<hash>\#)
    |(?P<chunk>[^\s'"\\$`;&|<>(){\#]+)|(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_CLOSES = {"{{": "}}", "${{": "}}", "{%": "%}", "${": "}"}
_MARK_MOST = 400
"""Characters of a template mark or a parameter; a longer one stands for itself."""
_UNESCAPE = re.compile(r"\\([\"\\$`])")
_ARRAY = re.compile(r"[A-Za-z_]\w{0,100}\+?=")
_DIGITS = re.compile(r"\d{1,2}")


class Word(NamedTuple):
    """One word of a command, without its quotes."""

    text: str
    line: int
    literal: bool = False
    """In single quotes as a whole: the shell expands nothing in it."""


class Here(NamedTuple):
    """The body of a here-document."""

    text: str
    line: int


@dataclass(slots=True)
class Command:
    """One simple command; an array assignment `A=(x y)` is a command whose first word ends with `=(`."""

    words: list[Word] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    """Files its output goes to."""
    bodies: list[Here] = field(default_factory=list)


def commands(text: str, line: int = 1, depth: int = 0) -> list[Command]:
    """The commands of a text, those in `$(…)` and backticks after the one that holds them."""
    return _Scan(text.replace("\r\n", "\n"), line, depth).all()


class _Scan:
    def __init__(self, text: str, line: int, depth: int) -> None:
        self.text, self.line, self.depth = text, line, depth
        self.done: list[Command] = []
        self.inner: list[Command] = []
        self.now = Command()
        self.parts: list[str] | None = None
        self.word_line = line
        self.literal = True
        self.redirected = False
        self.array = False
        self.waiting: list[tuple[Command, str]] = []
        self.unclosed: set[str] = set()

    def all(self) -> list[Command]:
        at = 0
        while at < len(self.text):
            match = _PIECE.match(self.text, at)
            assert match is not None
            at = self.step(match, str(match.lastgroup), at)
        self.end_command()
        return self.done

    def step(self, match: re.Match[str], kind: str, at: int) -> int:
        piece, end = match.group(), match.end()
        if kind == "end":  # the innermost group of `here`
            kind = "here"
        if kind in ("single", "double", "substitution", "tick"):
            return self.quoted(kind, at, end)
        if kind in ("template", "parameter"):
            return self.marked(piece, at, end)
        if kind == "hash" and self.parts is None:
            stop = self.text.find("\n", at)
            return len(self.text) if stop < 0 else stop
        if kind in ("space", "joined"):
            self.end_word()
        elif kind == "newline":
            return self.newline(end)
        elif kind == "here":
            self.end_word()
            self.waiting.append((self.now, match.group("end")))
        elif kind == "redirect":
            self.redirect(piece)
        elif kind == "stop":
            self.stop(piece)
        else:
            self.add(match.group()[1:] if kind == "escaped" else piece)
        self.line += piece.count("\n")
        return end

    def marked(self, piece: str, at: int, end: int) -> int:
        close = self.text.find(_CLOSES[piece], end, end + _MARK_MOST)
        inside = self.text[at : close + len(_CLOSES[piece])] if close >= 0 else "\n"
        inside = piece if "\n" in inside else inside
        self.add(inside)
        return at + len(inside)

    def add(self, part: str, *, literal: bool = False) -> None:
        if self.parts is None:
            self.parts, self.word_line, self.literal = [], self.line, literal
        self.literal = self.literal and literal
        self.parts.append(part)

    def quoted(self, kind: str, at: int, end: int) -> int:
        close = self.closing(kind, end)
        if close < 0:
            self.unclosed.add(kind)
            self.add(self.text[at:end])
            return end
        body = self.text[end:close]
        if kind == "single":
            if self.parts and self.parts[-1] == "$":
                self.parts.pop()
            self.add(body, literal=True)
        elif kind == "double":
            self.add(_UNESCAPE.sub(r"\1", body))
            if "$(" in body and self.depth < DEEPEST:
                self.nested(body, self.line)
        else:
            self.add(self.text[at : close + 1])
            if self.depth < DEEPEST:
                self.inner += commands(body, self.line, self.depth + 1)
        self.line += body.count("\n")
        return close + 1

    def nested(self, body: str, line: int) -> None:
        """Substitutions inside double quotes, as far as they close in them."""
        for match in re.finditer(r"\$\(([^()\n]{1,500})\)", body):
            inner_line = line + body.count("\n", 0, match.start()) if len(body) < 10_000 else line
            self.inner += commands(match.group(1), inner_line, self.depth + 1)

    def closing(self, kind: str, start: int) -> int:
        if kind in self.unclosed:
            return -1
        if kind == "single":
            return self.text.find("'", start)
        if kind == "tick":
            return self.text.find("`", start)
        return _close_double(self.text, start) if kind == "double" else _close_paren(self.text, start)

    def newline(self, end: int) -> int:
        if self.array:
            self.end_word()
        else:
            self.end_command()
        self.line += 1
        for command, mark in self.waiting:
            end = self.here_body(command, mark, end)
        self.waiting = []
        return end

    def here_body(self, command: Command, mark: str, start: int) -> int:
        found = re.compile(rf"^[ \t]*{re.escape(mark)}[ \t]*$", re.MULTILINE).search(self.text, start)
        close = len(self.text) if found is None else found.start()
        body = self.text[start:close]
        command.bodies.append(Here(body, self.line))
        self.line += body.count("\n")
        return close if found is None else found.end()

    def redirect(self, piece: str) -> None:
        if self.parts is not None and len(self.parts) == 1 and _DIGITS.fullmatch(self.parts[0]):
            self.parts = None  # `2>`
        self.end_word()
        self.redirected = piece[-1] not in "0123456789-"

    def stop(self, piece: str) -> None:
        if piece == "(" and self.parts and _ARRAY.fullmatch("".join(self.parts)):
            self.add("(")
            self.end_word()
            self.array = True
        elif piece == ")" and self.array:
            self.end_word()
            self.array = False
        elif not self.array:
            self.end_command()

    def end_word(self) -> None:
        if self.parts is None:
            return
        word = Word("".join(self.parts), self.word_line, self.literal)
        self.parts = None
        if self.redirected:
            self.now.targets.append(word.text)
        else:
            self.now.words.append(word)
        self.redirected = False

    def end_command(self) -> None:
        self.end_word()
        self.redirected = self.array = False
        if self.now.words or any(one is self.now for one, _ in self.waiting):
            self.done.append(self.now)
        self.done += self.inner
        self.now, self.inner = Command(), []


_DOUBLE = re.compile(r'[^"\\]+|\\.|"', re.DOTALL)
_PAREN = re.compile(r"[^()'\"\\]+|\\.|[()'\"]", re.DOTALL)


def _close_double(text: str, start: int) -> int:
    while match := _DOUBLE.match(text, start):
        if match.group() == '"':
            return start
        start = match.end()
    return -1


def _close_paren(text: str, start: int) -> int:
    """Where the bracket closes; brackets in quotes do not count."""
    open_ones, unclosed = 1, False
    while match := _PAREN.match(text, start):
        piece, end = match.group(), match.end()
        if piece == "'" and not unclosed:
            close = text.find("'", end)
            unclosed = close < 0
            end = end if unclosed else close + 1
        elif piece == '"':
            close = _close_double(text, end)
            if close < 0:
                return -1
            end = close + 1
        open_ones += {"(": 1, ")": -1}.get(piece, 0)
        if not open_ones:
            return start
        start = end
    return -1
