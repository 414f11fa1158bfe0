"""Files that only save work: written whole, the newest of a folder kept; a full disk costs speed, not the report."""

from __future__ import annotations

from contextlib import suppress
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
