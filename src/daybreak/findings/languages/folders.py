"""Source trees that move: patches, Dockerfiles and CI of others name their folders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import takewhile

from daybreak.core.text import counted
from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.python_modules import heads
from daybreak.findings.paths import SOURCES, area

_FEWEST = 8
"""Files of a tree; fewer are told file by file."""


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Folders whose sources went to another one; what Python imports is told by its modules."""
    if not whole.begins_with(file) or len(whole.renames) < _FEWEST:
        return
    moved = defaultdict[tuple[str, str], list[tuple[str, str]]](list)
    for one in whole.renames:
        moved[heads(*one)].append(one)
    for (old, new), some in sorted(moved.items(), key=lambda pair: -len(pair[1]))[:3]:
        sources = sorted((after for _, after in some if not after.endswith((".py", ".pyi"))), key=_is_aside)
        if len(some) >= _FEWEST and len(sources) * 2 > len(some) and old and new:
            within = _shared([before.removeprefix(f"{old}/") for before, _ in some])
            was, now, count = f"{old}/{within}", f"{new}/{within}", counted(len(some), "file")
            yield Fact("tree_moved", sources[0], 1, f"{was} ({count})", was, now, breaking=True)


def _is_aside(path: str) -> bool:
    """No source that is shipped: what shows that a tree moved is one that is."""
    return area(path) not in SOURCES


def _shared(tails: Sequence[str]) -> str:
    """The folders that all of them stand in: what else is in those around them may have stayed."""
    folders = (path.split("/")[:-1] for path in tails)
    same = takewhile(lambda parts: len(set(parts)) == 1, zip(*folders, strict=False))
    return "".join(f"{parts[0]}/" for parts in same)
