"""Two folders of sources without history, as two commits of a throw-away repository: a range like any other."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from daybreak.core.address import readable
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Repo
from daybreak.core.model.upgrade import Ref, Span
from daybreak.core.source_folder import SourceFolder, source_folder

_CHUNK = 16 << 20
_DATES = {"old": datetime(2000, 1, 1, tzinfo=UTC), "new": datetime(2000, 1, 2, tzinfo=UTC)}
_WHO = "Daybreak"
_ADDRESS = "daybreak@localhost"


def import_trees(git: Git, old: Path, new: Path, folder: Path) -> Span:
    """A range of one commit from one folder of sources to another, in a repository made inside `folder`."""
    path = folder / "trees.git"
    git.run("init", "--quiet", "--bare", "--template=", str(path), read_only=False)
    sides = [source_folder(place, "Name two folders of sources: --trees OLD NEW.") for place in (old, new)]
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


def _tree(git: Git, path: Path, commit: str) -> str:
    return git.run("rev-parse", f"{commit}^{{tree}}", at=path).decode().strip()


def _commit(git: Git, path: Path, name: str, side: SourceFolder, parent: str | None) -> str:
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
