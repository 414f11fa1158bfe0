"""Branches and tags of a mirror: they stand in one file that git believes unread, so its checksum stands beside it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from pathlib import Path

_NOTE = "daybreak-refs"
_REF = re.compile(rb"[0-9a-f]{40,64} (refs/[^\x00-\x20\x7f]{1,4000})")


def note_refs(mirror: Path) -> None:
    """From now on they are as they are."""
    _write_whole(mirror / _NOTE, _digest(mirror).encode("ascii"))


def as_written(mirror: Path) -> bool:
    """Whether nobody has changed them since; of a mirror that an older version made nothing is known."""
    try:
        noted = (mirror / _NOTE).read_bytes()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return noted == _digest(mirror).encode("ascii")


def trust_only(mirror: Path, branch: str, lost: Collection[str] = ()) -> None:
    """Drop what is no branch or tag of ours or names a lost object, and what git would believe of the rest without a look:
    order and peels.
    """
    rows = (mirror / "packed-refs").read_bytes().split(b"\n") if (mirror / "packed-refs").exists() else []
    found = [(match[1], row) for row in rows if (match := _REF.fullmatch(row))]
    ours = [row for name, row in found if name.startswith(b"refs/tags/") or name == branch.encode()]
    ours = [row for row in ours if row.split(b" ")[0].decode() not in lost]
    _write_whole(mirror / "packed-refs", b"".join(row + b"\n" for row in ours))


def _write_whole(path: Path, data: bytes) -> None:
    staged = path.with_name(f"{_NOTE}.new")
    staged.write_bytes(data)
    staged.replace(path)


def _digest(mirror: Path) -> str:
    try:
        data = (mirror / "packed-refs").read_bytes()
    except FileNotFoundError:
        data = b""
    return hashlib.sha256(data).hexdigest()
