"""Places of the code: the function and the file in which most of a change stands; of a fault they say who runs into it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import takewhile

from daybreak.core.model.changes import Change
from daybreak.core.model.quotes import Quote
from daybreak.core.model.statements import Text
from daybreak.core.words import say
from daybreak.core.words.grammar import listing
from daybreak.core.words.phrases import REFERENCE, chosen
from daybreak.findings.diff import HEAD, hunks, side
from daybreak.judge.arrivals import Scopes
from daybreak.judge.change_kinds import front
from daybreak.judge.effect import statements
from daybreak.judge.reach import is_tool

_SHARE = 2
"""One of so many changed statements must stand in a place that is named for all of them."""


def placed(text: Text, change: Change, quotes: Sequence[Quote] = ()) -> Text:
    """With where a fault lies, which says who runs into it; beside what is quoted, in the file that it stands in."""
    if owners := _owners(change, quotes):
        return say("judge.action.where_all", text=text, names=listing(owners))
    beside = frozenset(quote.path for quote in quotes if quote.path)
    name, path = place_of(change, chosen(text, REFERENCE), beside) or ("", "")
    if name:
        return say("judge.action.where", text=text, name=name, path=path)
    return say("judge.action.where_file", text=text, path=path) if path else text


def repaired_in(change: Change) -> Text | None:
    """The functions that were there and in which most of a repair stands, for one that nothing else tells."""
    rows = [row for file in front(change) for row in file.patch.split("\n")]
    came, went = (_heads(row[1:] for row in rows if row[:1] == sign) for sign in "+-")
    found = Counter(name for _, name in _places(change) if name and name.rpartition(".")[2] not in came - went)
    names = [name for name, _ in found.most_common()]
    return say("judge.places.repairs", names=listing(names, _NAMED)) if names else None


def _heads(rows: Iterable[str]) -> set[str]:
    return {head[1] for head in (HEAD.match(row.strip()[:_WIDEST]) for row in rows) if head}


_NAMED, _WIDEST = 2, 400


def _owners(change: Change, quotes: Sequence[Quote]) -> list[str]:
    """Classes, or else files, in which the very lines that are quoted changed where these are several, the one that others derive from
    first: whoever runs any of them runs into the fault.
    """
    lines = {quote.text for quote in quotes if quote.source == "line"}
    found = [(path, name.partition(".")[0]) for path, name, text in statements_at(change) if text in lines]
    owners = list(dict.fromkeys(name if name[:1].isupper() else path for path, name in found))
    several = len(owners) > 1 and len({path for path, _ in found}) > 1
    bases = {base for file in front(change) for match in _BASES.finditer(file.patch) for base in match[1].split(", ")}
    return sorted(owners, key=lambda name: name not in bases) if several else []


_BASES = re.compile(r"\bclass \w{1,80}\(([\w., ]{1,200})\):")


def place_of(change: Change, said: str, beside: Container[str] = ()) -> tuple[str, str] | None:
    """The function that all of it in a file stands in, empty where what is said names it or there are several, and the file;
    None where a change is spread over many. `beside`: files of which one is meant.
    """
    found = Counter(_places(change))
    files = Counter(path for path, _ in found.elements())
    if not files:
        return None
    told = [(path, n) for path, n in files.most_common() if path in beside]
    (path, lines), *_ = told or files.most_common(1)
    if not told and lines * _SHARE < files.total():
        return None
    inside = Counter({name: n for (at, name), n in found.items() if at == path and name})
    name = _common(inside) if inside.total() * _SHARE >= lines else ""
    named = name if name not in said else ""
    return (named, path) if named or path not in said else None


def _common(names: Iterable[str]) -> str:
    """The one function, or the class that all of them are of; empty where they have none in common."""
    parts = zip(*(name.split(".") for name in names), strict=False)
    return ".".join(at[0] for at in takewhile(lambda at: len(set(at)) == 1, parts))


def _places(change: Change) -> Iterator[tuple[str, str]]:
    """File and function of each statement that came or went."""
    yield from ((path, name) for path, name, _ in statements_at(change))


def statements_at(change: Change) -> Iterator[tuple[str, str, str]]:
    """File, function and text of each statement that came or went in what users run."""
    for file in front(change):
        if not file.patch or is_tool(file.path):
            continue
        does = {sign: Counter(statements(file, sign)) for sign in "+-"}
        for hunk in hunks(file.patch):
            for sign in ("+", "-"):
                scopes = Scopes(hunk.context)
                for line in side(hunk, sign):
                    name = scopes.at(line.text)
                    if line.changed and does[sign][line.text.strip()] > 0:
                        yield file.path, name, line.text.strip()
