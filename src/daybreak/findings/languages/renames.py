"""Whether a name that went and one that came are one thing: their uses moved one for one, and none was turned round."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from daybreak.findings.blobs import Row, Surface
from daybreak.findings.diff import side
from daybreak.findings.kinds import kind_of, named
from daybreak.findings.languages.base import MAX_LINE, TELLING, ReadFile, Whole, same_words
from daybreak.findings.languages.python_signature import Difference, Parameter, Signature

_TOKEN = re.compile(r"\w+|[^\w\s]")
_UNSAID = re.compile(r"\s{0,200}(?:#|//|/?\*[\s*])|.*\bdef ")
_NOT = frozenset({"not", "!"})
_FLAGS = {"True": True, "False": False, "true": True, "false": False}
_MOST = 400
"""Uses of one name that are looked at."""
_HERE = "_NAME_"
_PHRASE = 3
"""Signs and words behind a name, `(rows)`, that tell what it is used for."""


class Place(NamedTuple):
    """Where a name is used."""

    before: tuple[str, ...]
    behind: tuple[str, ...]
    straight: bool
    """Neither negated nor set to False."""

    @property
    def turned(self) -> Place:
        return self._replace(straight=not self.straight)


def moves(file: ReadFile, whole: Whole, was: str, now: str) -> bool:
    """Where the commit's lines use both names: the new one mostly stands where the old one stood, and never its opposite."""
    gone, come = _used(file, whole, was, now)
    if not gone or not come:
        return True  # nobody says otherwise
    if any(place.turned in gone and place not in gone for place in come):
        return False
    return 2 * (gone & come).total() >= min(gone.total(), come.total())


def is_used_instead(file: ReadFile, whole: Whole, was: str, now: str) -> bool:
    """Some line of the commit that used the one name uses the other in its place, and none its opposite."""
    gone, come = _used(file, whole, was, now)
    return bool(gone & come) and moves(file, whole, was, now)


def _used(file: ReadFile, whole: Whole, was: str, now: str) -> tuple[Counter[Place], Counter[Place]]:
    files = whole.files if min(len(was), len(now)) >= TELLING else [file]
    return Counter(_uses(files, "-", was)), Counter(_uses(files, "+", now))


def same_meaning(
    file: ReadFile, whole: Whole, sides: tuple[Signature, Signature], found: Sequence[Difference]
) -> Iterator[Difference]:
    """What changed of a signature, by what its parameters are used for and not by their places alone."""
    return _under_other_name(file, sides[1], [*_by_use(file, whole, sides, found)])


def _by_use(
    file: ReadFile, whole: Whole, sides: tuple[Signature, Signature], found: Sequence[Difference]
) -> Iterator[Difference]:
    """What changed of a signature; a parameter whose new name is used otherwise went, and another came."""
    others: set[str] = set()
    for d in found:
        was, now = (_named(*one) for one in zip(sides, (d.before, d.after), strict=True))
        if kind_of(d.kind).change != "renamed" or was is None or now is None or moves(file, whole, was.name, now.name):
            yield from () if d.name in others else (d,)
            continue
        others.add(d.name)
        yield Difference(named("parameter", "removed"), was.name, was.shown, None, d.breaks)
        came = named("parameter", "required_added" if now.required else "added")
        yield Difference(came, now.name, None, now.shown, now.required)


def _under_other_name(file: ReadFile, new: Signature, found: Sequence[Difference]) -> Iterator[Difference]:
    """A parameter that went as the one that came and is used where it was, where that is one for one."""
    changes = [(d, kind_of(d.kind)) for d in found]
    lost = [d.name for d, kind in changes if kind.means("parameter", "removed") and d.after is None]
    came = [d.name for d, kind in changes if kind.means("parameter", "added") and d.before is None]
    new_uses = {now: _phrases(file, "+", now) for now in came} if lost else {}
    pairs = [
        (was, now)
        for was in lost
        if came and (uses := _phrases(file, "-", was))
        for now in came
        if uses & new_uses[now]
    ]
    instead = {was: now for was, now in pairs if sum(was == a or now == b for a, b in pairs) == 1}
    for d in found:
        if (now := instead.get(d.name)) is not None:
            yield Difference(named("parameter", "renamed"), d.name, d.name, now, not new.takes_any)
        elif d.name not in instead.values():
            yield d


def _phrases(file: ReadFile, sign: Literal["+", "-"], name: str) -> set[tuple[str, ...]]:
    """What is done with an attribute of that name on lines that came or went; too few words for it are said of anything."""
    lines = [
        line.text[:MAX_LINE] for hunk in file.hunks for line in hunk.lines if line.sign == sign and name in line.text
    ]
    texts = (_TOKEN.findall(text) for text in lines[:_MOST])
    uses = ((x, at) for x in texts for at in range(2, len(x)) if x[at] == name and x[at - 1] == ".")
    return {
        (x[at - 2], *x[at + 1 : at + 1 + _PHRASE]) for x, at in uses if len(x) > at + _PHRASE and x[at + 1] in "([."
    }


def _named(side: Signature, name: str | None) -> Parameter | None:
    return next((p for p in side.parameters if p.name == name), None)


def _uses(files: Sequence[ReadFile], sign: Literal["+", "-"], name: str) -> list[Place]:
    """Places of a name in lines that came or went; its declaration is no use of it."""
    word, declared = re.compile(rf"\b{re.escape(name)}\b"), re.compile(rf"\s{{0,200}}{re.escape(name)}\s*:")
    found: list[Place] = []
    for lines in (side(hunk, sign) for file in files for hunk in file.hunks):
        texts = [x.text[:MAX_LINE] for x in lines]
        for at, line in enumerate(lines):
            text = texts[at]
            if line.changed and name in text and not declared.match(text) and not _UNSAID.match(text):
                found += _places(word, texts[at - 1] if at else "", text, "".join(texts[at + 1 : at + 2]))
        if len(found) > _MOST:
            break
    return found[:_MOST]


def _places(word: re.Pattern[str], above: str, text: str, below: str) -> Iterator[Place]:
    first, middle, last = (_TOKEN.findall(word.sub(_HERE, part)) for part in (above, text, below))
    lead = first[-3:]
    tokens = [*lead, *middle, *last[:2]]
    for at in range(len(lead), len(lead) + len(middle)):
        if tokens[at] == _HERE:
            start = at
            while start > 1 and tokens[start - 1] == ".":
                start -= 2  # the way to it
            negated = start > 0 and tokens[start - 1] in _NOT
            before = (*tokens[max(start - 1 - negated, 0) : start - negated], *tokens[max(start, at - 2) : at])
            behind = tokens[at + 1 : at + 3]
            flag = _FLAGS.get(behind[1]) if behind[:1] == ["="] and len(behind) > 1 else None
            given = "" if flag is not None else "".join(tokens[at + 1 : len(lead) + len(middle)])
            after = (given.rstrip(",)"),) if behind[:1] == ["="] else _ends(behind)
            yield Place(before, after, (flag is not False) != negated)


def _ends(behind: list[str]) -> tuple[str, ...]:
    """The sign behind a name; a comma before the end of a list says nothing."""
    return tuple(")" if x == "," else x for x in behind[:1])


# Likeness of names and definitions of Python: what may be one under another name.
_TELLING = 12
"""Letters of a name that hardly is another's by chance."""


def similar(first: str, second: str, least: float = 0.75) -> bool:
    """Two names that one word apart are the same."""
    a, b = (name.split(".")[-1].lower() for name in (first, second))
    return SequenceMatcher(None, a[:80], b[:80]).ratio() >= least


def shortened(first: str, second: str) -> bool:
    """One name is the end of the other one, of two words or more: `rejection_sample` for `probabilistic_rejection_sample`."""
    few, many = sorted((first, second), key=len)
    return "_" in few.strip("_") and many.endswith(f"_{few}")


def likely(old: Surface, was: Row, new: Surface, here: Sequence[Row]) -> list[Row]:
    """Of new definitions, those that may be an old one: by the words of its name, else by its shape, else by its methods."""
    found = [row for row in here if of_these_words(row, was)] or [row for row in here if looks_like(row, was)]
    return found or [row for row in here if keeps_methods(old, was, new, row)]


def of_these_words(first: Row, second: Row) -> bool:
    """Names of the same words, and not twice as many lines: one that became a few lines hands on to something else."""
    a, b = _sizes(first, second)
    return same_words(first.name, second.name) and max(a, b) <= 2 * min(a, b) + 2


def looks_like(first: Row, second: Row) -> bool:
    """Nearly the name, as many commas in the head and, within a tenth, as many lines: all that a replaced word leaves as it
    was.
    """
    a, b = _sizes(first, second)
    shaped = first.text.count(",") == second.text.count(",") and abs(a - b) * 10 <= max(a, b)
    return (shaped and similar(first.name, second.name)) or a_letter_apart(first, second)


def _sizes(first: Row, second: Row) -> tuple[int, int]:
    return int(first.details["size"]), int(second.details["size"])


def a_letter_apart(first: Row, second: Row) -> bool:
    """Long names of which one is the other's plural, or has a letter more: whatever else changed, one is the other."""
    return min(len(first.name), len(second.name)) >= _TELLING and similar(first.name, second.name, 0.95)


def keeps_methods(old: Surface, was: Row, new: Surface, now: Row) -> bool:
    """A class with all methods of another one, under the same heads, and most of their bodies: what else it got, it is that one."""
    first, second = (
        {name.rpartition(".")[2]: row for name, row in side.methods(row.name).items()}
        for side, row in ((old, was), (new, now))
    )
    if was.kind != "class" or len(first) < _METHODS or not first.keys() <= second.keys():
        return False
    heads = all(row.text == second[name].text for name, row in first.items())
    return heads and 2 * sum(
        row.details.get("body") == second[name].details.get("body") for name, row in first.items()
    ) > len(first)


def agree(old: Surface, was: Row, new: Surface, now: Row) -> bool:
    """Of classes, that the one has most of what the other had, and its bases, unless they share much: whoever writes the new
    name in place of the old one gets what he used. A letter less or more is a name put right, whatever else changed.
    """
    if was.kind != "class" or a_letter_apart(now, was):
        return True
    had, has = (_members(side, row.name) for side, row in ((old, was), (new, now)))
    shared = len(had & has)
    same = was.details.get("bases", "") == now.details.get("bases", "")
    return 2 * shared >= len(had) and (same or shared >= _METHODS)


def _members(side: Surface, owner: str) -> set[str]:
    """Names of what a class has."""
    rows = (*side.methods(owner), *(row.name for row in side.of("attribute") if row.name.startswith(f"{owner}.")))
    return {name.rpartition(".")[2] for name in rows}


_METHODS = 3
"""Methods that two classes hardly have in common by chance."""
