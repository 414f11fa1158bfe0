"""Digest of our own code: what a cache must be named by, so that nobody has to remember to count a version up."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

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
