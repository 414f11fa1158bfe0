"""What changed for users is said: mutations of real sources, each with its finding, before, after, direction and mark."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from daybreak.findings import read
from laws import mutations_of_calls, mutations_of_classes, mutations_of_settings
from laws.mutants import File, Mutant
from laws.real_sources import drawn, parsed, sources

SEED = 20
LEAST = 0.97
Mutate = Callable[[File], Mutant | None]
MUTATIONS = (*mutations_of_calls.MUTATIONS, *mutations_of_classes.MUTATIONS, *mutations_of_settings.MUTATIONS)


def mutants(mutate: Mutate, most: int, files: dict[str, str]) -> Iterator[tuple[str, str, Mutant]]:
    """Up to `most` files, by chance, to which the mutation applies."""
    found = 0
    for name in drawn(f"{SEED}", files):
        text = files[name]
        tree = parsed(text)
        mutant = mutate(File(text, tree, random.Random(f"{SEED}{name}"))) if tree else None
        if mutant is not None:
            found += 1
            yield name, text, mutant
        if found == most:
            return


def unsaid(text: str, mutant: Mutant) -> str | None:
    """What is said in place of what must be; None where it is said."""
    names = {word.partition("(")[0].split(".")[0].removesuffix("()") for word in (mutant.expected.symbol,)}
    public = "".join(f"from .mod import {name}\n" for name in names if name.isidentifier())
    before, after = ({"pkg/__init__.py": public, "pkg/mod.py": body} for body in (mutant.original or text, mutant.text))
    found = read(before, after)
    if any(mutant.expected.met(finding) for finding in found):
        return None
    told = [(f.kind, f.symbol, f.before, f.after, f.breaking) for f in found]
    return f"{mutant.expected}\n      told: {told[:4]}"


def law(mutations: tuple[Mutate, ...], most: int, files: dict[str, str]) -> tuple[int, list[str]]:
    count, silent = 0, []
    for mutate in mutations:
        for name, text, mutant in mutants(mutate, most, files):
            count += 1
            if said := unsaid(text, mutant):
                silent.append(f"{mutate.__name__} in {name}: {said}")
    return count, silent


def test_a_mutation_of_a_real_source_is_said_with_before_after_direction_and_mark() -> None:
    count, silent = law(MUTATIONS, most=2, files=sources())
    assert count == 2 * len(MUTATIONS) >= 2 * 25
    assert len(silent) <= (1 - LEAST) * count, "\n".join(silent)


@pytest.mark.soak
@pytest.mark.parametrize("mutate", MUTATIONS, ids=lambda mutate: mutate.__name__)
def test_of_each_mutation_of_a_hundred_files_nearly_all_are_said(mutate: Mutate) -> None:
    count, silent = law((mutate,), most=100, files=sources(installed=True))
    assert len(silent) <= (1 - LEAST) * count, "\n".join(silent)
