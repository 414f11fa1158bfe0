"""Doubts that a release has a fault although it has the lines around the fix: the use that failed may be younger, or the
version of a dependency that it takes may lie outside of those that the fix speaks of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import chain, groupby, islice
from typing import NamedTuple

from daybreak.collect.git.standing import Block, Text, condition
from daybreak.core.model.changes import Change, FileChange

_OWN = r"(?:self\.|this\.|this->)"
_INIT = re.compile(rf"({_OWN})?([A-Za-z_]\w*)(?:\s?:[^=]{{1,80}})?\s?=(?!=)")
_GUARD = re.compile(rf"(?:el)?if\s?\(?(?:not\s|!)?({_OWN})?([A-Za-z_]\w*)(?![\w(])")
_VERSION = r"[vV]?(\d{1,5}(?:\.\d{1,5}){LEAST,3})(?![\w-]|\.\d)"
_NEEDS = re.compile(rf"([A-Za-z][\w-]{{2,40}})\s?(>=|<=|==|>|<)\s?{_VERSION.replace('LEAST', '1')}")
_MEETS = re.compile(
    r"\b(?:[Ww]ith|[Ff]or|[Oo]n|[Uu]nder|[Ii]n|[Ss]ince|caused by|due to)\s([A-Za-z][\w-]{2,40})\s?(?:>=\s?)?"
    + _VERSION.replace("LEAST", "0")
)
_NAMES = re.compile(r"(?<![\w./-])([A-Za-z][\w-]{2,40})\s(?:version\s)?" + _VERSION.replace("LEAST", "1"))
"""`kernels 0.6.1 made it slower`: what a release pins says whether a package is meant."""
_TITLED = re.compile(
    r"(?<![\w./-])([A-Za-z][\w-]{2,40})(?:\s?>=\s?|\s(?=[vV]\d|\d{1,5}\.\d))" + _VERSION.replace("LEAST", "0")
)
_CURE = re.compile(r"\b(?:pin|bump|upgrad|updat|requir|need)\w{0,5}(?:\sto)?\s$", re.IGNORECASE)
"""Before a version by which a fault is mended."""
_FAULT = re.compile(
    r"hang|crash|fail|br(?:ea|o)k|wrong|incorrect|error|\bbug|regress|slow|mismatch|\bNaN|rais|remov|renam|no longer|chang|drop|corrupt",
    re.IGNORECASE,
)
"""How a comment says that it goes wrong with a version: one that speaks of what the fix needs is no ground for a verdict."""
_ROW = re.compile(r"[\s\"']{0,8}([A-Za-z][\w-]{2,60})(?:\[[\w, -]{0,40}\])?([\s,<>=!~\w.*]{0,60})")
_BOUND = re.compile(r"([<>=!~]{1,2})\s?v?(\d{1,5}(?:\.\d{1,5}){0,3})")
_PROBE = re.compile(
    r"\binspect\.signature\(\s?(?:([A-Za-z_]\w*)\.|$)|\bhasattr\(\s?([A-Za-z_]\w*)[.,]"
    r"|\b(?:[A-Za-z]\w*\.__version__|version\.parse\(|Version\(|metadata\.version\()"
)
MANIFEST = re.compile(r"requirements[^/]*(?:/[^/]*)?\.(?:txt|in)$|(?:^|/)(?:pyproject[^/]*\.toml|setup\.(?:py|cfg))$")
_COMMENT = ("#", "//", "*", "/*")
_LINE = 500
_WORDS = 20
_UPPER, _LOWER = frozenset({"<", "<=", "=="}), frozenset({">", ">=", "==", "~="})


class Need(NamedTuple):
    """Versions of a dependency that a fix speaks of."""

    name: str
    sign: str
    version: str
    fails: bool
    """It goes wrong with these; else the fix may only need them."""
    lone: bool = False
    """No package of a longer name is meant: the word may be that of a model."""


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


def given_late(block: Block, release: Text, before: Text | None) -> bool:
    """A condition that came asks for an object or a switch that the file gives otherwise than the release's: the fault may be
    of the pair, and the release has one side of it alone.
    """
    asked = [line[:_LINE] for line in block.code if condition(line)]
    if before is None or not asked:
        return False
    objects = {name for line in asked for name in _OBJECT.findall(line)}
    switches = {name for line in asked for name in _SWITCH.findall(line)} - objects
    given = chain.from_iterable(map(before.statements_giving, sorted(objects)))
    passed = (line for line in before.lines for name in switches if _PASSED.match(line) and line.startswith(f"{name}="))
    return any(len(line) >= _SHORT and not release.holds(line) for line in chain(given, passed))


_SHORT = 6
"""Characters below which a line of a statement is a bracket or a name."""
_OBJECT = re.compile(rf"{_OWN}([A-Za-z_]\w*)")
_SWITCH = re.compile(r"(?<![\w.])([a-z]+_\w+)(?![\w(.])")
_PASSED = re.compile(r"[a-z]+_\w+\s?=\s?(?:True|False|None)\s?[,)]{0,4}$")
"""An argument that decides, on a line of its own."""


# --- versions of dependencies ------------------------------------------------------------------------------------


def needs(subject: str, blocks: Iterable[Block]) -> list[Need]:
    """As the title, comments or docstrings of the fix name them: `Fix load with kernels v2`, `hangs with kernels >= 0.6.7`,
    `In kernels v2 a config is a dataclass`, `kernels 0.6.1 made it slower`; in a title also `[Kernels v2] Fix load`.
    """
    title = subject[:_LINE]
    titled = (Need(_plain(found[1]), ">=", found[2], True) for found in _MEETS.finditer(title))
    bare = (found for found in _TITLED.finditer(title) if not _CURE.search(title[: found.start()]))
    topics = (Need(_plain(found[1]), ">=", found[2], True, lone=True) for found in bare)
    told = [sentence for block in blocks for sentence in sentences(block)]
    said = (_need(match) for text in told for match in _NEEDS.finditer(text))
    met = (Need(_plain(found[1]), ">=", found[2], False) for text in told for found in _MEETS.finditer(text))
    named = (Need(_plain(found[1]), ">=", found[2], _blamed(found)) for text in told for found in _NAMES.finditer(text))
    return list(islice(chain(titled, topics, said, met, named), _WORDS))


def versions(
    change: Change, blocks: Sequence[Block], pins: Callable[[Sequence[str]], Sequence[str]]
) -> tuple[str, bool, bool]:
    """The pin by which a release takes no version of a dependency that the fix is for, whether it goes wrong with these alone
    (of a fix that moves pins itself that is not known), and whether it is of that very package. `pins`: rows with these words.
    """
    asked = needs(change.subject, blocks)
    # by its first letters a package is found however the rest of its name is written
    rows = pins([need.name.partition("-")[0][:_STEM] for need in asked])
    moves = any(MANIFEST.search(file.path) for file in change.files)
    found = [(pin, need.fails and not moves, _of(need, pin)) for need in asked if (pin := outside(need, rows))]
    return max(found, key=lambda one: one[1:], default=("", False, False))


def sentences(block: Block) -> Iterator[str]:
    """Of the comments and docstrings that came, each that runs over several lines as one."""
    for talks, rows in groupby(_talking(block.new), lambda row: row[0]):
        text = " ".join(line.strip("#/*\"' ") for _, line in rows) if talks else ""
        yield from (sentence[:_LINE] for sentence in _ENDS.split(text) if sentence)


def _talking(lines: Iterable[str]) -> Iterator[tuple[bool, str]]:
    """Each line, and whether it is of a comment or a docstring."""
    within = False
    for line in lines:
        opens = line.startswith(_QUOTES) and not within
        yield within or opens or line.startswith(_COMMENT), line
        within ^= sum(map(line.count, _QUOTES)) % 2 == 1 and (within or opens)


_QUOTES = ('"""', "'''")


def _need(match: re.Match[str]) -> Need:
    """What may go once a version is there is for those before it."""
    name, sign, version = match.groups()
    if _UNTIL.search(match.string[: match.start()]):
        return Need(_plain(name), _BELOW.get(sign, sign), version, sign in _BELOW)
    return Need(_plain(name), sign, version, bool(_FAULT.search(match.string)) and not _MENDS.search(match.string))


def _blamed(named: re.Match[str]) -> bool:
    """A version does the harm itself: a fault told elsewhere in the sentence may as well be that of those before it."""
    does = _HARMS.match(named.string, named.end()) is not None
    return does and not _EARLIER.search(named.string[: named.start()])


_ENDS = re.compile(r"(?<=[.;!])\s")
_UNTIL = re.compile(
    r"\b(?:until|(?:remov|drop|delet|obsolete|unneeded|unnecessary|go away)[^,;]{0,60}\b(?:once|when|after|as soon as|with))"
    r"\s(?:\w{1,30}\s){0,6}$",
    re.IGNORECASE,
)
_BELOW = {">=": "<", ">": "<="}
_MENDS = re.compile(r"\b(?:fix|solv|resolv|requir|need)", re.IGNORECASE)
"""Who says so may mean that the fault ends with a version."""
_HARMS = re.compile(r"\+?\s(?:caus|renam|chang|rais|br(?:ea|o)k|fail|crash|hang|regress|corrupt)", re.IGNORECASE)
_EARLIER = re.compile(r"\b(?:before|until|once|when|than|below|to)\s(?:\w{1,30}\s)?$", re.IGNORECASE)
"""It speaks of those before the version that it names."""


def follows_pins(change: Change) -> bool:
    """It moves a commit of sources along with what a manifest takes: it is for the version that came with that."""
    rows = [row for file in change.files if not MANIFEST.search(file.path) for row in file.patch.split("\n")]
    gone = [row for row in rows if row[:1] == "-" and row[1:].strip()]
    return bool(gone) and all(map(_COMMIT.search, gone)) and any(MANIFEST.search(file.path) for file in change.files)


_COMMIT = re.compile(r"(?<![0-9a-f])[0-9a-f]{40}(?![0-9a-f])")


def probes(block: Block, before: Text | None) -> bool:
    """The fix asks at run time what a dependency offers: only those are hit who have a version that does not."""
    for line in block.code:
        found = _PROBE.search(line[:_LINE])
        owner = found and (found[1] or found[2])
        if found and (owner is None or any(_imported(owner, text) for text in (before, Text("\n".join(block.new))))):
            return True
    return False


def tried(block: Block, before: Text | None) -> list[str]:
    """Modules that were imported as a matter of course, and that the fix can do without."""
    if before is None or not any(map(_EXCEPT.match, block.code)):
        return []
    pairs = zip(block.new, block.new[1:], strict=False)
    found = (_TAKEN.match(row[:_LINE]) for tries, row in pairs if tries == "try:" and row in before.lines)
    return [match[1] for match in found if match]


_EXCEPT = re.compile(r"except \(?(?:ImportError|ModuleNotFoundError)\b")
_TAKEN = re.compile(r"(?:from|import)\s([A-Za-z]\w{1,60})")


def ships(module: str, rows: Sequence[str]) -> bool:
    """Rows of manifests take the package of a module: `kernels_python` has `kernels`."""
    names = (_plain(match[1]) for row in rows if (match := _ROW.match(row[:_LINE])))
    return any(f"{name}-".startswith(f"{_plain(module)}-") for name in names)


def lifts(file: FileChange, release: Text) -> bool:
    """It takes away what a comment says is switched off or worked around, and the release has that comment."""
    gone = (row[1:].strip() for row in file.patch.split("\n") if row[:1] == "-")
    return any(line.startswith(_COMMENT) and line in release.lines and _OFF.search(line[:_LINE]) for line in gone)


_OFF = re.compile(r"\bdisabl|\bwork[ -]?around|\b(?:turn|switch)(?:s|es|ed|ing)? off\b", re.IGNORECASE)


def _imported(name: str, text: Text | None) -> bool:
    """A file takes a name from elsewhere."""
    word = re.compile(rf"\s*(?:from\s+\S+\s+)?import\s.*\b{re.escape(name)}\b|.*\bas\s+{re.escape(name)}\b")
    return text is not None and any(name in line and word.match(line[:_LINE]) for line in text.lines)


def outside(need: Need, rows: Sequence[str]) -> str:
    """How the release takes the dependency, where it does in no version that is meant."""
    every = [match for row in rows if (match := _ROW.match(row[:_LINE]))]
    same = [match for match in every if _plain(match[1]) == need.name] or [
        m for m in every if _is_slip(m[1], need.name)
    ]
    named = same or [m for m in every if not need.lone and _plain(m[1]).startswith(f"{need.name}-")]
    if not named or any(_meets(match[2], need) for match in named):
        return ""
    return f"{named[0][1]}{named[0][2].strip(' ,')}"


def _of(need: Need, pin: str) -> bool:
    """A pin is of the very package, and not of one that goes by a longer name."""
    match = _ROW.match(pin)
    return match is not None and (_plain(match[1]) == need.name or _is_slip(match[1], need.name))


_STEM = 6


def _is_slip(package: str, word: str) -> bool:
    """A title may miss a letter of a long name."""
    name = _plain(package)
    if abs(len(name) - len(word)) > 1 or name[:_STEM] != word[:_STEM] or len(word) < _LONG:
        return False
    return SequenceMatcher(None, name, word).ratio() >= _ALIKE


_LONG, _ALIKE = 9, 0.95


def packages(subject: str, blocks: Iterable[Block]) -> list[str]:
    """What the title and the comments of a fix may call a package: `flash-attn-4`."""
    told = chain([subject[:_LINE]], (sentence for block in blocks for sentence in sentences(block)))
    return list(islice(dict.fromkeys(_plain(name) for text in told for name in _PACKAGE.findall(text)), _WORDS))


_PACKAGE = re.compile(r"(?<![\w./-])[A-Za-z]\w{1,40}(?:-\w{1,40}){1,4}(?![\w/-]|\.\w)")


def required(names: Iterable[str], rows: Sequence[str]) -> set[str]:
    """Those of some packages that rows of manifests take."""
    return {_plain(match[1]) for row in rows if (match := _ROW.match(row[:_LINE]))}.intersection(names)


def _meets(bounds: str, need: Need) -> bool:
    """Some version lies within all of these bounds and among those that are meant."""
    asked = (need.sign, _parts(need.version))
    return not any(_apart(one, asked) or _apart(asked, one) for one in _bounds(bounds))


def _bounds(text: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(found[1], _parts(found[2])) for found in _BOUND.finditer(text)]


def _apart(one: tuple[str, tuple[int, ...]], other: tuple[str, tuple[int, ...]]) -> bool:
    """The first ends before the second begins."""
    if one[0] not in _UPPER or other[0] not in _LOWER:
        return False
    return one[1] < other[1] or (one[1] == other[1] and (one[0] == "<" or other[0] == ">"))


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


def _parts(version: str) -> tuple[int, ...]:
    return tuple([*map(int, version.split(".")), 0, 0, 0][:4])
