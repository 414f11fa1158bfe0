"""The field's glossary: what an abbreviation stands for, shared by the prompts and the checker of model statements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path

from msgspec import Struct

FILE = Path(__file__).with_name("glossary.toml")
_JOIN = re.compile(r"[\s_-]+")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9+.]{0,40}")


class Term(Struct, frozen=True):
    """One term of the field."""

    name: str
    en: tuple[str, ...] = ()
    """Long forms and other spellings."""
    zh: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    """Readings that are wrong in this field."""
    common: bool = False
    """A word of every engineer, which needs no evidence."""

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every way to write it."""
        return (self.name, *self.en, *self.zh)

    @property
    def line(self) -> str:
        """The term as a prompt shows it."""
        long = "; ".join((*self.en[:2], *self.zh[:1]))
        wrong = f" (never: {', '.join(self.never[:3])})" if self.never else ""
        return f"{self.name}: {long}{wrong}" if long or wrong else self.name


def folded(text: str) -> str:
    """A spelling without case, and with one space for every hyphen, underscore and blank."""
    return _JOIN.sub(" ", text.strip().lower())


class Glossary(Struct, frozen=True, dict=True):
    """All terms, and the ways to find them."""

    terms: tuple[Term, ...]

    @cached_property
    def by_spelling(self) -> Mapping[str, tuple[Term, ...]]:
        """Folded spelling -> the terms it may stand for; a word with two meanings has two."""
        found: dict[str, list[Term]] = {}
        for term in self.terms:
            for spelling in dict.fromkeys(map(folded, term.spellings)):
                found.setdefault(spelling, []).append(term)
        return {spelling: tuple(terms) for spelling, terms in found.items()}

    def of(self, spelling: str) -> tuple[Term, ...]:
        """Terms that a word or phrase may stand for."""
        return self.by_spelling.get(folded(spelling), ())

    def named(self, name: str) -> Term | None:
        """The term whose own name this is, in whatever case."""
        wanted = folded(name)
        return next((term for term in self.of(name) if folded(term.name) == wanted), None)

    @cached_property
    def _chinese(self) -> re.Pattern[str]:
        return re.compile(either(spelling for term in self.terms for spelling in term.zh))

    @cached_property
    def _phrases(self) -> re.Pattern[str]:
        words = {folded(s) for term in self.terms for s in (term.name, *term.en)}
        return re.compile(rf"(?<![a-z0-9])(?:{either(w for w in words if ' ' in w)})(?![a-z0-9])")

    def phrases(self, text: str) -> Iterator[str]:
        """Spellings of more than one word, and Chinese ones, that stand in a sentence."""
        yield from self._phrases.findall(folded(text))
        yield from self._chinese.findall(text)

    @cached_property
    def _told(self) -> tuple[tuple[str, frozenset[str]], ...]:
        """Line and folded spellings of each term that a prompt tells: a day asks for them a thousand times."""
        return tuple((t.line, frozenset(map(folded, (t.name, *t.en)))) for t in self.terms if not t.common)

    @cached_property
    def _told_phrases(self) -> frozenset[str]:
        return frozenset(spelling for _, spellings in self._told for spelling in spellings if " " in spelling)

    def lines(self, text: str) -> tuple[str, ...]:
        """Lines for a prompt: all terms that stand in this text, in the glossary's order."""
        words = {word.lower() for word in set(_WORD.findall(text))}
        folds = folded(text)
        words |= {phrase for phrase in self._told_phrases if phrase in folds}
        return tuple(line for line, spellings in self._told if not spellings.isdisjoint(words))


def either(words: Iterable[str]) -> str:
    """A pattern for any of these words, the longest first; for none of them, one that never fits."""
    return "|".join(re.escape(word) for word in sorted(set(words), key=lambda w: (-len(w), w))) or "(?!)"


def parsed(data: Mapping[str, Mapping[str, Mapping[str, list[str]]]]) -> Glossary:
    """A glossary from the tables of its file."""
    return Glossary(
        tuple(
            Term(name, tuple(row.get("en", ())), tuple(row.get("zh", ())), tuple(row.get("never", ())), common=common)
            for table, common in (("terms", False), ("common", True))
            for name, row in data.get(table, {}).items()
        )
    )


@lru_cache(maxsize=1)
def load() -> Glossary:
    """The glossary of the package."""
    import tomllib

    with FILE.open("rb") as file:
        return parsed(tomllib.load(file))
