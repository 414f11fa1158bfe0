"""Two folders of sources without history, as two commits of a throw-away repository: a range like any other.

Nothing of the folders is run or followed: links stay links, files too large to be sources and files that cannot be
read are left out and named.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from daybreak.core.errors import UsageError
from daybreak.core.git_program import Git, readable
from daybreak.core.model.changes import Repo, Skipped
from daybreak.core.model.upgrade import Ref, Span

LARGEST = 8 << 20
"""Bytes of a file that is taken over; a larger one is data."""
MOST_FILES = 20_000
_CHUNK = 16 << 20
_ASIDE = frozenset({b".git", b".hg", b".svn", b"__pycache__"})
_DATES = {"old": datetime(2000, 1, 1, tzinfo=UTC), "new": datetime(2000, 1, 2, tzinfo=UTC)}
_WHO = "Daybreak"
_ADDRESS = "daybreak@localhost"


@dataclass(slots=True)
class _Folder:
    """One side while it is taken over."""

    root: bytes
    shown: str
    skipped: list[Skipped] = field(default_factory=list)
    count: int = 0

    def skip(self, path: bytes, reason: str) -> None:
        where = path.decode("utf-8", "replace")
        self.skipped.append(Skipped(readable(f"{self.shown}/{where}"), reason))

    def files(self) -> Iterator[tuple[bytes, bytes, bytes]]:
        """(mode, path, content) of every file, in the order of their names."""
        for place, folders, names in os.walk(self.root, onerror=self._closed):
            links = [name for name in folders if os.path.islink(os.path.join(place, name))]  # noqa: PTH114, PTH118
            folders[:] = sorted(name for name in folders if name not in _ASIDE and name not in links)
            for name in sorted((*names, *links)):
                full = os.path.join(place, name)  # noqa: PTH118  bytes: a name need not be text
                path = os.path.relpath(full, self.root)
                found = self._content(full, path)
                if found is not None:
                    yield found[0], path, found[1]

    def _content(self, full: bytes, path: bytes) -> tuple[bytes, bytes] | None:
        try:
            known = os.lstat(full)
            if stat.S_ISLNK(known.st_mode):
                return b"120000", os.readlink(full)  # noqa: PTH115
            if not stat.S_ISREG(known.st_mode):
                self.skip(path, "it is no regular file")
            elif known.st_size > LARGEST:
                self.skip(path, f"it is larger than {LARGEST >> 20} MiB")
            elif self.count >= MOST_FILES:
                self.skip(path, f"the folder has more than {MOST_FILES} files")
            else:
                self.count += 1
                mode = b"100755" if known.st_mode & 0o111 else b"100644"
                with open(full, "rb") as file:  # noqa: PTH123
                    return mode, file.read(LARGEST)
        except OSError as error:
            self.skip(path, f"it cannot be read: {error.strerror}")
        return None

    def _closed(self, error: OSError) -> None:
        self.skip(os.path.relpath(os.fsencode(error.filename), self.root), f"it cannot be read: {error.strerror}")


def import_trees(git: Git, old: Path, new: Path, folder: Path) -> Span:
    """A range of one commit from one folder of sources to another, in a repository made inside `folder`."""
    path = folder / "trees.git"
    git.run("init", "--quiet", "--bare", "--template=", str(path), read_only=False)
    sides = [_Folder(os.fsencode(_checked(place)), place.name or "folder") for place in (old, new)]
    first = _commit(git, path, "old", sides[0], None)
    second = _commit(git, path, "new", sides[1], first)
    names = [readable(side.shown) for side in sides]
    if names[0] == names[1]:
        names = [f"{names[0]} (old)", f"{names[1]} (new)"]
    repo = Repo(f"trees/{readable(sides[1].shown)}", "", str(path))
    same = first == second or _tree(git, path, first) == _tree(git, path, second)
    return Span(
        repo=repo,
        start=Ref(names[0], first, _DATES["old"]),
        end=Ref(names[1], second, _DATES["new"]),
        gained=() if same else (second,),
        mirror=str(path),
        skipped=tuple(skipped for side in sides for skipped in side.skipped),
    )


def _checked(place: Path) -> Path:
    if not place.exists():
        raise UsageError(f"{readable(str(place))} does not exist.", "Name two folders of sources: --trees OLD NEW.")
    if not place.is_dir():
        raise UsageError(f"{readable(str(place))} is not a folder.", "Unpack the archive and name its folder.")
    return place.resolve()


def _tree(git: Git, path: Path, commit: str) -> str:
    return git.run("rev-parse", f"{commit}^{{tree}}", at=path).decode().strip()


def _commit(git: Git, path: Path, name: str, side: _Folder, parent: str | None) -> str:
    """All files go in by pieces, so that memory does not grow with the folder; then one commit of the whole."""
    ref = f"refs/imports/{name}"
    parts: list[bytes] = []
    size, whole = 0, False
    for mode, place, content in side.files():
        parts.append(b"M %s inline %s\ndata %d\n%s\n" % (mode, _quoted(place), len(content), content))
        size += len(content)
        if size > _CHUNK:
            _import(git, path, ref, parts, whole)
            parts, size, whole = [], 0, True
    if parts or not whole:
        _import(git, path, ref, parts, whole)
    date = str(int(_DATES[name].timestamp())) + " +0000"
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in _identity(date)}
    above = ("-p", parent) if parent else ()
    title = readable(side.shown).encode("utf-8", "replace") or b"sources"
    made = git.run("commit-tree", *above, _tree(git, path, ref), at=path, stdin=title, read_only=False, extra=who)
    return made.decode().strip()


def _identity(date: str) -> tuple[tuple[str, str], ...]:
    return ("NAME", _WHO), ("EMAIL", _ADDRESS), ("DATE", date)


def _import(git: Git, path: Path, ref: str, parts: list[bytes], more: bool) -> None:
    head = b"commit %s\ncommitter %s <%s> 0 +0000\ndata 0\n\n" % (ref.encode(), _WHO.encode(), _ADDRESS.encode())
    start = b"from %s^0\n" % ref.encode() if more else b""
    stream = b"".join((head, start, *parts))
    git.run("fast-import", "--quiet", "--force", at=path, stdin=stream, read_only=False)


def _quoted(path: bytes) -> bytes:
    plain = b"".join(b"\\%03o" % byte if byte < 33 or byte > 126 or byte in b'"\\' else b"%c" % byte for byte in path)
    return b'"' + plain + b'"'
