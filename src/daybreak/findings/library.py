"""A change between two whole trees of a library: what its Python offers is asked of the trees, not of the hunks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change
from daybreak.findings.blobs import contents
from daybreak.findings.languages.base import Fact
from daybreak.findings.languages.python_public import surveyed

_TOLD_BY_TREES = re.compile(
    r"(?:function|class)_(?:removed|renamed|moved)|module_\w+|export_removed|attribute_removed|base_removed"
    r"|parameter_\w+|annotation_changed|return_changed|decorator_changed|enum_member_removed|field_removed"
)
"""Kinds that the trees tell better than the hunks do: with re-exports, inheritance and private modules followed."""
_PYTHON = re.compile(r"\.pyi?$")


def widened(git: Git, mirror: Path, change: Change, facts: Iterable[Fact]) -> set[Fact]:
    """The same facts with what the two trees say of Python in place of what the hunks said of it."""
    from daybreak.findings.languages.python_library import library_facts

    found = set(facts)
    if not change.parents:
        return found
    try:
        old, new = (_texts(git, mirror, commit) for commit in (change.parents[0], change.sha))
        if any(map(surveyed, new)):
            return found  # an application: most of its modules are nobody's API, whatever they are called
        told = set(library_facts(old, new))
    except (GitError, ValueError, IndexError, KeyError, RecursionError):
        return found  # what the hunks say is less, but not nothing
    kept = {f for f in found if not (_TOLD_BY_TREES.fullmatch(f.kind) and _PYTHON.search(f.path))}
    return kept | told


def _texts(git: Git, mirror: Path, commit: str) -> dict[str, str]:
    """Path → text of the Python files of a commit, those left out that are too large to be sources."""
    rows = git.run("ls-tree", "-r", "-z", "--full-tree", commit, at=mirror, whole=True)
    paths: dict[str, list[str]] = {}
    for row in rows.decode("utf-8", "surrogateescape").split("\0"):
        head, _, path = row.partition("\t")
        if head.startswith("100") and _PYTHON.search(path):
            paths.setdefault(head.split()[2], []).append(path)
    return {path: text for oid, text in contents(git, mirror, paths) for path in paths[oid]}
