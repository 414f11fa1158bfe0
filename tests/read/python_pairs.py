"""A commit of Python files, given as texts before and after, becomes its facts."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from daybreak.core.model.changes import FileChange
from daybreak.core.profiles import Profile, generic, landmarks
from daybreak.findings import paths
from daybreak.findings.blobs import Surface
from daybreak.findings.compare import FilePair
from daybreak.findings.diff import hunks
from daybreak.findings.kinds import kinds
from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.python_compare import compare, surface, touched

Told = tuple[str, str, str | None, str | None, bool]
API = "engine/__init__.py"
LIB = "flash_attn/flash_attn_interface.py"
INNER = "engine/core/loop.py"
ARGS = "python/engine/server_args.py"
CONFIG = "vllm/config/cache.py"


def compared(
    files: Mapping[str, tuple[str | None, str | None]],
    renames: dict[str, str] | None = None,
    whole: bool = True,
    profile: Profile | None = None,
) -> list[Fact]:
    """The facts of a commit, given each file before and after; `renames` is new path → old path."""
    parsed = []
    for path, (before, after) in files.items():
        old_path = (renames or {}).get(path)
        status = "R" if old_path else "A" if before is None else "D" if after is None else "M"
        diff = difflib.unified_diff((before or "").splitlines(), (after or "").splitlines(), lineterm="", n=3)
        patch = "\n".join(list(diff)[2:])
        change = FileChange(path=path, status=status, old_path=old_path, patch=patch)  # type: ignore[arg-type]
        known = profile or profile_at(path)
        parsed.append(ReadFile(change, paths.area(path, known), tuple(hunks(patch)), profile=known))
    pairs = [
        FilePair(file, *(surface(file.path, text) if text is not None else Surface() for text in files[file.path]))
        for file in parsed
        if touched(file)
    ]
    facts = list(compare(pairs, Whole(parsed, whole)))
    assert {f.kind for f in facts} <= kinds().keys()
    return facts


def profile_at(path: str) -> Profile:
    """The profile of the project in whose package the file stands."""
    homes = {mark.removesuffix("__init__.py"): profile for mark, profile in landmarks().items()}
    return next((profile for home, profile in homes.items() if path.startswith(home)), generic())


def told(facts: Iterable[Fact]) -> list[Told]:
    return [(f.kind, f.symbol, f.before, f.after, f.breaking) for f in facts]


def one(path: str, before: str, after: str) -> list[Told]:
    return told(compared({path: (before, after)}))
