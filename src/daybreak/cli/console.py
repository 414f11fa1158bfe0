"""What Daybreak says while it works, in one voice on stderr, and text in columns of a terminal."""

from __future__ import annotations

import argparse
import os
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, Literal

from daybreak.cli.display import Display


def harmless(text: str) -> str:
    """Text of others, fit for a terminal: control codes and direction marks are dropped, line breaks become spaces."""
    from daybreak.core.text import without  # for those who only ask for help, its patterns need not be made

    return without(text.replace("\n", " ").replace("\t", " "))


class Voice:
    """Speaks on stderr."""

    def __init__(
        self, verbose: bool = False, quiet: bool = False, form: Literal["text", "json"] = "text", color: bool = True
    ) -> None:
        self.verbose, self.quiet, self._form = verbose, quiet, form
        moving = color and sys.stderr.isatty()
        self._display = Display("none" if quiet or form != "text" else "moving" if moving else "log")

    @classmethod
    def from_arguments(cls, arguments: argparse.Namespace) -> Voice:
        return cls(arguments.verbose, arguments.quiet, arguments.log_format, not arguments.no_color)

    def say(self, message: str, **facts: Any) -> None:
        """Something a user wants to know."""
        if not self.quiet:
            self._write("info", message, facts)

    def warn(self, message: str, **facts: Any) -> None:
        """Something that is not as it should be."""
        if not self.quiet:
            self._write("warning", message, facts)

    def detail(self, message: str, **facts: Any) -> None:
        """Something a user wants to know when looking closer; each of its lines on a line of its own."""
        for line in message.splitlines() if self.verbose and not self.quiet else ():
            self._write("debug", line, facts)

    def error(self, message: str, tip: str = "", **facts: Any) -> None:
        if self._form == "json":
            self._write("error", message, {**({"tip": tip} if tip else {}), **facts})
            return
        self._write("error", message, {})
        if tip:
            self._line(f"  tip: {harmless(tip)}")

    def _write(self, level: str, message: str, facts: dict[str, Any]) -> None:
        if self._form == "json":
            import json

            from daybreak.core.text import escaped

            self._line(escaped(json.dumps({"level": level, "message": harmless(message), **facts}, ensure_ascii=False)))
            return
        self._display.heard(harmless(message))
        self._line(f"daybreak: {harmless(message)}")

    def _line(self, line: str) -> None:
        encoding = sys.stderr.encoding or "utf-8"
        with self._display.above():
            try:
                sys.stderr.write(line.encode(encoding, "replace").decode(encoding) + "\n")
                sys.stderr.flush()
            except (OSError, ValueError):
                _speak_to_nobody()

    @contextmanager
    def progress(self, title: str, total: int = 0, *, even: bool = False) -> Iterator[Steps]:
        """Steps that are counted; where each takes about as long as the next (`even`), what is left is told as well."""
        with self._display.running(), self._display.counting(harmless(title), total, even):
            yield Steps(self._display)

    def attended(self) -> AbstractContextManager[None]:
        """Silence is filled: after two seconds by a moving line on a terminal, after ten by a line of the log elsewhere."""
        return self._display.running()


def _speak_to_nobody() -> None:
    """Nobody hears us, and the work goes on all the same; what is still to be written must not fail at the end either."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stderr.fileno())
        os.close(nowhere)


class Steps:
    """Told by the work as it goes on."""

    def __init__(self, display: Display) -> None:
        self._display = display

    def expect(self, count: int) -> None:
        """So many are to come; those before them are done."""
        self._display.expect(count)

    def done(self, what: str, count: int = 1) -> None:
        self._display.step(harmless(what), count)

    def more(self, count: int) -> None:
        """So many more, which have no names."""
        self._display.step("", count)


# --- Text in columns of a terminal, where wide characters (Chinese, Japanese, Korean) take two of them ---

_MORE = " …"
_LONGEST = 400
"""Characters of one piece: marks that take no column may be piled up without end."""
_CLINGS = "，。；：、！？）」』】》”’…"
"""Marks that do not begin a line."""
_OPENS = "（「『【《“‘"
"""Marks that do not end one."""


def width(text: str) -> int:
    """Columns that the text takes."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(sign: str) -> int:
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 0 if unicodedata.combining(sign) else 1


def padded(text: str, columns: int) -> str:
    """The text with spaces up to so many columns."""
    return text + " " * (columns - width(text))


def cut(text: str, columns: int) -> str:
    """As much of the text as fits, with a sign when that is not all."""
    return text if width(text) <= columns else f"{_begin(text, columns - 1)}…"


def _begin(text: str, columns: int) -> str:
    used = 0
    for at, sign in enumerate(text):
        used += _width(sign)
        if used > columns:
            return text[:at]
    return text


def wrapped(text: str, columns: int, most: int = 6) -> list[str]:
    """At most so many lines of at most so many columns; a line breaks at spaces and between wide characters."""
    lines: list[str] = []
    line = ""
    for piece in _pieces(harmless(text[: columns * (most + 1) * 4]), columns):
        if line and width(line) + width(piece.rstrip()) > columns:
            lines.append(line.rstrip())
            line = ""
        line += piece if line else piece.lstrip()
    lines += [line.rstrip()] if line.strip() else []
    if len(lines) > most:
        lines = [*lines[: most - 1], _begin(lines[most - 1], columns - len(_MORE)).rstrip() + _MORE]
    return lines or [""]


def _pieces(text: str, columns: int) -> Iterator[str]:
    """What stays together: a word with the spaces behind it, a wide character with the marks around it."""
    word, used = "", 0
    for sign in text:
        size = _width(sign)
        if word and (used + size > columns or len(word) >= _LONGEST or _parts(word[-1], sign)):
            yield word
            word, used = "", 0
        word, used = word + sign, used + size
    if word:
        yield word


def _parts(before: str, sign: str) -> bool:
    """A line may break between these two."""
    if sign in _CLINGS or sign == " " or before in _OPENS:
        return False
    return before == " " or _width(before) == 2 or _width(sign) == 2
