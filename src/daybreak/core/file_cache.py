"""Files that only save work: the newest of a folder kept, named by a digest of our own code; a full disk costs speed only."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from functools import cache
from pathlib import Path


def keep_newest(path: Path, data: bytes, most: int) -> None:
    """Write a file; of those with its ending, the folder keeps so many."""
    staged = path.with_suffix(".new")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        staged.write_bytes(data)
        staged.replace(path)
        for old in newest_of(path.parent, path.suffix)[most:]:
            old.unlink(missing_ok=True)


def newest_of(folder: Path, ending: str) -> list[Path]:
    """The folder's files with an ending, newest first."""
    return sorted(folder.glob(f"*{ending}"), key=lambda path: (-path.stat().st_mtime_ns, path.name))


# --- Digest of our own code: what a cache must be named by, so that nobody has to remember to count a version up ---

_PACKAGE = Path(__file__).parents[1]
_DECIDING = (".py", ".toml", ".txt", ".html", ".css", ".js", ".json", ".svg")


@cache
def code_digest(*places: str) -> str:
    """Of every file below the given places, which are folders and files relative to the package (`"findings"`)."""
    digest = hashlib.sha256()
    for place in places:
        root = _PACKAGE / place
        files = [root] if root.is_file() else sorted(p for p in root.rglob("*") if p.suffix in _DECIDING)
        if not files:
            raise FileNotFoundError(root)
        for path in files:
            digest.update(f"{path.relative_to(_PACKAGE).as_posix()}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
