"""Commit-graphs of a mirror: derived files that git believes unread, so we hold them against their own checksum, and the
commits of a window against a walk without them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from daybreak.collect.git.chain import Chain
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git

_TRAILER = {1: ("sha1", 20), 2: ("sha256", 32)}
"""Byte 5 of a graph -> how its last bytes sum up the rest."""
_PIECE = 1 << 20
_DEEPEST = 5
"""Folders of objects that borrow from each other, as git follows them."""


def damaged_graphs(mirror: Path) -> list[Path]:
    """Those that are not as they were written, in the mirror and where it borrows objects from."""
    return [path for folder in object_folders(mirror / "objects") for path in _graphs(folder) if not _is_sound(path)]


def object_folders(objects: Path, depth: int = _DEEPEST) -> Iterator[Path]:
    """Folders of objects that git reads from here."""
    yield objects
    with suppress(OSError, ValueError):
        rows = (objects / "info" / "alternates").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        for row in rows if depth else ():
            if row and not row.startswith(("#", '"')):
                yield from object_folders(objects / row, depth - 1)


def _graphs(objects: Path) -> list[Path]:
    places = [objects / "info" / "commit-graph", *sorted((objects / "info" / "commit-graphs").glob("*.graph"))]
    return [path for path in places if path.is_file()]


def _is_sound(path: Path) -> bool:
    """Whether its last bytes are the checksum of all before them."""
    try:
        with path.open("rb") as file:
            head = file.read(8)
            name, length = _TRAILER[head[5]]
            left, digest = path.stat().st_size - length - len(head), hashlib.new(name, head, usedforsecurity=False)
            while left > 0 and (piece := file.read(min(left, _PIECE))):
                digest.update(piece)
                left -= len(piece)
            return head[:4] == b"CGPH" and not left and file.read() == digest.digest()
    except (OSError, LookupError):
        return False


def drop_graphs(git: Git, mirror: Path) -> None:
    """Not to be read again by this run: ours are made anew, others are left as they are."""
    info = mirror / "objects" / "info"
    with suppress(OSError, GitError):
        for path in (info / "commit-graph", *(info / "commit-graphs").glob("*")):
            path.unlink(missing_ok=True)
        if not damaged_graphs(mirror):
            git.run("commit-graph", "write", "--reachable", "--split", at=mirror, read_only=False)
    git.leave_graph(mirror)


def counted_alike(git: Git, mirror: Path, chain: Chain, top: int, bottom: int) -> bool:
    """Whether the branch between two places of it is the same when commits alone are read."""
    tip, most = chain.sha(top), bottom - top + 1
    try:
        told = git.run(
            *("-c", "core.commitGraph=false", "rev-list", "--first-parent", "--timestamp"),
            *(f"--max-count={most}", tip, "--"),
            at=mirror,
        )
    except GitError:
        return True  # told as a git that failed, or as a hole
    found = Chain(told)
    return len(found) == most and all(
        (found.sha(at), found.time(at)) == (chain.sha(top + at), chain.time(top + at)) for at in range(most)
    )
