"""Names that changes take away, as far as lines tell, and which of them a release never had."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from daybreak.collect.git.standing import Tree
from daybreak.core.model.changes import Change, FileChange

_NAMES = 40
"""Names of one change that are looked for."""
_EVERY = 480
_PATHS = 300
_MAX_PATCH = 200_000
_MAX_LINE = 500
_ASIDE = re.compile(
    r"(?:^|/)(?:tests?|testing|benchmarks?|examples?|docs?|\.github|\.buildkite)/|(?:^|/)test_[^/]*$|\.(?:md|rst|lock|json)$"
)
_DEFINED = re.compile(
    r"\b(?:def|class|fn|func|struct|enum|function)\s+([A-Za-z_]\w{4,80})|[\"'](?:--|/)?([A-Za-z_][\w./-]{4,80})"
    r"|^\s*([A-Za-z_]\w{4,80})\s*(?::|=(?!=))"
)
_WORDS = re.compile(r"(?<=--)\w[\w-]*|\w+")
_LAST = re.compile(r"[\w-]+$")


def names(change: Change) -> list[str]:
    """Names that its lines define or quote before it, and nowhere after it."""
    files = [f for f in change.files if f.patch and len(f.patch) <= _MAX_PATCH and not _ASIDE.search(f.path)]
    found = dict.fromkeys(name for file in files for name in _defined(file))
    rows = (row for file in files for row in file.patch.split("\n") if row[:1] in ("+", " ")) if found else ()
    stays = frozenset(_WORDS.findall("\n".join(rows)))
    return list(islice((name for name in found if name not in stays), _NAMES))


def _defined(file: FileChange) -> Iterator[str]:
    for row in file.patch.split("\n"):
        if row[:1] == "-":
            for found in _DEFINED.finditer(row[1:_MAX_LINE]):
                last = _LAST.search(found[1] or found[2] or found[3])
                if last and len(last[0]) > 4:
                    yield last[0]


def absent(wanted: Sequence[tuple[Change, Sequence[str]]], tree: Tree) -> dict[str, tuple[str, ...]]:
    """Sha -> names that it takes away and that no file of the tree holds; nothing of what cannot be told."""
    paths = (f.old_path or f.path for change, _ in wanted for f in change.files if not _ASIDE.search(f.path))
    tree.load(list(dict.fromkeys(paths))[:_PATHS])
    left = {change.sha: [name for name in some if not _at_its_paths(name, change, tree)] for change, some in wanted}
    asked = list(dict.fromkeys(name for some in left.values() for name in some))[:_EVERY]
    held = tree.words(asked)
    if held is None:
        return {}
    gone = set(asked) - held
    out = {sha: tuple(name for name in some if name in gone) for sha, some in left.items()}
    return {sha: some for sha, some in out.items() if some}


def _at_its_paths(name: str, change: Change, tree: Tree) -> bool:
    texts = (tree.text(file.old_path or file.path) for file in change.files)
    return any(text is not None and text.names(name) for text in texts)
