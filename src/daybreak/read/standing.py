"""Looks a removed name up in the whole tree: what still stands elsewhere is not gone, what nobody used was gone before.

A diff cannot show the files it does not touch. Only names that mean the same wherever they stand are looked up:
environment variables, metrics and operators; and only those whose removal would be called breaking.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from daybreak.errors import GitError
from daybreak.gitobjects import Git
from daybreak.model import Alias, Change
from daybreak.read.languages.base import Fact

_LOOKED_UP = frozenset({"env_removed", "env_renamed", "metric_removed", "operator_removed"})
_CODE = ("*.py", "*.pyi", "*.cpp", "*.cc", "*.cu", "*.cuh", "*.h", "*.hpp", "*.rs", "*.go", "*.sh")
_ASIDE = tuple(
    f":(exclude,glob)**/{name}/**" for name in ("tests", "test", "docs", "benchmarks", "benchmark", "examples")
)


def confirmed(git: Git, mirror: Path, change: Change, facts: Iterable[Fact]) -> set[Fact]:
    """The same facts without removals of what stands elsewhere; what was dead before its removal breaks nobody."""
    found = set(facts)
    asked = {fact: _written(fact) for fact in found if fact.breaking and fact.kind in _LOOKED_UP}
    if not asked or not change.parents:
        return found
    prefixes = {fact: _prefix(fact) for fact in asked if fact.kind == "env_renamed"}
    read = {fact: _reads(fact.symbol) for fact in asked if fact.kind == "env_removed"}
    texts = {*asked.values(), *filter(None, prefixes.values()), *(text for forms in read.values() for text in forms)}
    places = _places(git, mirror, change, texts)
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


def _places(git: Git, mirror: Path, change: Change, texts: set[str]) -> dict[tuple[str, str], set[str]] | None:
    """(commit, text) -> files of code that hold it; None when the tree cannot be searched."""
    words = [part for text in sorted(texts) for part in ("-e", text)]
    try:
        rows = git.run(
            *(
                "grep",
                "-I",
                "-F",
                "-o",
                "-z",
                "--no-color",
                *words,
                change.sha,
                change.parents[0],
                "--",
                *_CODE,
                *_ASIDE,
            ),
            at=mirror,
            whole=True,
        )
    except GitError as error:
        return {} if not error.detail.strip() else None  # git's way to say that there is nothing
    found: dict[tuple[str, str], set[str]] = {}
    for row in rows.decode("utf-8", "replace").split("\n"):
        place, _, text = row.partition("\0")
        commit, _, path = place.partition(":")
        if path:
            found.setdefault((commit, text), set()).add(path)
    return found
