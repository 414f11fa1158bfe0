"""Golden files: pages as they were accepted, beside those that are written now; `GOLDEN=accept` accepts these."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

ACCEPT = os.environ.get("GOLDEN") == "accept"
HERE = Path(__file__).resolve().parent


def written(folder: Path) -> dict[str, str]:
    """The index and all reports of a folder, by their path in it."""
    pages = [folder / "README.md", *sorted((folder / "reports").rglob("*"))]
    return {p.relative_to(folder).as_posix(): p.read_text(encoding="utf-8") for p in pages if p.is_file()}


def hold(pages: Mapping[str, str], whole: Sequence[str], kept: str) -> None:
    """Each of the pages named `whole` is, byte for byte, the one in the folder `kept` beside this file."""
    for name in whole:
        target = HERE / kept / name
        if ACCEPT:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(pages[name], encoding="utf-8")
        assert pages[name] == target.read_text(encoding="utf-8"), f"{name}: read it, then `make golden`"
