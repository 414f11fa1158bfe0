"""Functions that are open at a line of a diff."""

from __future__ import annotations

import re

_WIDEST = 400
HEAD = re.compile(
    r"(?:(?:async|pub(?:\([\w:]{1,40}\))?|export|default|static|inline|const|constexpr|unsafe|extern|virtual|public|private"
    r"|protected|abstract|final|__\w{4,20}__)\s+){0,6}"
    r"(?:def|class|fn|func|function|void|struct)\s+(?:\([^()]{0,80}\)\s*)?([A-Za-z_]\w{1,80})\s*[(<:{\[]"
)


class Scopes:
    """The functions that are open at a line, by indentation: git's own words for a hunk may name one that ended above it."""

    def __init__(self, head: str) -> None:
        self._open: list[tuple[int, str]] = []
        self._promised = False
        """The innermost has no body yet: a semicolon makes a mere declaration of it."""
        self.at(head)

    def at(self, line: str) -> str:
        """The function that a line stands in; its own head opens one."""
        text = line.strip()[:_WIDEST]
        depth = len(line) - len(line.lstrip())
        if text and not text.startswith(_KEEPS):
            while self._open and self._open[-1][0] >= depth:
                self._open.pop()
        here = self._open[-1][1] if self._open else ""
        if head := HEAD.match(text):  # it stands in what is around it
            self._open.append((depth, head[1]))
            self._promised = True
        if self._promised and text:
            if text.endswith(");") and self._open:
                self._open.pop()
            self._promised = not text.endswith((";", "{", ":")) and "{" not in text
        return here


_KEEPS = (")", "]", "}", "{", "#", "//", "*", "public:", "private:", "protected:")
"""How lines begin that end no function though they are not deeper than its head."""
