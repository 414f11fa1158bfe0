"""Looks a removed name up in the whole tree: what still stands elsewhere is not gone, what nobody used was gone before.

A diff cannot show the files it does not touch. Only names that mean the same wherever they stand are looked up:
environment variables, metrics and operators; and only those whose removal would be called breaking.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from daybreak.errors import GitError
from daybreak.gitobjects import Git
from daybreak.model import Alias, Change
from daybreak.read.languages.base import Fact

_LOOKED_UP = frozenset({"env_removed", "env_renamed", "metric_removed", "operator_removed"})
_CODE = ("*.py", "*.pyi", "*.cpp", "*.cc", "*.cu", "*.cuh", "*.h", "*.hpp", "*.rs", "*.go", "*.sh")
_ENDINGS = tuple(pattern.removeprefix("*") for pattern in _CODE)
_ASIDE_NAMES = ("tests", "test", "docs", "benchmarks", "benchmark", "examples")
_ASIDE = tuple(f":(exclude,glob)**/{name}/**" for name in _ASIDE_NAMES)
_MOST_PATHS = 200
"""Paths that git is asked about one by one."""

_Places = dict[tuple[str, str], set[str]]
"""(commit, text) -> files of code that hold it."""


def confirmed(git: Git, mirror: Path, change: Change, facts: Iterable[Fact]) -> set[Fact]:
    """The same facts without removals of what stands elsewhere; what was dead before its removal breaks nobody."""
    found = set(facts)
    asked = {fact: _written(fact) for fact in found if fact.breaking and fact.kind in _LOOKED_UP}
    if not asked or not change.parents:
        return found
    prefixes = {fact: _prefix(fact) for fact in asked if fact.kind == "env_renamed"}
    read = {fact: _reads(fact.symbol) for fact in asked if fact.kind == "env_removed"}
    texts = {*asked.values(), *filter(None, prefixes.values()), *(text for forms in read.values() for text in forms)}
    places = _places(git, mirror, change, texts, [asked[fact] for fact in read])
    if places is None:
        return found
    for fact, text in asked.items():
        after = places.get((change.sha, text), set())
        forwarding = places.get((change.sha, prefixes.get(fact, "")), set())
        if fact.kind == "env_renamed":
            if keeper := min(after | forwarding, default=None):
                found.discard(fact)
                found.add(replace(fact, breaking=False, alias=Alias("kept", keeper)))
            continue
        before = places.get((change.parents[0], text), set())
        if fact in read:
            # A message that names it, or `envs.NAME` that was forgotten, reads nothing.
            after = set().union(*(places.get((change.sha, form), set()) for form in read[fact]))
        if after:
            found.discard(fact)
        elif fact.kind == "env_removed" and before <= {fact.path}:
            found.discard(fact)
            found.add(replace(fact, breaking=False))
    return found


def _reads(name: str) -> tuple[str, ...]:
    """How code writes a variable that it reads: as a string of its own, or with the shell's mark."""
    return f'"{name}"', f"'{name}'", f"${name}", f"${{{name}"


def _prefix(fact: Fact) -> str:
    """The quoted old prefix of a variable whose prefix changed: code that names it alone forwards every such variable."""
    old, new = ((x or "").partition("_")[0] for x in (fact.before, fact.after))
    return f'"{old}_"' if old and old != new else ""


def _written(fact: Fact) -> str:
    """The name as code writes it; a counter is exposed with `_total` whether it is written or not."""
    if fact.kind == "metric_removed":
        return fact.symbol.removesuffix("_total")
    if fact.kind == "operator_removed":
        return f'"{fact.symbol.rsplit("::", 1)[-1].rsplit(".", 1)[-1]}('
    return fact.symbol


def _places(git: Git, mirror: Path, change: Change, texts: set[str], before: Sequence[str]) -> _Places | None:
    """Where the texts stand after the change, and where those of `before` stood before it; None when the trees cannot
    be searched. Both are searched for all texts: of two that overlap, git tells the longer one.

    What the change did not touch stands on both sides alike, so of the tree before it only the rest is searched.
    """
    code = (*_CODE, *_ASIDE)
    parent = change.parents[0]
    if not before:
        return _searched(git, mirror, [change.sha], texts, code)
    touched = _touched(change)
    if touched is None:
        return _searched(git, mirror, [change.sha, parent], texts, code)
    after = _searched(git, mirror, [change.sha], texts, code)
    old = _searched(git, mirror, [parent], texts, [f":(literal,top){path}" for path in touched]) if touched else {}
    if after is None or old is None:
        return None
    changed = {name for file in change.files for name in (file.path, file.old_path)}
    for text in before:
        kept = after.get((change.sha, text), set()) - changed
        after[parent, text] = kept | old.get((parent, text), set())
    return after


def _touched(change: Change) -> list[str] | None:
    """Files of code as they were called before the change; None when they are too many, or not all known."""
    if not change.files or len(change.files) < change.files_total or len(change.files) > _MOST_PATHS:
        return None
    names = [file.old_path or file.path for file in change.files if file.status != "A"]
    if any("\ufffd" in name for name in names):
        return None  # not what git calls it
    return [name for name in names if _is_code(name)]


def _is_code(path: str) -> bool:
    """What the patterns for git say of one path."""
    return path.endswith(_ENDINGS) and not set(path.split("/")[:-1]) & set(_ASIDE_NAMES)


def _searched(
    git: Git, mirror: Path, commits: Sequence[str], texts: Iterable[str], paths: Sequence[str]
) -> _Places | None:
    """The places of all texts in whole trees; None when one cannot be searched."""
    words = [part for text in sorted(texts) for part in ("-e", text)]
    how = ("grep", "-I", "-F", "-o", "-z", "--no-color", *words, *commits, "--", *paths)
    try:
        rows = git.run(*how, at=mirror, whole=True)
    except GitError as error:
        return {} if not error.detail.strip() else None  # git's way to say that there is nothing
    found: _Places = {}
    for row in rows.decode("utf-8", "replace").split("\n"):
        place, _, text = row.partition("\0")
        commit, _, path = place.partition(":")
        if path:
            found.setdefault((commit, text), set()).add(path)
    return found
