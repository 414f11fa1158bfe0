"""Phrases of one room in one language, for pages and messages that are written in one language at a time."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from daybreak.core.errors import UsageError
from daybreak.core.model.statements import Text
from daybreak.core.words.catalogue import Piece, chosen, languages, table, take_apart


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
