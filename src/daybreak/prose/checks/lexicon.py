"""What plain words mean, from `concepts.toml`: one concept for its English stems, English phrases and Chinese words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from daybreak.prose.checks.stems import stem
from daybreak.prose.glossary import either, folded

FILE = Path(__file__).with_name("concepts.toml")
Weight = Literal["hard", "soft", "plain"]
_ENDS = ("", "e", "ed", "es", "ing", "ion", "ation", "er")
"""A word of the file may be cut short (`deprecat`): each of its forms has to be found by its own stem."""


class Concept(Struct, frozen=True):
    """One meaning and the words for it."""

    name: str
    weight: Weight
    stems: frozenset[str]
    phrases: tuple[str, ...]
    chinese: tuple[str, ...]
    code: frozenset[str] = frozenset()
    """Stems that carry it in a changed line of code."""
    signs: tuple[str, ...] = ()
    """Signs of several words that do."""
    scene: bool = False
    """Says where a thing happens, not what comes of it: lines around the changed ones carry it too."""
    loose: bool = False
    """A word for how code works: without support it counts against the statement, but is no lie by itself."""
    spoken: bool = False
    """An effect: the parts of a name do not carry it."""
    kin: tuple[Concept, ...] = ()
    """Meanings whose words carry it too."""


class Lexicon(Struct, frozen=True):
    """All concepts by their words."""

    by_stem: Mapping[str, tuple[Concept, ...]]
    by_phrase: Mapping[str, tuple[Concept, ...]]
    by_chinese: Mapping[str, tuple[Concept, ...]]
    phrase: re.Pattern[str]
    chinese: re.Pattern[str]
    opposite: Mapping[str, str]
    also: Mapping[str, frozenset[str]]
    """Chinese word -> stems of English words that it may translate with another meaning."""
    loose: frozenset[str]
    """Names of opposites that a translation may well lose."""
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
        frozenset(stem(word) for word in code if " " not in word),
        tuple(word for word in code if " " in word),
    )


def _marked(named: Mapping[str, Concept], data: Mapping[str, Any]) -> list[Concept]:
    """The concepts with what the file's other tables say of them."""
    scene, loose, spoken = (frozenset(data[mark]["names"]) for mark in ("scene", "loose", "spoken"))
    return [
        replace(
            one,
            scene=name in scene,
            loose=name in loose,
            spoken=name in spoken,
            kin=tuple(named[kin] for kin in data["kin"].get(name, ())),
        )
        for name, one in named.items()
    ]


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
    all_ = _marked(
        {
            name: _concept(name, weight, row, data["code"].get(name, ()))
            for weight in weights
            for name, row in data[weight].items()
        },
        data,
    )
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
        {
            word: frozenset(stem(one.strip() + end) for one in row.split(",") for end in _ENDS)
            for word, row in data["also"].items()
        },
        frozenset(data["opposite"]["loose"]),
        {concept.name: concept for concept in all_},
    )
