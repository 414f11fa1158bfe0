"""Looks a removed name up in the whole tree: what still stands elsewhere is not gone, what nobody used was gone before.

A diff cannot show the files it does not touch. Only names that mean the same wherever they stand are looked up:
environment variables, metrics, operators and models; and only those whose removal would be called breaking.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Alias
from daybreak.findings.kinds import Verb, kind_of
from daybreak.findings.languages.base import Fact
from daybreak.findings.searching import CODE, Places, searched
from daybreak.findings.still_registered import operators_confirmed
from daybreak.findings.trees import Trees, Where

_TOLD_OF = Where(endings=(".md", ".rst"), within=("tests", "test", "docs"))
"""Where a project says which models it runs."""
_DENIED = re.compile(
    r"remov|deprecat|no longer|unsupported|not supported|dropped|legacy|previously|obsolete", re.IGNORECASE
)
_MOST_PATHS = 200
"""Paths that git is asked about one by one."""


def confirmed(trees: Trees, change: Change, facts: Iterable[Fact]) -> set[Fact]:
    """The same facts without removals of what stands elsewhere; what was dead before its removal breaks nobody."""
    found = set(facts)
    asked = [fact for fact in found if fact.breaking] if change.parents else []
    left = _names_confirmed(trees, change, [fact for fact in asked if _is_looked_up(fact)])
    left |= operators_confirmed(trees, change, _of(asked, "operator", "removed", "renamed"))
    left |= _models_confirmed(trees, change, _of(asked, "model", "removed"))
    return (found - left.keys()) | {fact for fact in left.values() if fact is not None}


def _of(facts: Iterable[Fact], family: str, *changes: Verb) -> list[Fact]:
    return [fact for fact in facts if kind_of(fact.kind).means(family, *changes)]


def _is_looked_up(fact: Fact) -> bool:
    kind = kind_of(fact.kind)
    return kind.means("env", "removed", "renamed") or kind.means("metric", "removed")


def _names_confirmed(trees: Trees, change: Change, facts: Sequence[Fact]) -> dict[Fact, Fact | None]:
    """Facts that the trees contradict -> what is left of each; None for one that is not true at all."""
    asked = {fact: _written(fact) for fact in facts}
    if not asked:
        return {}
    prefixes = {fact: _prefix(fact) for fact in _of(asked, "env", "renamed")}
    read = {fact: _reads(fact.symbol) for fact in _of(asked, "env", "removed")}
    texts = {*asked.values(), *filter(None, prefixes.values()), *(text for forms in read.values() for text in forms)}
    places = _places(trees, change, texts, [text for fact in read for text in (asked[fact], *read[fact])])
    if places is None:
        return {}
    out: dict[Fact, Fact | None] = {}
    for fact, text in asked.items():
        after = places.get((change.sha, text), set())
        forwarding = places.get((change.sha, prefixes.get(fact, "")), set())
        if fact in prefixes:
            if keeper := min(after | forwarding, default=None):
                out[fact] = replace(fact, breaking=False, alias=Alias("kept", keeper))
            continue
        # Quoted or not: of two texts that overlap, git tells only the longer one.
        before = set().union(*(places.get((change.parents[0], form), set()) for form in (text, *read.get(fact, ()))))
        if fact in read:
            # A message that names it, or `envs.NAME` that was forgotten, reads nothing.
            after = set().union(*(places.get((change.sha, form), set()) for form in read[fact]))
        if after:
            out[fact] = None
        elif fact in read and before <= {fact.path}:
            out[fact] = replace(fact, breaking=False)
    return out


def _models_confirmed(trees: Trees, change: Change, facts: Sequence[Fact]) -> dict[Fact, Fact | None]:
    """Models that tests still run or docs still list: their row went, and something else loads them now.

    The project's own code does not count: tables and messages of it name models long after they are gone.
    """
    quoted = {fact: tuple(f"{mark}{fact.symbol}{mark}" for mark in "\"'`") for fact in facts}
    if not quoted:
        return {}
    lines = trees.lines([change.sha], {text for forms in quoted.values() for text in forms}, _TOLD_OF)
    said = [line for _, _, line in lines or () if not _DENIED.search(line)]
    return {
        fact: replace(fact, breaking=False, alias=None)
        for fact, forms in quoted.items()
        if any(_says(line, form) for line in said for form in forms)
    }


def _says(line: str, text: str) -> bool:
    """The text stands in the line, and no comment begins before it; a heading of Markdown is no place for a model."""
    before, found, _ = line.partition(text)
    return bool(found) and "#" not in before and "<!--" not in before and "//" not in before


def _reads(name: str) -> tuple[str, ...]:
    """How code writes a variable that it reads: as a string of its own, or with the shell's mark."""
    return f'"{name}"', f"'{name}'", f"${name}", f"${{{name}"


def _prefix(fact: Fact) -> str:
    """The quoted old prefix of a variable whose prefix changed: code that names it alone forwards every such variable."""
    old, new = ((x or "").partition("_")[0] for x in (fact.before, fact.after))
    return f'"{old}_"' if old and old != new else ""


def _written(fact: Fact) -> str:
    """The name as code writes it; a counter is exposed with `_total` whether it is written or not."""
    if kind_of(fact.kind).family == "metric":
        return fact.symbol.removesuffix("_total")
    return fact.symbol


def _places(trees: Trees, change: Change, texts: set[str], before: Sequence[str]) -> Places | None:
    """Where the texts stand after the change, and where those of `before` stood before it; None when the trees cannot
    be searched. Both are searched for all texts: of two that overlap, git tells the longer one.

    What the change did not touch stands on both sides alike, so of the tree before it only the rest is searched.
    """
    parent = change.parents[0]
    if not before:
        return searched(trees, [change.sha], texts, CODE)
    touched = _touched(change)
    if touched is None:
        return searched(trees, [change.sha, parent], texts, CODE)
    after = searched(trees, [change.sha], texts, CODE)
    old = searched(trees, [parent], texts, Where(paths=tuple(touched))) if touched else {}
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
    return [name for name in names if CODE.holds(name)]
