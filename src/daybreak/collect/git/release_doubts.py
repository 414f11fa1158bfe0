"""Doubts that a release has a fault although it has the lines around the fix: the use that failed may be younger, or the
version of a dependency that it takes may lie outside of those that the fix speaks of.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from daybreak.collect.git.standing import Block, Text

_OWN = r"(?:self\.|this\.|this->)"
_INIT = re.compile(rf"({_OWN})?([A-Za-z_]\w*)(?:\s?:[^=]{{1,80}})?\s?=(?!=)")
_GUARD = re.compile(rf"(?:el)?if\s?\(?(?:not\s|!)?({_OWN})?([A-Za-z_]\w*)(?![\w(])")
_NEEDS = re.compile(r"([A-Za-z][\w-]{2,40})\s?(>=|<=|==|>|<)\s?v?(\d{1,5}(?:\.\d{1,5}){1,3})")
_PIN = re.compile(r"[\s\"']{0,8}([A-Za-z][\w-]{2,60})(?:\[[\w,-]{0,40}\])?\s?==\s?v?(\d{1,5}(?:\.\d{1,5}){1,3})")
_COMMENT = ("#", "//", "*", "/*")
_LINE = 500
_WORDS = 20
_SATISFIES: dict[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
}


# --- the use that failed -----------------------------------------------------------------------------------------


def lacks_use(block: Block, release: Text, before: Text | None) -> bool:
    """What only adds a first value, or a guard, mends a read of that name: of an attribute, each read that stood before
    the fix must stand in the release, since any of them may have failed; of a variable, one.
    """
    code = [line[:_LINE] for line in block.code]
    values = [found for line in code if (found := _INIT.match(line))]
    guard = _GUARD.match(code[0]) if code else None
    if code and len(values) == len(code):
        return any(_unread(found[1], found[2], release, before) for found in values)
    return guard is not None and _unread(None, guard[2], release, before)


def _unread(owner: str | None, name: str, release: Text, before: Text | None) -> bool:
    here = set(_reads(name, release))
    if not owner or before is None:
        return not here
    reads = set(_reads(name, before, owner))
    return not reads or not reads <= release.lines


def _reads(name: str, text: Text, owner: str = "") -> Iterator[str]:
    word = re.compile(rf"(?<![\w]){re.escape(owner)}{re.escape(name)}(?!\w)(?!\s?=(?!=))")
    return (line for line in text.lines if name in line and word.search(line))


# --- versions of dependencies ------------------------------------------------------------------------------------


def needs(blocks: Iterable[Block]) -> list[tuple[str, str, str]]:
    """Name, comparison and version, as comments of the fix name them: `hangs with kernels >= 0.6.7`."""
    comments = (line[:_LINE] for block in blocks for line in block.new if line.startswith(_COMMENT))
    found = (match for line in comments for match in _NEEDS.finditer(line))
    return [(_plain(match[1]), match[2], match[3]) for match in islice(found, _WORDS)]


def outside(need: tuple[str, str, str], rows: Sequence[str]) -> bool:
    """The release takes the dependency, and in no version that is meant."""
    name, sign, version = need
    pins = [match for row in rows if (match := _PIN.match(row[:_LINE]))]
    taken = [match[2] for match in pins if _plain(match[1]) == name or _plain(match[1]).startswith(f"{name}-")]
    return bool(taken) and not any(_SATISFIES[sign](_parts(one), _parts(version)) for one in taken)


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


def _parts(version: str) -> tuple[int, ...]:
    return tuple([*map(int, version.split(".")), 0, 0, 0][:4])
