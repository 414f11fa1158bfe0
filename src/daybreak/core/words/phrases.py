"""Phrases of one room in one language, for pages and messages that are written in one language at a time."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from string import Formatter
from typing import NamedTuple

from daybreak.core.errors import UsageError
from daybreak.core.model.statements import Text

# --- Catalogues: all words for readers in one language are one TOML file beside this one ---
# The first part of a table's name is the room that speaks (`[judge.story]`); a file is read when first asked for.
# A new language is a new file: `[language]` says what it is called and where it stands among the others.
#
# Placeholders: `{name}` is an argument, `{name:one|many}` the word that goes with a number, `{{` a brace.


FOLDER = Path(__file__).parent
REFERENCE = "en"
"""What stands in for a language in which a text was never written."""
_LINE = re.compile(r"(?:\[(?P<table>[\w.]+)\]|(?P<key>\w+) = (?:\"(?P<text>[^\"\\]*)\"|(?P<number>\d+)))?\s*(?:#.*)?")
"""What nearly every line is: `[judge.story]`, `later = "later"`, `rank = 1`, a comment, nothing."""


class Piece(NamedTuple):
    """Literal text, and the argument behind it with the forms that go with its number."""

    literal: str
    name: str = ""
    forms: tuple[str, str] | None = None


class Template(NamedTuple):
    """The words of one id in one language."""

    pieces: tuple[Piece, ...]
    names: frozenset[str]


@cache
def languages() -> tuple[str, ...]:
    """The report languages: those that have a catalogue, in the order of their ranks."""
    found = sorted(path.stem for path in FOLDER.glob("*.toml"))
    return tuple(sorted(found, key=lambda language: int(table(language, "language")["rank"])))


def checked_languages() -> tuple[str, ...]:
    """Languages in which sentences of a model can be held against the facts; a model writes in no other."""
    return tuple(language for language in languages() if table(language, "language")["checked"] == "yes")


def language_name(language: str) -> str:
    """What a language calls itself."""
    return table(language, "language")["name"]


def tag_name(language: str, tag: str) -> str:
    """What a tag of the first screen is called; one that is newer than the catalogue stands as it is."""
    return table(language, "report").get(f"day.tag_{tag}", tag.upper())


def chosen(text: Mapping[str, str], language: str) -> str:
    """A text in a language; where it was not written in that, in the reference, or in what there is."""
    return text.get(language) or text.get(REFERENCE) or next(filter(None, text.values()), "")


@cache
def table(language: str, room: str) -> Mapping[str, str]:
    """The words of one room, by dotted key."""
    return _rooms(language)[room]


@cache
def template(language: str, ident: str) -> Template:
    """The words of an id, taken apart; a KeyError when the catalogue has none."""
    room, _, key = ident.partition(".")
    pieces = tuple(take_apart(table(language, room)[key]))
    return Template(pieces, frozenset(piece.name for piece in pieces if piece.name))


@cache
def _rooms(language: str) -> Mapping[str, Mapping[str, str]]:
    """Room -> its words."""
    source = (FOLDER / f"{language}.toml").read_text(encoding="utf-8")
    flat = _read_plain(source)
    if flat is None:
        flat = dict(_flat(tomllib.loads(source), ""))
    found: dict[str, dict[str, str]] = {}
    for ident, text in flat.items():
        room, _, key = ident.partition(".")
        found.setdefault(room, {})[key] = text
    return found


def _read_plain(source: str) -> dict[str, str] | None:
    """A catalogue of plain lines, ten times as fast as by a parser of all of TOML; None when a line is not plain."""
    found, prefix = {}, ""
    for line in source.splitlines():
        match = _LINE.fullmatch(line)
        if match is None:
            return None
        if match["table"]:
            prefix = f"{match['table']}."
        elif match["key"]:
            found[prefix + match["key"]] = match["text"] if match["number"] is None else match["number"]
    return found


def _flat(tree: Mapping[str, object], prefix: str) -> Iterator[tuple[str, str]]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", str(value)


def take_apart(text: str) -> Iterator[Piece]:
    """A phrase as literal text and arguments."""
    for literal, name, forms, _ in Formatter().parse(text):
        one, bar, many = (forms or "").partition("|")
        yield Piece(literal, name or "", (one, many) if bar else None)


class Phrases:
    """The phrases of one language. `t("head.repos", n=8)`; a key with `_one` beside it is used when n is 1."""

    def __init__(self, language: str, table: Mapping[str, str]) -> None:
        self.language = language
        self.table = table

    def __call__(self, key: str, /, **values: object) -> str:
        if values.get("n") == 1 and f"{key}_one" in self.table:
            key = f"{key}_one"
        phrase = self.table[key]
        if not values:
            return phrase
        return (
            phrase.format(**values) if "|" not in phrase else "".join(_written(p, values) for p in take_apart(phrase))
        )

    def get(self, key: str, otherwise: str) -> str:
        """For codes that may be newer than this table."""
        return self.table.get(key, otherwise)

    def say(self, text: Text) -> str:
        """A sentence in this language, or in one that it has."""
        return chosen(text, self.language)


def _written(piece: Piece, values: Mapping[str, object]) -> str:
    if not piece.name:
        return piece.literal
    value = values[piece.name]
    return f"{piece.literal}{piece.forms[0 if value == 1 else 1] if piece.forms else value}"


@cache
def phrases(language: str, *sections: str) -> Phrases:
    """The words of some sections in one language; what two of them have, the later one says."""
    if language not in languages():
        raise UsageError(f"{language!r} is not a report language.", f"Use one of: {', '.join(languages())}.")
    return Phrases(language, {key: said for section in sections for key, said in _section(language, section)})


def _section(language: str, name: str) -> list[tuple[str, str]]:
    room, _, rest = name.partition(".")
    prefix = f"{rest}." if rest else ""
    return [(key[len(prefix) :], said) for key, said in table(language, room).items() if key.startswith(prefix)]
