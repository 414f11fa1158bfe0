"""Source trees that move: patches, Dockerfiles and CI of others name their folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from daybreak.core.text import counted
from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.python_moves import heads

_FEWEST = 20
"""Files of a tree; fewer are told file by file."""


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Folders whose sources went to another one; what Python imports is told by its modules."""
    if not whole.begins_with(file) or len(whole.renames) < _FEWEST:
        return
    moved = Counter(heads(old, new) for old, new in whole.renames)
    sources = Counter(heads(old, new) for old, new in whole.renames if not new.endswith((".py", ".pyi")))
    for (old, new), count in moved.most_common(3):
        if count >= _FEWEST and sources[old, new] * 2 > count and old and new:
            path = next(after for before, after in whole.renames if heads(before, after) == (old, new))
            yield Fact("tree_moved", path, 1, f"{old}/ ({counted(count, 'file')})", f"{old}/", f"{new}/", breaking=True)
