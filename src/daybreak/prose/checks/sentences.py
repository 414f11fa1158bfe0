"""A sentence taken apart: what stands in backticks, technical words, numbers, and plain words with their meanings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct

from daybreak.core.plain_words import outside, spans
from daybreak.prose.checks import tokens as technical_words
from daybreak.prose.checks.lexicon import Concept, Weight, lexicon
from daybreak.prose.checks.stems import stem
from daybreak.prose.glossary import folded

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
