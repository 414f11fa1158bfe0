"""Trees of commits that lie near one another: one is listed and searched whole, of the next ones what differs alone.

The commits of a day follow each other, and most of what is asked of one is asked of many: who imports a module, where a
class stands. A whole tree costs git the reading of every file, a neighbour that of a few.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from daybreak.core.errors import GitError
from daybreak.core.git_program import Git

_FILES = 600
"""Files in which two trees differ; with more the other one is no neighbour."""
_TEXTS = 400
_ROWS = 5000
"""Texts of which it is kept where they stand, and places of one of them."""


class Searched(Protocol):
    """Which files of a tree are searched."""

    @property
    def pathspecs(self) -> tuple[str, ...]: ...

    def holds(self, path: str) -> bool: ...


class _Place(NamedTuple):
    path: str
    number: int


class _Known(NamedTuple):
    commit: str
    rows: Mapping[_Place, str]


class NearTrees:
    """What the trees of one repository hold, as far as it was asked."""

    def __init__(self, git: Git, mirror: Path) -> None:
        self._git, self._mirror = git, mirror
        self._listed: tuple[str, dict[str, str]] | None = None
        self._known: dict[tuple[str, Searched], _Known] = {}

    def files(self, commit: str) -> dict[str, str]:
        """Path -> blob id of every regular file; may raise `GitError`."""
        changed = self._differing(self._listed[0], commit) if self._listed else None
        if self._listed is None or changed is None:
            found = self._whole(commit)
        else:
            found = {path: oid for path, oid in self._listed[1].items() if path not in changed}
            found |= {path: oid for path, oid in changed.items() if oid}
            found = dict(sorted(found.items(), key=lambda row: _bytes(row[0])))
        self._listed = commit, found
        return found

    def lines(self, commit: str, texts: Iterable[str], where: Searched) -> list[tuple[str, str]] | None:
        """Path and text of every line that holds one of the texts, as git orders them; None when it cannot be searched."""
        wanted = sorted(set(texts))
        known = {text: one for text in wanted if (one := self._known.get((text, where)))}
        changed = {base: self._differing(base, commit) for base in {one.commit for one in known.values()}}
        rows: dict[_Place, str] = {}
        again: set[str] = set()
        for one in known.values():
            files = changed[one.commit]
            if files is not None:
                rows |= {place: line for place, line in one.rows.items() if place.path not in files}
                again |= {path for path, oid in files.items() if oid and where.holds(path)}
        near = [text for text, one in known.items() if changed[one.commit] is not None]
        try:
            rows |= self._grep(commit, [text for text in wanted if text not in near], where.pathspecs)
            rows |= self._grep(commit, near if again else [], [f":(literal,top){path}" for path in sorted(again)])
        except GitError:
            return None
        self._keep(commit, wanted, where, rows)
        return [(_plain(place.path), _plain(rows[place])) for place in sorted(rows, key=_order)]

    def _keep(self, commit: str, texts: Iterable[str], where: Searched, rows: Mapping[_Place, str]) -> None:
        for text in texts:
            held = {place: line for place, line in rows.items() if text in line}
            self._known.pop((text, where), None)
            if len(held) <= _ROWS:
                self._known[text, where] = _Known(commit, held)
        while len(self._known) > _TEXTS:
            del self._known[next(iter(self._known))]

    def _differing(self, base: str, commit: str) -> dict[str, str | None] | None:
        """Path -> blob of a regular file that is another one at the commit, None where it has none there; None for all
        where too much differs, or cannot be told.
        """
        how = ("diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none")
        with self._git.faults.made_good():  # what cannot be compared is asked whole
            try:
                told = self._git.run(*how, base, commit, at=self._mirror, whole=True) if base != commit else b""
            except GitError:
                return None
        cells = told.decode("utf-8", "surrogateescape").split("\0")
        if len(cells) % 2 == 0:  # of the last one only the head came
            return None
        heads = (head.split(" ") for head in cells[:-1:2])
        found = {
            path: row[3] if row[1].startswith("100") else None for row, path in zip(heads, cells[1::2], strict=False)
        }
        return found if len(found) <= _FILES else None

    def _whole(self, commit: str) -> dict[str, str]:
        rows = self._git.run("ls-tree", "-r", "-z", "--full-tree", commit, at=self._mirror, whole=True)
        found: dict[str, str] = {}
        for row in rows.decode("utf-8", "surrogateescape").split("\0"):
            head, _, path = row.partition("\t")
            if head.startswith("100"):
                found[path] = head.split()[2]
        return found

    def _grep(self, commit: str, texts: Sequence[str], paths: Sequence[str]) -> dict[_Place, str]:
        words = [part for text in texts for part in ("-e", text)]
        how = ("grep", "-I", "-F", "-z", "-n", "--no-color", *words, commit, "--", *paths)
        try:
            told = self._git.run(*how, at=self._mirror, whole=True) if texts else b""
        except GitError as error:
            if error.found_nothing:
                return {}
            raise
        found: dict[_Place, str] = {}
        for row in told.decode("utf-8", "surrogateescape").split("\n"):
            place, _, rest = row.partition("\0")
            number, _, line = rest.partition("\0")
            if number.isdigit():
                found[_Place(place.partition(":")[2], int(number))] = line
        return found


def _order(place: _Place) -> tuple[bytes, int]:
    return _bytes(place.path), place.number


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _plain(text: str) -> str:
    """Without what is no text."""
    return text if text.isascii() else _bytes(text).decode("utf-8", "replace")
