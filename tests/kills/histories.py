"""A long history of one repository, made in one go; the same ids each time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from gitrepo import GitRepo

FIRST = datetime(2026, 1, 1, tzinfo=UTC)
A_DAY = 40
MODULES = 40


def long_history(path: Path, commits: int = 2000) -> GitRepo:
    """Forty commits a day from the first of January on, with files to read, tags, merges, and clocks that go wrong."""
    repo = GitRepo.make(path)
    repo.fast_import(b"".join(_commit(number) for number in range(1, commits + 1)) + _tags(commits))
    return repo


def _commit(number: int) -> bytes:
    moment = FIRST + timedelta(days=1) / A_DAY * (number - 1)
    if number % 97 == 0:
        moment -= timedelta(days=2)  # somebody's clock was wrong
    who = b"Ann Lee <ann@example.org> %d +0000\n" % int(moment.timestamp())
    parts = [b"commit refs/heads/main\nmark :%d\nauthor %scommitter %s" % (number, who, who), _data(_message(number))]
    if number > 1:
        parts.append(b"from :%d\n" % (number - 1))
    if number % 50 == 0:
        parts.append(b"merge :%d\n" % (number - 20))
    for name, text in _files(number).items():
        parts.append(b"M 100644 inline %s\n%s" % (name.encode(), _data(text)))
    return b"".join(parts) + b"\n"


def _message(number: int) -> str:
    kinds = ("Fix", "Add", "[Perf] Speed up", "[Doc] Explain", "Refactor", "Remove")
    return f"{kinds[number % len(kinds)]} part {number % MODULES} (#{number})\n\nIt was asked for in issue {number}.\n"


def _files(number: int) -> dict[str, str]:
    """One commit in six touches what others use."""
    module, size = number % MODULES, number // MODULES
    if number % 7 == 0:
        return {"requirements.txt": f"numpy=={number // 7}.0\n"}
    if number % 6 == 0:
        return {f"pkg/args_{module}.py": f'parser.add_argument("--part-{module}", default={size})\n'}
    body = "".join(f"def work_{n}(a, b):\n    return a + {n + size} * b\n\n\n" for n in range(3))
    return {f"pkg/part_{module}.py": body, f"docs/part_{module}.md": f"# Part {module}\n\nNumber {number}.\n"}


def _tags(commits: int) -> bytes:
    marks = range(150, commits + 1, 250)
    return b"".join(b"reset refs/tags/v0.%d.0\nfrom :%d\n\n" % (number, mark) for number, mark in enumerate(marks))


def _data(text: str) -> bytes:
    content = text.encode()
    return b"data %d\n%s\n" % (len(content), content)
