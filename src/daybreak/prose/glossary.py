"""Texts in files that a model is given: the prompts by task, and the field's glossary, which checks read too."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path

from msgspec import Struct

from daybreak.core.model.drafts import Piece
from daybreak.prose.evidence_pieces import brief

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


# --- Prompts as files: one text per task with its version, filled in once, so that what is put in can ask for nothing ---

FOLDER = Path(__file__).with_name("prompts")
_SLOT = re.compile(r"<<([a-z]{1,20})>>")
_PART = re.compile(r"^\[(system|user)\]\n", re.MULTILINE)
_TASKS = ("change", "change_small", "join", "repair", "repair_small", "repository", "day")
LANGUAGE_NAMES = {"zh": "Chinese (zh)", "en": "English (en)"}


class PromptFile(Struct, frozen=True):
    """One task's text."""

    task: str
    version: str
    system: str
    user: str

    def fill(self, values: Mapping[str, str]) -> tuple[str, str]:
        """System and user text; what is put in is not looked at again, whatever it holds."""

        def put(match: re.Match[str]) -> str:
            return values[match[1]]

        return _SLOT.sub(put, self.system), _SLOT.sub(put, self.user)


@lru_cache(maxsize=16)
def prompt_file(task: str) -> PromptFile:
    """The file of a task."""
    text = (FOLDER / f"{task}.txt").read_text(encoding="utf-8")
    first, _, rest = text.partition("\n")
    parts = _PART.split(rest)
    found = {name: body.strip("\n") for name, body in zip(parts[1::2], parts[2::2], strict=True)}
    return PromptFile(task, first.removeprefix("version ").strip(), found.get("system", ""), found["user"])


@lru_cache(maxsize=1)
def prompt_version() -> str:
    """One name for all prompts: it changes with any of them."""
    texts = "\n".join(f"{task}\n{(FOLDER / f'{task}.txt').read_text(encoding='utf-8')}" for task in _TASKS)
    versions = "-".join(dict.fromkeys(prompt_file(task).version for task in _TASKS))
    return f"{versions}.{hashlib.sha256(texts.encode()).hexdigest()[:8]}"


def fence_of(text: str, digits: int = 12) -> str:
    """A mark that the text cannot hold: its own digest, the same for the same text."""
    found = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
    for start in range(len(found) - digits):
        mark = found[start : start + digits]
        if mark not in text:
            return mark
    return found


def told_pieces(pieces: Sequence[Piece]) -> str:
    """The pieces as a model sees them, each under its id; what a name stands for is told where it first comes."""
    told: set[str] = set()
    return "\n".join(f"[{piece.ref}]{_named(piece, told)}{piece.text}" for piece in pieces)


def _named(piece: Piece, told: set[str]) -> str:
    """Names that the text itself does not show."""
    shown = []
    for name, value in piece.names.items():
        if f"{{{name}}}" not in piece.text:
            shown.append(f"{{{name}}}" if name in told else f"{{{name}}} = {brief(value, 200)}")
            told.add(name)
    return f" {', '.join(shown)}\n" if shown else " "


def in_languages(languages: Sequence[str]) -> tuple[str, str]:
    """The languages for a sentence, and their fields of an answer."""
    return " and ".join(LANGUAGE_NAMES.get(x, x) for x in languages), ", ".join(f'"{x}"' for x in languages)
