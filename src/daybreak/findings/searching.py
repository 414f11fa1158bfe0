"""Search of whole trees for texts: once for all that is asked of a change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from daybreak.core.errors import GitError
from daybreak.findings.trees import Trees, Where

ASIDE_NAMES = ("tests", "test", "docs", "benchmarks", "benchmark", "examples")
"""Folders whose files say nothing of what the project does for its users."""
CODE = Where(
    endings=(".py", ".pyi", ".cpp", ".cc", ".cu", ".cuh", ".h", ".hpp", ".rs", ".go", ".sh"), without=ASIDE_NAMES
)

Places = dict[tuple[str, str], set[str]]
"""(commit, text) -> files that hold it."""


def searched(trees: Trees, commits: Sequence[str], texts: Iterable[str], where: Where) -> Places | None:
    """The places of all texts in whole trees; None when one cannot be searched."""
    found: Places = {}
    rows = trees.matches(commits, texts, where)
    if rows is None:
        return None
    for commit, path, text in rows:
        found.setdefault((commit, text), set()).add(path)
    return found


def texts_at(trees: Trees, commit: str, paths: Iterable[str]) -> dict[str, str]:
    """Path -> text in the tree of a commit; what is not there, too large or no text is left out."""
    try:
        blobs = trees.blobs_at(f"{commit}:{path}" for path in paths)
    except GitError:
        return {}
    texts = dict(trees.contents(blobs.values()))
    return {name.partition(":")[2]: texts[oid] for name, oid in blobs.items() if oid in texts}
