"""Settings that the changed lines of a change name: what a flag does may change where neither it nor its default does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import islice

from daybreak.core.errors import GitError
from daybreak.findings.blobs import Surface, SurfaceCache
from daybreak.findings.diff import DiffHunk
from daybreak.findings.languages.base import destination
from daybreak.findings.languages.options_surface import DEFINES, surface
from daybreak.findings.trees import ASIDE_NAMES, Trees, Where

MOST = 60
"""Names of one change: one that names more is a move of files, and tells of none of them."""
_NAMED = re.compile(
    r"(?<![\w-])(--[a-z][a-z0-9]{1,40}-[a-z0-9-]{1,60})"
    r"|\b([A-Z][A-Z0-9]{1,30}_[A-Z0-9_]{2,60})\b"
    r"|(?:args|config|options|settings)\.([a-z][a-z0-9]{0,40}_[a-z0-9_]{1,60})\b"
)
"""An option, a variable, and what a program reads of those that it was given."""
_WORD = re.compile(r"(?<![\w-])[a-z][a-z0-9]{0,40}(?:_[a-z0-9]{1,40}){2,9}(?![\w(])")
"""A name of three parts or more: `batch_size` is anybody's, and with a bracket behind it it is a function."""
_PYTHON = Where(endings=(".py",), without=ASIDE_NAMES)
_KEY = "settings-1"


def named_settings(hunks: Iterable[DiffHunk], known: AbstractSet[str] = frozenset()) -> tuple[str, ...]:
    """In the order of the lines; lines around a change do not count. `known`: settings that may stand by their bare name."""
    lines = (line.text for hunk in hunks for line in hunk.lines if line.sign in "+-")
    return tuple(islice(dict.fromkeys(name for line in lines for name in _in_line(line, known)), MOST))


def _in_line(line: str, known: AbstractSet[str]) -> Iterator[str]:
    for names in _NAMED.findall(line):
        yield next(filter(None, names))
    yield from (name for name in (_WORD.findall(line) if known else ()) if name in known)


def known_settings(trees: Trees | None, commit: str, cache: SurfaceCache) -> frozenset[str]:
    """What the parsers of a tree take, as its code spells it (`chunked_prefill_size`); nothing where it cannot be read."""
    if trees is None:
        return frozenset()
    try:
        paths = {path for _, path, _ in trees.matches([commit], DEFINES, _PYTHON) or ()}
        oids = set(trees.blobs_at(f"{commit}:{path}" for path in paths).values())
    except GitError:
        return frozenset()
    for oid, text in trees.contents(oid for oid in oids if cache.get(_KEY, oid) is None):
        rows = surface("", text).of("option", "setting")
        cache.put(_KEY, oid, Surface(rows))
    found = (cache.get(_KEY, oid) for oid in oids)
    return frozenset(destination(row.name) for one in found if one is not None for row in one.values())
