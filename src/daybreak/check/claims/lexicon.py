"""What plain words mean, from `concepts.toml`: one concept for its English stems, English phrases and Chinese words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from daybreak.check.claims.stems import stem
from daybreak.glossary import either, folded

FILE = Path(__file__).with_name("concepts.toml")
Weight = Literal["hard", "soft", "plain"]
_ENDS = ("", "e", "ed", "es", "ing", "ion", "ation", "er")
"""A word of the file may be cut short (`deprecat`): each of its forms has to be found by its own stem."""


@dataclass(frozen=True, slots=True)
class Concept:
    """One meaning and the words for it."""

    name: str
    weight: Weight
    stems: frozenset[str]
    phrases: tuple[str, ...]
    chinese: tuple[str, ...]
    code: frozenset[str] = frozenset()
    """Stems that carry it in a changed line of code."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All concepts by their words."""

    by_stem: Mapping[str, tuple[Concept, ...]]
    by_phrase: Mapping[str, tuple[Concept, ...]]
    by_chinese: Mapping[str, tuple[Concept, ...]]
    phrase: re.Pattern[str]
    chinese: re.Pattern[str]
    opposite: Mapping[str, str]
    named: Mapping[str, Concept]


def _concept(name: str, weight: Weight, row: str, code: Iterable[str]) -> Concept:
    english, _, chinese = row.partition("|")
    words = [word.strip() for word in english.split(",") if word.strip()]
    return Concept(
        name,
        weight,
        frozenset(stem(word + end) for word in words if " " not in word and "-" not in word for end in _ENDS),
        tuple(folded(word) for word in words if " " in word or "-" in word),
        tuple(word.strip() for word in chinese.split(",") if word.strip()),
        frozenset(map(stem, code)),
    )


def _by(pairs: Iterable[tuple[str, Concept]]) -> dict[str, tuple[Concept, ...]]:
    out: dict[str, list[Concept]] = {}
    for word, concept in pairs:
        out.setdefault(word, []).append(concept)
    return {word: tuple(concepts) for word, concepts in out.items()}


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The lexicon of the package."""
    import tomllib

    with FILE.open("rb") as file:
        data = tomllib.load(file)
    weights: tuple[Weight, ...] = ("hard", "soft", "plain")
    code = data["code"]
    all_ = [_concept(name, weight, row, code.get(name, ())) for weight in weights for name, row in data[weight].items()]
    pairs = [pair.split("/") for pair in data["opposite"]["pairs"]]
    by_phrase = _by((phrase, c) for c in all_ for phrase in c.phrases)
    by_chinese = _by((word, c) for c in all_ for word in c.chinese)
    return Lexicon(
        _by((s, c) for c in all_ for s in c.stems),
        by_phrase,
        by_chinese,
        re.compile(rf"(?<![a-z0-9])(?:{either(by_phrase)})(?![a-z0-9])"),
        re.compile(either(by_chinese)),
        {one: two for pair in pairs for one, two in (pair, pair[::-1])},
        {concept.name: concept for concept in all_},
    )
