"""Places: the function and the file in which most of a change stands; of a fault they say who runs into it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from daybreak.core.model.changes import Change
from daybreak.core.model.statements import Text
from daybreak.core.words import say
from daybreak.core.words.phrases import REFERENCE, chosen
from daybreak.findings.diff import hunks, side
from daybreak.judge.arrivals import Scopes
from daybreak.judge.change_kinds import front
from daybreak.judge.effect import statements
from daybreak.judge.reach import is_tool

_SHARE = 2
"""One of so many changed statements must stand in a place that is named for all of them."""
_PARTS = 2
"""Parts of a path that are shown: files of one name stand in many folders."""


def placed(text: Text, change: Change) -> Text:
    """With where a fault lies, which says who runs into it."""
    name, path = place_of(change, chosen(text, REFERENCE)) or ("", "")
    if name:
        return say("judge.action.where", text=text, name=name, path=path)
    return say("judge.action.where_file", text=text, path=path) if path else text


def place_of(change: Change, said: str) -> tuple[str, str] | None:
    """The function, empty where what is said names it, and the file; None where a change is spread over many."""
    found = Counter(_places(change))
    files = Counter(path for path, _ in found.elements())
    if not files:
        return None
    (path, lines), *_ = files.most_common(1)
    if lines * _SHARE < files.total():
        return None
    inside = Counter({name: n for (at, name), n in found.items() if at == path and name})
    (name, most), *_ = inside.most_common(1) or [("", 0)]
    shown = "/".join(path.split("/")[-_PARTS:])
    named = name if most * _SHARE >= lines and name not in said else ""
    return (named, shown) if named or shown not in said else None


def _places(change: Change) -> Iterator[tuple[str, str]]:
    """File and function of each statement that came or went."""
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
                        yield file.path, name
