"""A publisher that lists what was published, in `listing.txt` beside the reports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def publish(out: Path, files: Sequence[str]) -> str | None:
    """Say what was done; None when there was nothing to do. An exception is told, and the other exits go on."""
    place = out / "listing.txt"
    text = "".join(f"{name}\n" for name in files)
    if place.is_file() and place.read_text(encoding="utf-8") == text:
        return None
    place.write_text(text, encoding="utf-8")
    return f"{len(files)} files listed in {place.name}"
