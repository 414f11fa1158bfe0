"""Which commits touched a line with a name: every content that they put in place of another is looked through once.

`git log -G` makes a diff of each file of each commit, and reads the same content again as the new side of one commit and
the old side of the next. Here git tells which contents each commit exchanged, and each is read once: a commit touched the
name where the lines that hold it differ between the two.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from daybreak.core.errors import GitError
from daybreak.core.git_program import Git

CODE = (
    "*.py", "*.pyi", "*.c", "*.cc", "*.cpp", "*.cxx", "*.cu", "*.cuh", "*.h", "*.hpp", "*.rs", "*.go", "*.proto",
    "*.toml", "*.txt", "*.in", "*.cmake", "*.sh", "*Dockerfile*",
)  # fmt: skip
_SUFFIXES = tuple(one.removeprefix("*") for one in CODE if not one.endswith("*"))
_ASIDE_NAMES = frozenset({"tests", "test", "docs", "benchmarks", "benchmark", "examples", ".github"})
ASIDE = tuple(f":(exclude,glob){place}{name}/**" for name in sorted(_ASIDE_NAMES) for place in ("", "**/"))
"""What of a repository is looked through, as git is told; `is_code` says the same of one path."""
_ROW = re.compile(rb":(\d{6}) (\d{6}) ([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [A-Z]\t(.+)")
_FILE = b"1"
"""How the mode of a file begins, and how that of a submodule goes on."""
_SUBMODULE = b"160000"
_NOTHING = b""


def is_code(path: str) -> bool:
    """What `CODE` and `ASIDE` mean to git."""
    return (path.endswith(_SUFFIXES) or "Dockerfile" in path) and not aside(path)


def aside(path: str) -> bool:
    """In a folder of tests, docs, benchmarks or examples."""
    return not _ASIDE_NAMES.isdisjoint(path.split("/")[:-1])


@dataclass(slots=True)
class NameSearch:
    """Looks for one name; what a content holds of it is remembered."""

    git: Git
    mirror: Path
    pattern: re.Pattern[bytes]
    """The name as it is written in a line."""
    parts: tuple[bytes, ...]
    """What every content with the name holds: asked first, since most hold none."""
    _held: dict[bytes, bytes] = field(default_factory=dict)
    """Content -> a digest of its lines with the name; empty where it has none."""

    def touching(self, shas: Sequence[str]) -> list[str]:
        """Those of the commits that touched a line with the name, beside their first parent."""
        exchanged = self._exchanged(shas)
        self._read({blob for pairs in exchanged.values() for pair in pairs for blob in pair} - self._held.keys())
        held = self._held
        return [
            sha
            for sha, pairs in exchanged.items()
            if any(held.get(old, _NOTHING) != held.get(new, _NOTHING) for old, new in pairs)
        ]

    def _exchanged(self, shas: Sequence[str]) -> dict[str, list[tuple[bytes, bytes]]]:
        """Commit -> the contents before and after of each of its files."""
        how = ("--no-walk=unsorted", "--stdin", "--diff-merges=first-parent", "--no-renames", "--raw", "--no-abbrev")
        lines = "".join(f"{sha}\n" for sha in shas).encode()
        rows = self.git.run("log", *how, "--format=%H", at=self.mirror, stdin=lines)
        found: dict[str, list[tuple[bytes, bytes]]] = {}
        pairs: list[tuple[bytes, bytes]] = []
        for row in rows.split(b"\n"):
            if match := _ROW.match(row):
                was, now, old, new, path = match.groups()
                if is_code(
                    path.strip(b'"').decode("utf-8", "replace")
                ):  # in quotes where it has rare letters; git's own patterns take thrice as long
                    pairs.append((old if _is_file(was) else _NOTHING, new if _is_file(now) else _NOTHING))
            elif row and not row.startswith(b":"):
                pairs = found.setdefault(row.decode("ascii"), [])
        return found

    def _read(self, blobs: set[bytes]) -> None:
        wanted = sorted(blobs - {_NOTHING})  # git finds objects faster in their order
        if not wanted:
            return
        asked = b"".join(blob + b"\n" for blob in wanted)
        with self.git.stream("cat-file", "--batch", "--buffer", at=self.mirror, stdin=asked) as stream:
            for blob in wanted:
                head = stream.output.readline().split()
                if len(head) != 3 or not head[2].isdigit():  # of its lines nothing is known: who asked must hear it
                    stream.lacks()
                    raise GitError("a content cannot be looked through", detail=f"missing blob {blob.decode('ascii')}")
                data = stream.output.read(int(head[2]) + 1)
                if len(data) != int(head[2]) + 1:
                    stream.lacks()
                    return
                self._held[blob] = self._digest(data)

    def _digest(self, data: bytes) -> bytes:
        if any(part not in data for part in self.parts):
            return _NOTHING
        lines = []
        for match in self.pattern.finditer(data):
            start = data.rfind(b"\n", 0, match.start()) + 1
            end = data.find(b"\n", match.end())
            lines.append(data[start : end if end >= 0 else len(data)])
        return hashlib.blake2b(b"\n".join(sorted(lines)), digest_size=16).digest() if lines else _NOTHING


def _is_file(mode: bytes) -> bool:
    return mode.startswith(_FILE) and mode != _SUBMODULE


def search_of(git: Git, mirror: Path, name: str) -> NameSearch:
    """For the last part of a name, with a dash or an underscore between its words."""
    words = [re.escape(word) for word in re.split("[-_]", name)]
    pattern = re.compile(rf"(?<![A-Za-z0-9_]){'[-_]'.join(words)}(?![A-Za-z0-9_-])".encode())
    parts = sorted((word.encode() for word in re.split("[-_]", name) if word), key=len, reverse=True)
    return NameSearch(git, mirror, pattern, tuple(parts))
