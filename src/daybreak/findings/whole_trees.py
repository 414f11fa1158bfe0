"""A change between two whole trees of a library: what its Python offers is asked of the trees, not of the hunks."""

from __future__ import annotations

import re
from collections.abc import Iterable

from daybreak.core.errors import GitError
from daybreak.core.model.changes import Change
from daybreak.core.profiles import profile_in
from daybreak.findings.languages.base import Fact
from daybreak.findings.trees import Trees

_TOLD_BY_TREES = re.compile(
    r"(?:function|class)_(?:removed|renamed|moved)|module_\w+|export_removed|attribute_removed|(?:error_)?base_removed"
    r"|parameter_\w+|annotation_changed|return_changed|decorator_changed|enum_member_removed|field_removed"
)
"""Kinds that the trees tell better than the hunks do: with re-exports, inheritance and private modules followed."""
_PYTHON = re.compile(r"\.pyi?$")


def widened(trees: Trees, change: Change, facts: Iterable[Fact]) -> set[Fact]:
    """The same facts with what the two trees say of Python in place of what the hunks said of it."""
    from daybreak.findings.languages.python_library import library_facts

    found = set(facts)
    if not change.parents:
        return found
    try:
        old, new = (_texts(trees, commit) for commit in (change.parents[0], change.sha))
        if any(map(profile_in(new).public.is_imported.search, new)):
            return found  # an application: most of its modules are nobody's API, whatever they are called
        told = set(library_facts(old, new))
    except (GitError, ValueError, IndexError, KeyError, RecursionError):
        return found  # what the hunks say is less, but not nothing
    kept = {f for f in found if not (_TOLD_BY_TREES.fullmatch(f.kind) and _PYTHON.search(f.path))}
    return kept | told


def _texts(trees: Trees, commit: str) -> dict[str, str]:
    """Path → text of the Python files of a commit, those left out that are too large to be sources."""
    paths: dict[str, list[str]] = {}
    for path, oid in trees.files(commit).items():
        if _PYTHON.search(path):
            paths.setdefault(oid, []).append(path)
    return {path: text for oid, text in trees.contents(paths) for path in paths[oid]}
