"""A sentence taken apart: what stands in backticks, technical words, numbers, and plain words with their meanings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.text import outside, spans
from daybreak.prose.checks import tokens as technical_words
from daybreak.prose.glossary import either, folded

# --- Stems of English words, and the parts of names: enough to see that `caches`, `cached` and `kv_cache` share a word ---


_STEMS_ENDS = (
    "izations", "isations", "ization", "isation", "fulness", "ations", "ements", "ation", "ement", "ities", "ingly",
    "ments", "ables", "ance", "ence", "ment", "able", "ible", "ings", "ions", "ated", "ates", "ally", "ness", "ing",
    "ion", "ied", "ies", "ers", "ity", "ous", "ive", "ize", "ise", "ed", "es", "er", "ly", "al", "s", "e", "y",
)  # fmt: skip
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_APART = {
    **dict.fromkeys(("util", "utils", "utility", "utilities"), "utility"),
    **dict.fromkeys(("precede", "precedes", "preceding", "precedence"), "preced"),
}
"""Words that would share a stem with one of another meaning: `utils.py` is no utilization, precedence no precision."""
_LEAST = 3
_LEAST_OF_LONG = 4
"""What must be left when an ending of three letters or more is taken off: `disable` is no form of `dis`."""


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The part of a word that stays: `reduces`, `reduced` and `reduction` come close enough."""
    word = word.lower()
    if word in _APART:
        return _APART[word]
    for _ in range(2):
        for end in _STEMS_ENDS:
            if word.endswith(end) and len(word) - len(end) >= (_LEAST if len(end) < 3 else _LEAST_OF_LONG):
                word = word[: -len(end)]
                break
        else:
            break
    if len(word) > _LEAST and word[-1] in "iy":
        word = word[:-1]
    if len(word) > _LEAST and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    return word


@lru_cache(maxsize=65536)
def parts(name: str) -> tuple[str, ...]:
    """Words of a name: `maxNumTokens` and `max_num_tokens` have three, and each may be found by its stem."""
    found = [stem(part) for part in _PART.findall(name) if len(part) > 1]
    whole = stem(name)
    return (*found, whole) if whole not in found else tuple(found)


def words(text: str) -> Iterator[str]:
    """Words and names of a text, as written."""
    return (found[0] for found in _WORD.finditer(text))


def stems(text: str) -> set[str]:
    """Stems of every word and of every part of a name."""
    out: set[str] = set()
    for name in set(_WORD.findall(text)):
        out.update(parts(name))
    return out


# --- What plain words mean, from `concepts.toml`: one concept for its English stems, English phrases and Chinese words ---


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


CHINESE = re.compile(r"[\u4e00-\u9fff]")
_NAME_AT_START = re.compile(r"(?:^|[.!?:;。！？：；]\s*)\W*([A-Za-z][a-z]+)\b")
_TITLED = re.compile(r"[A-Z][a-z]{2,}")
_LITTLE = frozenset(
    """a an the and or but if then of to in on at by for with from as it its this that these those they them their he she we
    you i s t re ve not no so than too very into onto per each all any some only own same such also when while where which
    who whom whose what how why both either neither nor else more most less least very there here up down out off over
    under again""".split()  # noqa: SIM905  words read better than a list of strings
)


_STOPS = re.compile(r"\bstop(?:s|ped)? (?=[a-z]+ing\b)")
"""What stops inspecting does so no longer: nothing is shut down."""
_THING = r"(?:kernels?|ops?|calls?|pass(?:es)?|steps?|functions?|paths?|phases?|stages?|operators?|operations?|branch(?:es)?)"


def _as_name(word: str, text: str) -> bool:
    """Whether prose uses the bare word for a thing of code."""
    return bool(re.search(rf"\b{word} {_THING}\b|\bcalls?(?: to)?(?: the)? {word}\b", text))


class Word(Struct, frozen=True):
    """A plain word or phrase and what it may mean."""

    written: str
    stem: str
    """Empty for a phrase and for Chinese."""
    concepts: tuple[Concept, ...]
    named: bool = False
    """Stands for a thing of this name: `the shrink kernel`, `calls expand`."""

    @property
    def weight(self) -> Weight | None:
        """How much it claims; None for a word without a known meaning."""
        weights = {concept.weight for concept in self.concepts}
        return next((weight for weight in ("plain", "soft", "hard") if weight in weights), None)


class Sentence:
    """The words of one text in one language."""

    def __init__(self, text: str, language: str) -> None:
        self.text = text
        self.language = language
        self.spans = spans(text)
        self.outside = outside(text)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """Latin-script tokens outside backticks that must stand somewhere."""
        found = technical_words.tokens(self.outside)
        if self.language == "zh":
            return tuple(t for t in found if not technical_words.measured(t))
        starts = {match.start(1) for match in _NAME_AT_START.finditer(self.outside)}
        names = [
            match[0]
            for match in _TITLED.finditer(self.outside)
            if match.start() not in starts and self._alone(match.start(), match.end())
        ]
        return (*(t for t in found if technical_words.technical(t) and not technical_words.measured(t)), *names)

    def _alone(self, start: int, end: int) -> bool:
        before, after = self.outside[start - 1 : start], self.outside[end : end + 1]
        return not (before.isalnum() or after.isalnum() or before in ("_", "-", ".", "/") or after in ("_", "/"))

    @cached_property
    def numbers(self) -> tuple[technical_words.Number, ...]:
        return tuple(technical_words.numbers(self.outside))

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """Plain words that may claim something."""
        return tuple(self._chinese() if self.language == "zh" else self._english())

    def _english(self) -> Iterator[Word]:
        table = lexicon()
        text = folded(
            " ".join("," if technical_words.technical(w.strip(".,;:()")) else w for w in self.outside.split())
        )
        text = _STOPS.sub("no longer ", text)
        for phrase in table.phrase.findall(text):
            yield Word(phrase, "", table.by_phrase[phrase])
        for word in re.findall(r"[a-z]+", table.phrase.sub(" ", text)):
            if word not in _LITTLE and len(word) > 1 and word not in technical_words.NUMBER_WORDS:
                concepts = table.by_stem.get(stem(word), ())
                yield Word(word, stem(word), concepts, named=bool(concepts) and _as_name(word, text))

    def _chinese(self) -> Iterator[Word]:
        table = lexicon()
        for word in table.chinese.findall(self.outside):
            if len(word) > 1:
                yield Word(word, "", table.by_chinese[word])

    @cached_property
    def unread(self) -> float:
        """Share of the Chinese characters that no known word covers."""
        every = len(CHINESE.findall(self.outside))
        left = len(CHINESE.findall(lexicon().chinese.sub(" ", self.outside)))
        return left / every if every else 0.0
