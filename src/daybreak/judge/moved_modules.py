"""Modules of one package that move together, told once with their new places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import takewhile

from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Text
from daybreak.core.words import say
from daybreak.core.words.grammar import alike, code
from daybreak.findings.kinds import kind_of


def package_of(findings: Sequence[Finding]) -> str:
    """The package that several modules stood in which move; empty where they have none in common, or something else changes."""
    moved = [f for f in findings if kind_of(f.kind).means("module", "moved") and f.before and f.after]
    names = [(f.before or "").split(".") for f in moved if "*" not in f"{f.before}{f.after}"]
    if len(names) < 2 or len(names) != len(findings):
        return ""
    same = list(takewhile(lambda parts: len(set(parts)) == 1, zip(*(name[:-1] for name in names), strict=False)))
    return ".".join(parts[0] for parts in same) if len(same) > 1 else ""


def told_moves(group: Sequence[Finding], package: str) -> Text:
    """Modules of one package, each once, new places behind those that went there; a package for those that keep their names."""
    places, turns = dict[str, list[str]](), dict[tuple[str, ...], list[str]]()
    for f in group:
        old, new = ((name or "").removeprefix(f"{package}.") for name in (f.before, f.after))
        places.setdefault(old, []).append(new)
    kept = Counter(new.rpartition(".")[0] for old, (new, *more) in places.items() if not more and _keeps(old, new))
    for name, (new, *more) in places.items():
        above = new.rpartition(".")[0]
        there = [f"{above}.*"] if not more and _keeps(name, new) and kept[above] > 1 else [new, *more]
        turns.setdefault(tuple(there), []).append(name)
    told = [f"{_first(', ', map(code, some))} → {', '.join(map(code, there))}" for there, some in turns.items()]
    shown = alike(_first("; ", told))
    return say("judge.finding.modules", n=len(places), package=package, turns=shown)


def _first(between: str, words: Iterable[str]) -> str:
    some = list(words)
    return between.join((*some[:_MOST_MOVES], *(["…"] if len(some) > _MOST_MOVES else [])))


def _keeps(old: str, new: str) -> bool:
    """Whether a module is found under its own name in another package."""
    return "." in new and old == new.rpartition(".")[2]


_MOST_MOVES = 4
