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


# --- reasons -------------------------------------------------------------------------------------------------------

# Reasons why something could not be had, in a reader's language: data keeps them in the reference language, as they
# were told.  The catalogue holds each sentence with its places; one that is found there is said in the other language,
# with what stands in its places. What the catalogue does not know, such as the words of a plug-in, stays as it is.

_LONGEST = 2000
"""Characters of a reason; a longer one is somebody's data."""
_APART = re.compile(r", (?![^()]*\))")
"""Between names; inside brackets they belong together: `releases, the rest (issues, tags)`."""
_SPACED = re.compile(r"(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")
"""A blank that stands between Chinese words, because what took a place is no name."""
_DEEPEST = 4
"""A reason that another one tells of, which tells of another."""


def reason_in(language: str, text: str) -> str:
    """Why something was skipped, for readers of a language."""
    return _said(language, "reason", text, _DEEPEST)


def part_in(language: str, text: str) -> str:
    """What was skipped, for readers of a language: names stay, the words beside them do not."""
    return _said(language, "part", text, _DEEPEST)


def _said(language: str, family: str, text: str, depth: int) -> str:
    if language == REFERENCE or not depth or len(text) > _LONGEST:
        return text
    for key, pattern in _patterns(family):
        if match := pattern.fullmatch(text):
            given = {name: _listed(language, family, value, depth - 1) for name, value in match.groupdict().items()}
            return _SPACED.sub("", table(language, "skip")[key].format(**given))
    return text


def _listed(language: str, family: str, text: str, depth: int) -> str:
    """What stands in a place: a reason of its own, or names with commas between them."""
    whole = _said(language, family, text, depth)
    if whole != text or family != "part":
        return whole
    return ", ".join(_said(language, family, one, depth) for one in _APART.split(text))


@cache
def _patterns(family: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Those with most words of their own first, so that a place does not swallow another sentence's."""
    known = [(key, said) for key, said in table(REFERENCE, "skip").items() if key.startswith(f"{family}.")]
    known.sort(key=lambda row: -sum(len(piece.literal) for piece in take_apart(row[1])))
    return tuple((key, _pattern(said)) for key, said in known)


def _pattern(said: str) -> re.Pattern[str]:
    """A repository is one word; any other place takes what there is."""
    places = {"": "", "repo": r"(?P<repo>[^\s,]+)"}
    parts = (re.escape(piece.literal) + places.get(piece.name, f"(?P<{piece.name}>.+?)") for piece in take_apart(said))
    return re.compile("".join(parts), re.DOTALL)
