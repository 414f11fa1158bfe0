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
    rows = (row for file in files for row in file.patch.split("\n") if row[:1] in ("+", " "))
    stays = {word for row in rows for word in _WORDS.findall(row)}
    found = dict.fromkeys(name for file in files for name in _defined(file))
    return list(islice((name for name in found if name not in stays), _NAMES))


def _defined(file: FileChange) -> Iterator[str]:
    for row in file.patch.split("\n"):
        if row[:1] == "-":
            for found in _DEFINED.finditer(row[1:_MAX_LINE]):
                last = _LAST.search(found[1] or found[2] or found[3])
                if last and len(last[0]) > 4:
                    yield last[0]


def absent(changes: Sequence[Change], tree: Tree) -> dict[str, tuple[str, ...]]:
    """Sha -> names that it takes away and that no file of the tree holds; nothing of what cannot be told."""
    wanted = {change.sha: found for change in changes if (found := names(change))}
    ours = [change for change in changes if change.sha in wanted]
    tree.load(
        list(dict.fromkeys(f.old_path or f.path for c in ours for f in c.files if not _ASIDE.search(f.path)))[:_PATHS]
    )
    left = {c.sha: [name for name in wanted[c.sha] if not _at_its_paths(name, c, tree)] for c in ours}
    asked = list(dict.fromkeys(name for some in left.values() for name in some))[:_EVERY]
    held = tree.words(asked)
    if held is None:
        return {}
    gone = set(asked) - held
    out = {sha: tuple(name for name in some if name in gone) for sha, some in left.items()}
    return {sha: some for sha, some in out.items() if some}


def _at_its_paths(name: str, change: Change, tree: Tree) -> bool:
    whole = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    texts = (tree.text(file.old_path or file.path) for file in change.files)
    return any(text is not None and name in text.raw and whole.search(text.raw) for text in texts)
