"""Words for readers: what a rule says is an id with typed arguments, its words stand in one catalogue a language.

An argument that is a number is written as digits and chooses the forms that go with it; a string is from outside and
becomes inline code; a `Listing` is several such; a `Text` is a part of the sentence, said in each language already.
"""

from __future__ import annotations

from collections.abc import Mapping

from daybreak.core.model.statements import Text
from daybreak.core.words.grammar import Listing, code
from daybreak.core.words.phrases import REFERENCE, Template, chosen, languages, table, template

Argument = int | str | Listing | Text


def say(ident: str, /, **arguments: Argument) -> Text:
    """The sentence of an id in every language, with exactly its arguments."""
    given = _coded(arguments)
    return {language: _fill(template(language, ident), given, language) for language in languages()}


def term(family: str, key: str, /, **arguments: Argument) -> Text:
    """The words of one key of a family; its members need not all use every argument."""
    return say(f"{family}.{key}", **arguments)


def known(family: str, key: str) -> bool:
    """Whether a family has words for a key."""
    room, _, rest = family.partition(".")
    return f"{rest}.{key}" in table(REFERENCE, room)


def _coded(arguments: Mapping[str, Argument]) -> dict[str, Argument]:
    return {name: code(value) if isinstance(value, str) else value for name, value in arguments.items()}


def _fill(words: Template, arguments: Mapping[str, Argument], language: str) -> str:
    out = []
    for literal, name, forms in words.pieces:
        out.append(literal)
        if name:
            out.append(_form(arguments[name], forms) if forms else _written(arguments[name], language))
    return "".join(out)


def _form(value: Argument, forms: tuple[str, str]) -> str:
    return forms[0 if value == 1 else 1]


def _written(value: Argument, language: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    return value.written(language) if isinstance(value, Listing) else chosen(value, language)
