"""Fixes that are nothing but another version of a dependency: whether a release asks for the old one stands in its own file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from operator import attrgetter

from daybreak.collect.git.mending import mends
from daybreak.collect.git.picks import TEST
from daybreak.collect.git.places import code, every_place
from daybreak.collect.git.tree_search import Tree
from daybreak.core.model.changes import Change, FileChange

_MANIFEST = re.compile(
    r"(?:^|/)[\w.-]*requirements[\w./-]*\.(?:txt|in)$|(?:^|/)requirements/[\w./-]+\.(?:txt|in)$|\.toml$"
)
_VERSION = re.compile(r"\bv?\d+(?:\.\d+)+[\w.+-]*|\b(?:[\w+/-]+:)?(?=[\w+/=]*\d)[\w+/]{32,128}=*")
"""A version, and the hash of what comes with it."""
_PIN = re.compile(r"[\w.\[\]-]{1,80}\s?(?:==|~=|>=|<=?|>|!=)\s?\d")


def moves_pins(change: Change) -> bool:
    """Its title mends, it has no code, and lines that pin something go."""
    return not change.skipped and not code(change) and mends(change) and any(_pins(change))


def only_versions(change: Change) -> bool:
    """All that its lines replace are versions of what it takes from elsewhere. That a tree lacks such a line does not show
    that it lacks what the line asks for: it may name that otherwise, or in another file.
    """
    blocks = [block for _, block in every_place(change)]
    went, came = (Counter(_VERSION.sub("*", line) for block in blocks for line in some(block)) for some in (_OLD, _NEW))
    return went == came and any("*" in line for line in went) and all("*" in line for line in went)


_OLD, _NEW = attrgetter("old"), attrgetter("new")


def _pins(change: Change) -> Iterator[tuple[str, list[str]]]:
    files = (f for f in change.files if f.status == "M" and _MANIFEST.search(f.path) and not TEST.search(f.path))
    yield from ((file.path, lines) for file in files if (lines := list(_gone(file))))


def _gone(file: FileChange) -> Iterator[str]:
    rows = (row[1:].strip().strip("\"',") for row in file.patch.split("\n") if row[:1] == "-")
    return (_tight(row) for row in rows if _PIN.match(row))


def still_pinned(change: Change, tree: Tree) -> bool | None:
    """Whether a tree asks for what goes, line by line; None where it lacks one."""
    pins = dict(_pins(change))
    tree.load(pins)
    texts = {path: text for path in pins if (text := tree.text(path)) is not None}
    held = all(line in _tight(texts[path].raw) for path, lines in pins.items() if path in texts for line in lines)
    return True if texts.keys() == pins.keys() and held else None


def _tight(text: str) -> str:
    return re.sub(r"[ \t]+", "", text)
