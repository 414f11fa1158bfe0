"""Command lines: shell text as words with their lines, and which watched program one starts with which flags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from daybreak.core.projects import Wanted
from daybreak.upgrade.downstream.readers import Found

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
        inner = self.text.find(piece, end, close) if piece == "${" else -1
        while inner >= 0 and close >= 0:  # `${counts["${name}"]}`: the quotes inside belong to the outer one
            close = self.text.find(_CLOSES[piece], close + 1, end + _MARK_MOST)
            inner = self.text.find(piece, inner + 1, close)
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


# --- One command line as uses: which watched program it starts, the flags it passes, the settings inside them ---

_FLAG = re.compile(r"(--[A-Za-z][\w-]{0,80})((?:\.[\w-]{1,80}){0,4})\+?(?:=(.*))?", re.DOTALL)
_SHORT = re.compile(r"-[A-Za-z][A-Za-z0-9]{0,4}")
_NUMBER = re.compile(r"-\d[\d.]{0,20}")
_SUBCOMMAND = re.compile(r"[a-z][a-z-]{1,30}")
_PYTHON = re.compile(r"(?:python|pypy)(?:\d(?:\.\d{1,2})?)?")
_MODULE = re.compile(r"[A-Za-z_]\w{0,60}(?:\.\w{1,60}){0,8}")
_JSON_KEY = re.compile(
    r'"([A-Za-z_][\w.-]{0,80})"[ \t\n]{0,20}:[ \t\n]{0,20}("[^"\n]{0,200}"|[\w.+-]{1,40})?|[{}\[\]]|"(?:[^"\\\n]|\\.){0,1000}"'
)
_GROUPED = frozenset({"bench"})
"""Subcommands that have subcommands."""
_WORDS_MOST = 3000


def base(text: str) -> str:
    """The program's own name: `/opt/venv/bin/vllm` is `vllm`."""
    return text.rpartition("/")[2].removesuffix(".exe")


def watched_module(module: str, wanted: Wanted) -> bool:
    """Whether a dotted name lies in a watched package."""
    return any(module == one or module.startswith(f"{one}.") for one in wanted.packages)


def program_at(words: Sequence[Word], at: int, wanted: Wanted) -> tuple[str, int] | None:
    """The watched program that starts at a word, and where its arguments start."""
    name = base(words[at].text)
    launched = _launched(words, at, wanted) if wanted.launchers else None
    if launched is not None:
        return launched
    if name in wanted.programs:
        label, at = name, at + 1
        for _ in range(2):
            if at >= len(words) or not _SUBCOMMAND.fullmatch(words[at].text):
                break
            label, at = f"{label} {words[at].text}", at + 1
            if label.rpartition(" ")[2] not in _GROUPED:
                break
        return label, at
    if not _PYTHON.fullmatch(name) and name not in ("-m", "torchrun"):
        return None
    start = at if name == "-m" else at + 1
    for i in range(start, min(start + 12, len(words) - 1)):
        if words[i].text == "-m":
            module = words[i + 1].text
            known = _MODULE.fullmatch(module) and watched_module(module, wanted)
            return (f"python -m {module}", i + 2) if known else None
    return None


def _launched(words: Sequence[Word], at: int, wanted: Wanted) -> tuple[str, int] | None:
    """The program that something of the reader's own hands its options on to, started by itself or by Python."""
    last = at + 12 if _PYTHON.fullmatch(base(words[at].text)) else at + 1
    for i in range(at, min(last, len(words))):
        name = base(words[i].text)
        if name in wanted.launchers and not words[i].text.startswith("-"):
            return wanted.launchers[name], i + 1
        if i > at and not words[i].text.startswith("-"):
            return None
    return None


def launched(words: Sequence[Word], known: tuple[str, int]) -> Iterator[Found]:
    """What a command uses of the program that `program_at` found in it: its script, where that is a file, and its flags."""
    program, at = known
    if program.endswith(".py"):
        yield Found("script", words[at - 1].text, words[at - 1].line, None, program)
    yield from flags(words[at:], program)


def flags(words: Sequence[Word], program: str) -> Iterator[Found]:
    """The flags of a program, with their values and the settings written inside them."""
    words = words[:_WORDS_MOST]
    for i, word in enumerate(words):
        match = _FLAG.fullmatch(word.text)
        value: str | None = None
        if match is None and not _SHORT.fullmatch(word.text):
            continue
        after = words[i + 1] if i + 1 < len(words) else None
        value_line = word.line
        if match and match[3] is not None:
            value = match[3]
        elif after is not None and (not after.text.startswith("-") or _NUMBER.fullmatch(after.text)):
            value, value_line = after.text, after.line
        name = match[1] if match else word.text
        yield Found("cli_flag", name, word.line, value, program)
        if match and match[2]:
            yield Found("config_key", f"{name[2:]}{match[2]}", word.line, value, program)
        elif value and value.lstrip().startswith("{") and '"' in value:
            for key, inner, offset in json_keys(value):
                yield Found("config_key", f"{name[2:]}.{key}", value_line + offset, inner, program)


def guessed_program(words: Sequence[Word], wanted: Wanted, among: Sequence[str] = ()) -> str | None:
    """The program that bare flags are for, when two of them are flags that hardly any other program has."""
    named = {word.text[2:].partition("=")[0].replace("_", "-") for word in words if word.text.startswith("--")}
    return guessed_by(named, wanted, among)


def guessed_by(names: set[str], wanted: Wanted, among: Sequence[str] = ()) -> str | None:
    """The program whose settings these names are, when at least two say so; `among` those, if any are given."""
    best = max(among or wanted.settings, key=lambda one: (len(names & wanted.settings[one]), one), default=None)
    return best if best is not None and len(names & wanted.settings[best]) >= 2 else None


def json_keys(text: str) -> Iterator[tuple[str, str | None, int]]:
    """Keys of a JSON object that may hold shell or template marks: the outermost ones, with the lines before."""
    depth, line, seen = 0, 0, 0
    for match in _JSON_KEY.finditer(text[:100_000]):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        piece = match.group()
        if piece in ("{", "["):
            depth += 1
        elif piece in ("}", "]"):
            depth -= 1
        elif match[1] and depth == 1:
            yield match[1], match[2].strip('"') if match[2] else None, line
