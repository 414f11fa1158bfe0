"""Grammar: what sentences of every language are joined, ended and begun with; `[grammar]` of a catalogue says how."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from daybreak.core.model.statements import Text
from daybreak.core.words.catalogue import chosen, languages, table
from daybreak.core.words.inline import code

Separator = Literal["space", "comma", "list", "semicolon", "arrow"]
NOTHING: Text = {}
"""The part of a sentence that is not there."""


class Listing(NamedTuple):
    """Strings of outside, to be shown as a list of inline code in the manner of each language."""

    words: tuple[str, ...]
    most: int = 4

    def written(self, language: str) -> str:
        return listed([code(word) for word in self.words], language, self.most)


def listing(words: Iterable[str], most: int = 4) -> Listing:
    """Each word once, in order."""
    return Listing(tuple(dict.fromkeys(words)), most)


def listed(words: Sequence[str], language: str, most: int = 4) -> str:
    """Some words as a list; the rest is "and more", never a number."""
    how = table(language, "grammar")
    if len(words) > most:
        return how["list"].join(words[:most]) + how["and_more"]
    return how["list"].join(words[:-1]) + (how["and"] if len(words) > 1 else "") + words[-1]


def alike(text: str) -> Text:
    """The same in every language: a name, a title; what comes from outside is inline code already."""
    return dict.fromkeys(languages(), text)


def joined(texts: Iterable[Text], separator: Separator = "space") -> Text:
    """Texts one behind the other."""
    found = list(texts)
    return {
        language: table(language, "grammar")[separator].join(chosen(text, language) for text in found)
        for language in languages()
    }


def space(language: str) -> str:
    """What stands between two sentences; also of a language that has no catalogue any more."""
    return table(language, "grammar")["space"] if language in languages() else " "


def ended(text: Text) -> Text:
    """A sentence with exactly one stop."""
    return {language: f"{_bare(text, language)}{table(language, 'grammar')['stop']}" for language in languages()}


def clause(text: Text) -> Text:
    """A sentence as a part of a longer one: without its stop, and begun small."""
    return small({language: _bare(text, language) for language in languages()})


def sentence(text: Text) -> Text:
    """A clause as a sentence of its own: begun large, with a stop."""
    return ended(large(text))


def large(text: Text) -> Text:
    """As it begins a sentence."""
    return {language: _begun(said, language, str.upper) for language, said in _written(text).items()}


def small(text: Text) -> Text:
    """As it goes on behind other words; what is written in capitals stays so."""
    return {
        language: said if said[1:2].isupper() else _begun(said, language, str.lower)
        for language, said in _written(text).items()
    }


def _written(text: Text) -> Mapping[str, str]:
    return {language: chosen(text, language) for language in languages()}


def _bare(text: Text, language: str) -> str:
    return chosen(text, language).rstrip(table(language, "grammar")["stop"])


def _begun(said: str, language: str, case: Callable[[str], str]) -> str:
    """With its first letter in another case, where a language has cases."""
    if table(language, "grammar")["cases"] != "yes":
        return said
    return f"{case(said[:1])}{said[1:]}"
