"""Code in blocks: lines of a diff stand in the diff, and names that other code defines or decorates with are real."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from daybreak.core.markdown_page import Line, plain
from daybreak.verify.check_input import Study
from daybreak.verify.context import Spot, listed
from daybreak.verify.mirror import Commit, Shown

_DIFF = re.compile(r"^[+\- @]")
_BULLET = re.compile(r"^[+\-\s]*[*\-#>]*\s*")
_DOTS = re.compile(r"(?:\.{3}|…).*$")
_DEFINED = re.compile(
    r"(?:\b(?:def|class|struct|enum class|enum|fn|func|function|interface|namespace)\s+([A-Za-z_]\w{2,80})"
    r"|^\s*@([A-Za-z_][\w.]{3,80})|^\s*#define\s+([A-Za-z_]\w{2,80})|^\s*(?:from|import)\s+([A-Za-z_][\w.]{2,80}))"
)
_COMMENT = re.compile(r"^\s*(?:#(?!define|include)|//|/\*|\*|--|;|<!--)")
_NOT_CODE = {"text", "json", "markdown", "md", "mermaid", "console", "log", "output", "quote"}
_MOST = 2_000
"""Lines of one block that are looked at."""


class _Block(Struct, frozen=True):
    info: str
    spot: Spot
    lines: tuple[Line, ...]
    more: int
    """Lines beyond those that are looked at."""


def check(study: Study) -> None:
    blocks = list(_blocks(study))
    _read_ahead(study, blocks)
    for block in blocks:
        commits = _shown(study, block.spot.commits)
        if block.more:
            study.findings.unknown("snippet", f"lines of a block beyond {_MOST}", block.more)
        if not block.spot.commits or block.spot.issues or block.spot.advice:
            continue
        if not commits:
            study.findings.unknown("snippet", "the mirror does not have the diff of the commit")
        elif block.info.split(" ")[0].lower() in ("diff", "patch"):
            _diff(study, block, commits)
        elif block.info.split(" ")[0].lower() not in _NOT_CODE:
            _code(study, block, commits)


def _blocks(study: Study) -> Iterator[_Block]:
    """Each block with the line before it that says what it shows."""
    for spot in study.spots:
        lines = study.page.blocks.get(spot.line.number) if spot.line.fence is not None else None
        if lines:
            yield _Block(lines[0].info, spot, tuple(lines[:_MOST]), max(0, len(lines) - _MOST))


def _read_ahead(study: Study, blocks: list[_Block]) -> None:
    wanted: dict[str, set[str]] = {}
    for block in blocks:
        for commit in block.spot.commits:
            wanted.setdefault(commit.repo, set()).add(commit.sha)
    for repo, shas in wanted.items():
        mirror = study.mirror(repo)
        if mirror:
            mirror.show(sorted(shas))


def _shown(study: Study, commits: tuple[Commit, ...]) -> list[tuple[Commit, Shown]]:
    return [(c, s) for c in commits if (m := study.mirror(c.repo)) and (s := m.shown(c.sha)) and s.whole]


def _diff(study: Study, block: _Block, commits: list[tuple[Commit, Shown]]) -> None:
    indent = min((line.indent for line in block.lines if not line.blank), default=0)
    opening = block.spot.line
    cut = min(indent, opening.indent)
    for line in block.lines:
        text = line.text[cut:].rstrip()
        if not _DIFF.match(text) or any(text in shown.rows for _, shown in commits) or not text.strip("+-@ "):
            study.findings.true("snippet")
            continue
        words = _DOTS.sub("", _BULLET.sub("", text)).rstrip()
        held = len(words) < 8 or any(shown.has(words) for _, shown in commits)
        why = f"this line is not in the diff of {listed(c for c, _ in commits)}"
        study.findings.decide(held, "snippet", line.number, text[:80], why)


def _code(study: Study, block: _Block, commits: list[tuple[Commit, Shown]]) -> None:
    """A name the block defines, decorates with or imports must be in the diff, its context or its message."""
    for line in block.lines:
        if line.blank or _COMMENT.match(line.text):
            continue
        m = _DEFINED.search(line.text)
        if not m:
            continue
        name = next(group for group in m.groups() if group)
        word = re.compile(rf"(?<![\w]){re.escape(name)}(?![\w])")
        if any(word.search(shown.text) for _, shown in commits):
            study.findings.true("snippet")
            continue
        held = _in_files(study, commits, name)
        if held is None:
            study.findings.unknown("snippet", "not all files of the commit could be searched")
            continue
        why = f"`{plain(name)}` is not in the diff of {listed(c for c, _ in commits)}"
        study.findings.decide(held, "snippet", line.number, line.text.strip()[:80], why, m.span())


def _in_files(study: Study, commits: list[tuple[Commit, Shown]], name: str) -> bool | None:
    """In a file the commit touched, as it is after the commit; None: not to be known."""
    mirrors = [(commit.sha, mirror) for commit, _ in commits if (mirror := study.mirror(commit.repo))]
    found = [mirror.in_files(sha, name) for sha, mirror in mirrors]
    return True if True in found else None if None in found else False
