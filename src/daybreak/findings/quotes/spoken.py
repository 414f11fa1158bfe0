"""Texts that a program says: errors, warnings, log lines and help, as the literals of the statement that says them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from daybreak.findings.diff import SideLine
from daybreak.findings.quotes.prose import LONGEST_LINE

Spoken = Literal["error", "log", "help"]

_SAYS: tuple[tuple[Spoken, re.Pattern[str]], ...] = (
    (
        "error",
        re.compile(
            r"\braise\s+[\w.]+\(|\bassert\s|\bthrow\b|\b(?:static_assert|panic!|bail!|anyhow!|ensure!|unimplemented!)|\w*(?:CHECK|ASSERT|ENFORCE)\w*\("
            r"|\b(?:fmt\.Errorf|errors\.New|errors\.Errorf|log\.Fatalf?)\(|\.expect\(|\b\w*[lL]og\w*\.(?:error|exception|critical|fatal)\w*\("
            r"|\bparser\.error\(|\bcreate_error_response\("
        ),
    ),
    (
        "log",
        re.compile(
            r"\b\w*[lL]og\w*\.(?:warn|info)\w*\(|\bwarnings\.warn\(|\b(?:warn|info|warning|log|tracing::\w+|log::\w+)!\(|\bconsole\.(?:warn|error|log)\("
            r"|\bLOG\((?:WARNING|INFO|ERROR)\)|\blevel\.(?:Warn|Info|Error)\("
        ),
    ),
    (
        "help",
        re.compile(
            r"\b(?:help|description|doc|documentation)\s*=\s*(?:$|[(frb]{0,2}[\"'(])|\.(?:help|about|long_help)\(|\.Flag\("
            r"|^\s{0,40}\w{1,80}:\s?(?:\w{1,40}\.)?A(?:nnotated)?\["
        ),
    ),
)
_HINT = re.compile(
    r"raise |assert|throw|CHECK|ASSERT|ENFORCE|!\(|Errorf|errors\.|og|LOG|warn|help|descr|doc|expect\(|console|about\(|Flag\(|error|level|: ?\S{0,40}A(?:nnotated)?\["
)
"""One of these stands in every line that says something: asked first, since most lines have none."""
_LITERAL = re.compile(r"[fFrRbBuL]{0,2}(\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')")
_OPEN = re.compile(r"(?:[:,=(]|\b(?:got|is|was|for|of|be|to))$")
"""How a text ends to which the program adds a value."""
_HANDS_ON = "%w"
"""How a text ends that only says where another error passed by: it refuses nothing itself."""
_AT_MOST = 14
"""Lines of one statement that are looked at."""


class Said(NamedTuple):
    """What one statement says."""

    source: Spoken
    line: SideLine
    text: str
    stays: bool
    """Its first line stays: the statement stands on both sides, in other words."""


def spoken(lines: Sequence[SideLine]) -> Iterator[Said]:
    """What statements of one side say, of those whose words the change touched."""
    behind = -1
    for at, line in enumerate(lines):
        if at <= behind or len(line.text) > LONGEST_LINE or line.text.lstrip().startswith(("#", "//", "*")):
            continue
        if not _HINT.search(line.text):
            continue
        found = next(((source, m) for source, pattern in _SAYS if (m := pattern.search(line.text))), None)
        if found is None:
            continue
        source, mark = found
        pieces, length = _literals(lines, at, mark.start())
        behind = at + length - 1
        if any(x.changed for x, _ in pieces):
            text = "".join(piece for _, piece in pieces)
            text = " ".join(text.replace("\\n", " ").replace('\\"', '"').split())
            stays = not line.changed and pieces[0][0] is not line
            if text.endswith(_HANDS_ON):
                continue
            yield Said(source, pieces[0][0], f"{text} …" if _OPEN.search(text) else text, stays)


def _literals(lines: Sequence[SideLine], at: int, start: int) -> tuple[list[tuple[SideLine, str]], int]:
    """String literals of the statement that begins there, and its lines; it ends where its brackets close.

    What stands between two literals and is code is a dash of its own: `…`.
    """
    depth, between = 0, ""
    out: list[tuple[SideLine, str]] = []
    for number, line in enumerate(lines[at : at + _AT_MOST], 1):
        text, end = line.text[start:LONGEST_LINE], 0
        for match in _LITERAL.finditer(text):
            between += text[end : match.start()]
            end = match.end()
            apart = bool(between.strip(" ()fFrR"))
            if " " in match[1] or (out and not apart):
                out.append((line, (" … " if out and apart else "") + match[1][1:-1]))
                between = ""
        between += text[end:]
        bare = _LITERAL.sub("", text)
        depth += sum(map(bare.count, "([{")) - sum(map(bare.count, ")]}"))
        start = 0
        behind = lines[at + number].text[:LONGEST_LINE].strip() if at + number < len(lines) else ""
        goes_on = text.rstrip().endswith(("\\", "=", "(")) if not out else bool(_LITERAL.match(behind)) and depth == 0
        if depth <= 0 and not goes_on:
            return out, number
    return out, _AT_MOST
