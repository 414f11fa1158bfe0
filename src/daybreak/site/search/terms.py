"""Chinese terms of the field with the English words for them, so that a query in one language finds text in the other."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from msgspec import Struct

from daybreak.site.search.spoken import ASKING
from daybreak.site.search.tokens import runs
from daybreak.store import Phrase


class Term(Struct, frozen=True):
    """What is looked for beside a Chinese term."""

    texts: tuple[str, ...]
    """As a reader may write it: `quant*`, `kv cache`, `kind:revert`."""
    phrases: tuple[Phrase, ...]
    """Several words side by side; none of a word that only asks (`变更`)."""
    groups: tuple[tuple[Phrase, ...], ...]
    """Of each one: the words of the first text stand anywhere, as whoever writes them in English asks (so not `of`); those of
    the others side by side.
    """


@cache
def terms() -> Mapping[str, Term]:
    """The whole table; `terms.toml` has it by subject."""
    table = tomllib.loads(resources.files(__package__).joinpath("terms.toml").read_text(encoding="utf-8"))
    return {word: _term(told) for of_subject in table.values() for word, told in of_subject.items()}


def _term(told: str) -> Term:
    texts = tuple(text.strip() for text in told.split(",") if text.strip())
    others = tuple(phrase for text in texts[1:] for phrase in _asked(text))
    words = (word for word in (texts[0].split() if texts else ()) if word not in ASKING)
    groups = (tuple(dict.fromkeys((*_asked(word), *others))) for word in words)
    return Term(texts, tuple(dict.fromkeys(phrase for text in texts for phrase in _asked(text))), tuple(groups))


def _asked(text: str) -> tuple[Phrase, ...]:
    """What whoever writes this as a query asks for: a word in parts or as a whole (`moe` stands in `MoE` only so)."""
    if ":" in text:
        return (Phrase((f"!{text}",)),)
    found, start = list(runs(text)), text.endswith("*")
    row = Phrase(tuple(token for run in found for token in run.row), start)
    return (row, Phrase((f"~{found[0].text}",), start)) if len(found) == 1 else (row,)


@cache
def _longest() -> int:
    return max(map(len, terms()))


def segments(text: str) -> list[tuple[str, Term | None]]:
    """A stretch of Chinese cut into terms, the longest first, and what lies between them."""
    found: list[tuple[str, Term | None]] = []
    at = 0
    while at < len(text):
        end = next((end for end in range(min(len(text), at + _longest()), at, -1) if text[at:end] in terms()), None)
        if end is not None:
            found.append((text[at:end], terms()[text[at:end]]))
        elif found and found[-1][1] is None:
            found[-1] = (found[-1][0] + text[at], None)
        else:
            found.append((text[at], None))
        at = end or at + 1
    return found
