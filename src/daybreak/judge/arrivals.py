"""Arrivals: the functions and classes that a change brings, by name, where its title is about them; or all of them, where
nothing else tells it. What others could call and is gone stands before what comes.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import NamedTuple

from msgspec.structs import replace

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Reading
from daybreak.core.model.quotes import Gist, Quote, QuoteSide
from daybreak.core.model.statements import Text
from daybreak.core.words import say
from daybreak.core.words.grammar import joined, listing, small
from daybreak.core.words.phrases import REFERENCE, chosen
from daybreak.findings.diff import HEAD, DiffHunk, hunks, side
from daybreak.findings.paths import area
from daybreak.findings.quotes import RUST_TESTS
from daybreak.judge.change_kinds import bare, front
from daybreak.judge.quote_rank import LEAST, Ranked
from daybreak.judge.reach import is_tool
from daybreak.judge.telling_words import stems, words

# Functions that are open at a line of a diff.
_WIDEST = 400
_STEP = 4
"""Blanks by which a member stands deeper than its class, at most."""


class Scopes:
    """The functions that are open at a line, by indentation: git's own words for a hunk may name one that ended above it."""

    def __init__(self, head: str) -> None:
        self._open: list[tuple[int, str]] = []
        self._nearest: list[int] = []
        """Of each of them the depth of its outermost line so far."""
        self.inner = False
        """The last line stands in a block within what is open, or in a function whose head is not shown."""
        self._promised = False
        """The innermost has no body yet: a semicolon makes a mere declaration of it."""
        self.classes = set[str]()
        """Those of what was opened that are no functions."""
        self.at(head)

    def at(self, line: str) -> str:
        """The function that a line stands in; its own head opens one."""
        text = line.strip()[:_WIDEST]
        depth = len(line) - len(line.lstrip())
        if text and not text.startswith(_KEEPS):
            while self._open and self._open[-1][0] >= depth:
                self._close()
        here = self._open[-1][1] if self._open else ""
        if self._open and text and not text.startswith(_KEEPS):
            self._nearest[-1] = min(depth, self._nearest[-1])
            self.inner = depth > min(self._nearest[-1], self._open[-1][0] + _STEP)
        if head := HEAD.match(text):  # it stands in what is around it
            self._open.append((depth, head[1]))
            self.classes.update((head[1],) if _CLASS.search(head[0]) else ())
            self._nearest.append(_WIDEST)
            self._promised = True
        if self._promised and text:
            if text.endswith(");") and self._open:
                self._close()
            self._promised = not text.endswith((";", "{", ":")) and "{" not in text
        return here

    def _close(self) -> None:
        self._open.pop()
        self._nearest.pop()


_CLASS = re.compile(r"\b(?:class|struct)\s")
_KEEPS = (")", "]", "}", "{", "#", "//", "*", "public:", "private:", "protected:")
"""How lines begin that end no function though they are not deeper than its head."""


_NAMED = 3
"""Names, or places of one name, that are told."""
_EVERYWHERE = 3
"""Places at which one name comes: then it is what the change does."""
_SHARED = 2
"""Words of the title that a name must have to be what the title is about."""
_TELLING = 3
"""Letters of a word that says something within a name."""
_MOST = 400
"""Definitions of one change that are looked at."""
_BASES = re.compile(r"\s*class\s+\w{1,80}\(([\w., ]{1,120})\):")
_TESTS = re.compile(r"_*(?:test|Test|main$|register_fake$)")


class Definition(NamedTuple):
    """The head of a function or a class, and the class that it stands in."""

    name: str
    owner: str
    path: str
    line: int
    text: str

    @property
    def full(self) -> str:
        """With the class that it is of."""
        return f"{self.owner}.{self.name}" if self.owner else self.name


def brought_data(change: Change) -> Gist | None:
    """Files of values that came and nothing else, by name: a line of such a file says nothing of what it is for."""
    files = front(change)
    if not files or not all(file.status == "A" and _DATA.search(file.path[-20:]) for file in files):
        return None
    names = listing((file.path.rpartition("/")[2] for file in files), _NAMED)
    text = say("judge.arrivals.came", names=names)
    quotes = (Quote("line", file.path, 1, "added", file.path.rpartition("/")[2]) for file in files[:_NAMED])
    return Gist(text, "line", tuple(quotes), lead=text)


_DATA = re.compile(r"\.(?:json|jsonl|csv|tsv|ya?ml)$", re.IGNORECASE)


def arrived(change: Change, reading: Reading, *, named: bool = True, alone: bool = False) -> Gist | None:
    """What came; `named`: only as far as the title is about it; `alone`: also where names are all that there is to say."""
    files = [file for file in front(change) if file.patch and not is_tool(file.path)]
    old, new = (list(islice(_heads(files, side), _MOST)) for side in ("removed", "added"))
    if based := _rebased(old, new) if named else None:
        return based
    stood, fresh = {one.name for one in old}, {one.name for one in new if one.text.lstrip().startswith("class ")}
    came = defaultdict[str, list[Definition]](list)
    for one in new:
        if one.name not in stood and one.owner not in fresh:  # a new class stands for what is in it
            came[one.name].append(one)
    title = words(bare(change.subject))
    told = [some for some in came.values() if not named or _is_named(some, title)]
    told.sort(key=lambda some: (-_reach(some), -_shared(some[0].name, title), some[0].name.startswith("_")))
    in_place = _renamed(files)
    told = [some for some in told if some[0].name not in in_place.values()]
    kept = {name for names in reading.standing.values() for name in names}
    renamed = {was: now for was, now in in_place.items() if was not in kept}
    found = _behind_gone(_gone(old, new, files, reading), _told(told), renamed) if told else None
    return found if found is not None and (alone or found.lead is not None) else None


def of_names(came: Gist, found: Iterable[Quote], best: Iterable[Ranked]) -> Quote | None:
    """Of what its author says what tells most of something that came: its docstring, or words that share a word with a name of
    it; nothing that stands apart from all of them, and no remark that tells little.
    """
    heads = {(head.path, head.line + n) for head in came.quotes for n in range(1, _BELOW + 1)}
    names = stems(words(chosen(came.text, REFERENCE)))

    def own(quote: Quote) -> bool:
        return quote.source == "docstring" and (quote.path, quote.line) in heads

    def worth(one: Ranked) -> float:
        named = own(one.quote) or not names.isdisjoint(stems(words(one.quote.text)))
        return one.score + (_OWN if own(one.quote) else 0.0) if named else -math.inf

    said = [*(Ranked(math.inf, quote) for quote in found), *best]
    said = [one for one in said if one.quote.source == "test" or area(one.quote.path) != "test"]
    telling = max(said, key=worth, default=None)
    return telling.quote if telling is not None and worth(telling) >= (_OWN if own(telling.quote) else LEAST) else None


def name_of(came: Gist, said: Quote) -> Text:
    """The one thing that words are about, of what came: whose docstring they are, or else the first of all."""
    if came.lead is not None:
        return came.lead  # what went, or is another
    above = [head for head in came.quotes if head.path == said.path and 0 < said.line - head.line <= _BELOW]
    own = max(above, key=lambda head: head.line, default=came.quotes[0])
    return say("judge.arrivals.came", names=own.text)


_OWN = 3.0
"""What the docstring of something that came has before all else that names it."""


_BELOW = 14
"""Lines from the head of something to its docstring, with its parameters between them."""


def departed(change: Change, reading: Reading) -> Gist | None:
    """What others could call and is gone, where nothing else tells a change."""
    files = [file for file in front(change) if file.patch and not is_tool(file.path)]
    old, new = (list(islice(_heads(files, side), _MOST)) for side in ("removed", "added"))
    gone = _gone(old, new, files, reading)
    return (
        _gist(say("judge.arrivals.went", names=listing((one.full for one in gone), _NAMED)), gone, "removed")
        if gone
        else None
    )


def files_gone(change: Change) -> Gist | None:
    """Files that went whole, where nothing came in what else the change touches: what stood in them tells nothing of its own."""
    files = front(change) or change.files
    gone = [file.path for file in files if file.status == "D"]
    if not gone or any(file.added for file in change.files) or change.files_total > len(change.files):
        return None
    return Gist(say("judge.arrivals.went", names=listing(gone, _NAMED)), "finding")


def _gone(
    old: Sequence[Definition], new: Sequence[Definition], files: Sequence[FileChange], reading: Reading
) -> list[Definition]:
    """What others could call by a name that is nowhere any more, nor has another in its place; a class stands for what was
    in it. Where the file still writes the name, or the class has bases, lines alone do not tell whether it is gone.
    """
    in_place = _renamed(files)
    stays = {one.full for one in new} | _given(files) | in_place.keys()
    went = {one.full: one for one in old if one.full not in stays and "_" not in (one.name[0], one.owner[:1])}
    whole = (one for one in went.values() if one.owner not in went and one.owner not in in_place)
    kept = {path: {*names} for path, names in reading.standing.items()}
    return [one for one in whole if kept.get(one.path, set[str]()).isdisjoint((one.name, f"{one.owner}."))]


def _given(files: Sequence[FileChange]) -> set[str]:
    """Names that a line which came gives to something else: `using Kernel = …`."""
    return {name for file in files for name in _GIVEN.findall(file.patch)}


_HEADS = 2
"""Lines of a head that is written anew, while its body stays."""
_GIVEN = re.compile(r"(?m)^\+(?:using\s+|(?:pub\s+)?type\s+)?([A-Za-z_]\w*)\s=\s")


def _renamed(files: Sequence[FileChange]) -> dict[str, str]:
    """Names whose head is the same but for the name, in its place: what is in them stays where it was."""
    found: dict[str, str] = {}
    for hunk in (hunk for file in files for hunk in hunks(file.patch)):
        for _, run in groupby(hunk.lines, lambda line: line.sign != " "):
            lines = [(x.sign, x.text) for x in run if x.sign != " "]
            if sum(sign == "-" and bool(text.strip()) for sign, text in lines) > _HEADS:
                continue  # what was in it went as well
            heads = [(sign, m[1], text) for sign, text in lines if (m := HEAD.match(text.strip()[:_WIDEST]))]
            for _, old, was in (head for head in heads if head[0] == "-"):
                word = re.compile(rf"\b{old}\b")
                same = (new for sign, new, now in heads if sign == "+" and new != old and word.sub(new, was) == now)
                found.update({old: new} if (new := next(same, "")) else {})
    return found


def _behind_gone(gone: Sequence[Definition], came: Gist, in_place: Mapping[str, str]) -> Gist:
    shown = [one for one in in_place.items() if not any(name.startswith("_") for name in one)][:1]
    other = [say("judge.arrivals.renamed", before=was, after=now) for was, now in shown]
    if not gone and not other:
        return came
    went = [say("judge.arrivals.went", names=listing((one.full for one in gone), _NAMED))] if gone else []
    first, *rest = (*went, *other, came.text)
    text = joined((first, *map(small, rest)), "semicolon")
    quotes = (Quote("line", one.path, one.line, "removed", one.name) for one in gone[:_NAMED])
    return replace(came, text=text, quotes=(*quotes, *came.quotes), lead=text)


def _heads(files: Sequence[FileChange], of: QuoteSide) -> Iterator[Definition]:
    for file in files:
        for hunk in untested(file.path, file.patch):
            scopes, inside = Scopes(hunk.context), set[str]()
            for line in side(hunk, "+" if of == "added" else "-"):
                owner, head = scopes.at(line.text), HEAD.match(line.text.strip()[:400])
                if head and owner and (owner in inside or owner not in scopes.classes):
                    inside.add(head[1])  # what stands in a function, and what is in that
                elif head and line.changed and _is_told(head[1]) and not (owner and scopes.inner):
                    yield Definition(head[1], owner, file.path, line.number, line.text)


def untested(path: str, patch: str) -> Iterator[DiffHunk]:
    """The hunks of a file, in Rust as far as the tests that stand at its end."""
    for hunk in hunks(patch):
        at = (
            next((n for n, x in enumerate(hunk.lines) if RUST_TESTS.match(x.text)), None)
            if path.endswith(".rs")
            else None
        )
        if path.endswith(".rs") and RUST_TESTS.match(hunk.context):
            return
        yield hunk if at is None else replace(hunk, lines=hunk.lines[:at])
        if at is not None:
            return


def _is_told(name: str) -> bool:
    """No test, nothing that every class has."""
    return not name.startswith("__") and not _TESTS.match(name)


def _is_named(some: Sequence[Definition], title: frozenset[str]) -> bool:
    shared = _shared(some[0].name, title)
    if not shared or _reach(some):
        return bool(shared)
    return _shared(some[0].full, title) >= _SHARED or words(some[0].name) <= title


def _reach(some: Sequence[Definition]) -> int:
    """At how many places it comes, where they are many."""
    places = len({(one.path, one.owner) for one in some})
    return places if places >= _EVERYWHERE else 0


def _shared(name: str, title: frozenset[str]) -> int:
    flat = name.replace("_", "").lower()
    return sum(len(word) >= _TELLING and word in flat for word in title)


def _told(found: Sequence[Sequence[Definition]]) -> Gist:
    first = found[0]
    if _reach(first):
        owners = [one.owner or _stem(one.path) for one in first]
        return _gist(say("judge.arrivals.everywhere", name=first[0].name, owners=listing(owners, _NAMED)), first)
    one_each = [some[0] for some in found]
    names = listing((one.full for one in one_each), _NAMED)
    return replace(_gist(say("judge.arrivals.came", names=names), one_each), lead=None)  # which says nothing alone


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _rebased(old: Sequence[Definition], new: Sequence[Definition]) -> Gist | None:
    """Classes that are built on another one from now on."""
    were = {(one.path, one.name): match[1] for one in old if (match := _BASES.match(one.text))}
    turned = defaultdict[tuple[str, str], list[Definition]](list)
    for one in new:
        before, now = were.get((one.path, one.name)), _BASES.match(one.text)
        if before and now and before != now[1]:
            turned[before, now[1]].append(one)
    if not turned:
        return None
    (before, after), some = max(turned.items(), key=lambda pair: len(pair[1]))
    names = listing((one.name for one in some), _NAMED)
    return _gist(say("judge.arrivals.rebased", names=names, before=before, after=after), some)


def _gist(text: Text, found: Sequence[Definition], of: QuoteSide = "added") -> Gist:
    quotes = (Quote("line", one.path, one.line, of, one.name) for one in found[:_NAMED])
    return Gist(text, "line", tuple(quotes), lead=text)
