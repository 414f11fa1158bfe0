"""Moves: what a change that puts code in order takes from one file to another, or splits off within one."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from typing import NamedTuple

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.quotes import Gist, Quote
from daybreak.core.model.statements import Text
from daybreak.core.words import say
from daybreak.core.words.grammar import listing
from daybreak.judge.change_kinds import front
from daybreak.judge.telling_words import words

_SAYS = re.compile(
    r"\b(?:mov(?:e|es|ed|ing)|extract\w{0,4}|relocat\w{1,4}|split\w{0,5}|separat\w{1,4}|migrat\w{1,4}|reorgani[sz]\w{1,4}"
    r"|consolidat\w{1,4}|hoist\w{0,3}|factor\w{0,3}|refactor\w{0,3}|modulari[sz]\w{1,4}|put)\b",
    re.IGNORECASE,
)
"""How titles say it."""
_SPLITS = re.compile(r"\b(?:split|separat|extract|factor)\w{0,5}\b", re.IGNORECASE)
_HEAD = re.compile(
    r"([+-])\s{0,80}(?:(?:async|pub(?:\([\w:]{1,40}\))?|export|default|static|unsafe)\s+){0,4}"
    r"(?:def|class|fn|func|function|struct|enum|trait|interface)\s+([A-Za-z_]\w{2,80})"
)
_OWNER = re.compile(r"\b[A-Za-z_]\w{0,60}\.(?=\w)")
_LONGEST = 300
_LOOKED_AT = 6000
"""Lines of a patch."""
_NAMED = 3
_SPLIT = 2
"""So many new functions at least make a split."""
_FEW = 10
"""Lines that make a piece of code."""
_BARE = 6
"""Characters of a line that may be nothing but brackets."""

Heads = dict[str, int]
"""Name -> line of the patch that it stands in."""


class _Side(NamedTuple):
    """What a file lost or won: definitions that only this side has, public ones first, its lines, and those behind a head."""

    heads: Heads
    lines: frozenset[str]
    bodies: dict[str, frozenset[str]]


class _File(NamedTuple):
    path: str
    old: _Side
    new: _Side


def moved(change: Change) -> Iterator[Gist]:
    """Definitions that went in one file and came in another; else those that came where one was split."""
    if not _SAYS.search(change.subject):
        return
    files = [_read(file) for file in front(change) if file.patch]
    kept = frozenset(_still_found(change, files))
    found = list(_whole(files, kept))
    if _SPLITS.search(change.subject):
        found += _splits(files)
    if found:
        title = words(change.subject)
        yield max(found, key=lambda one: (one[0][0] not in kept, _shared(one[0], title), len(one[0])))[1]
        return
    yield from islice(_under_new_names(files), 1)


def _still_found(change: Change, files: Sequence[_File]) -> Iterator[str]:
    """Names whose imports go on working: a package hands them on, or they came along with their class."""
    for file in files:
        if file.path.endswith(_HANDS_ON):
            yield from (word for line in file.new.lines for word in _WORD.findall(line))
    for one in front(change):
        yield from _WITHIN.findall(one.patch[:_MAX_PATCH])


_HANDS_ON = "/__init__.py"
_WORD = re.compile(r"\w+")
_WITHIN = re.compile(r"^\+\s{1,80}(?:async )?def (\w{1,80})", re.MULTILINE)
_MAX_PATCH = 400_000


def _whole(files: Sequence[_File], kept: frozenset[str]) -> Iterator[tuple[list[str], Gist]]:
    """Definitions that one file alone lost and one alone won with what stood in them; first those that no package hands on:
    their imports fail.
    """
    lost = Counter(name for file in files for name in file.old.heads)
    won: dict[str, list[_File]] = defaultdict(list)
    for file in files:
        for name in file.new.heads:
            won[name].append(file)
    for old in files:
        places: dict[str, list[str]] = defaultdict(list)
        for name in old.old.heads:
            body = old.old.bodies[name]
            if lost[name] == 1 == len(won[name]) and 2 * len(body & won[name][0].new.lines) >= len(body) > 0:
                places[won[name][0].path].append(name)
        for new, names in places.items():
            names.sort(key=kept.__contains__)
            text = say("judge.moves.moved", names=listing(names, _NAMED), old=old.path, new=new)
            yield names, _gist(text, won[names[0]][0], names)


def _splits(files: Sequence[_File]) -> Iterator[tuple[list[str], Gist]]:
    """Functions that came in a file that loses as many lines at least: what they do stood there before."""
    for file in files:
        names, went = list(file.new.heads), file.old.lines
        if len(names) >= _SPLIT and 3 * len(went & file.new.lines) >= len(went) > 0:
            text = say("judge.moves.split", names=listing(names, _NAMED), path=file.path)
            yield names, _gist(text, file, names)


def _under_new_names(files: Sequence[_File]) -> Iterator[Gist]:
    """A file whose new lines stood in another one before, where they had no name or another one; what that one writes again
    itself stays there.
    """
    large = [file for file in files if len(file.old.lines - file.new.lines) >= _FEW]
    for new in (file for file in files if file.new.heads):
        names = list(new.new.heads)
        for old in large:
            went = old.old.lines - old.new.lines
            if old is new or not old.new.heads.keys().isdisjoint(names) or 2 * len(went & new.new.lines) < len(went):
                continue
            bodies = old.old.bodies
            here = {name: len(bodies[name] & new.new.lines) for name in old.old.heads}
            gone = [name for name, held in here.items() if 2 * held >= len(bodies[name]) > 0]  # others went elsewhere
            now = listing(names, 2)
            if gone:
                text = say("judge.moves.renamed", names=listing(gone, 2), old=old.path, new=new.path, now=now)
            else:
                text = say("judge.moves.apart", old=old.path, new=new.path, now=now)
            yield _gist(text, new, names)


def _shared(names: list[str], title: frozenset[str]) -> int:
    return sum(not title.isdisjoint(words(name)) for name in names)


def _gist(text: Text, new: _File, names: Sequence[str]) -> Gist:
    quotes = (Quote("line", new.path, new.new.heads[name], "added", name) for name in names[:_NAMED])
    return Gist(text, "line", tuple(quotes))


def _read(file: FileChange) -> _File:
    rows = [row[:_LONGEST] for row in islice(file.patch.split("\n"), _LOOKED_AT)]
    heads: dict[str, Heads] = {"+": {}, "-": {}}
    for number, row in enumerate(rows):
        if (match := _HEAD.match(row)) and not match[2].startswith("__"):
            heads[match[1]].setdefault(match[2], number)
    own = {sign: _alone(heads[sign], heads[other]) for sign, other in ("-+", "+-")}
    old, new = (
        _Side(own[sign], _lines(rows, sign), {name: _body(rows, at, sign) for name, at in own[sign].items()})
        for sign in "-+"
    )
    return _File(file.path, old, new)


def _body(rows: Sequence[str], at: int, sign: str) -> frozenset[str]:
    """The first lines behind a head that came or went with it."""
    return _lines([*takewhile(lambda row: row[:1] == sign, rows[at + 1 : at + 1 + _FEW])], sign)


def _alone(own: Heads, other: Heads) -> Heads:
    return {name: own[name] for name in sorted(own, key=lambda name: name.startswith("_")) if name not in other}


def _lines(rows: Sequence[str], sign: str) -> frozenset[str]:
    """What a side has in lines that are no bare brackets; whose a name is does not count."""
    plain = (_OWNER.sub("", row[1:]).strip() for row in rows if row[:1] == sign)
    return frozenset(row for row in plain if len(row) > _BARE)
