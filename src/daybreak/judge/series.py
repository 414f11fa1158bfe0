"""Changes that are parts of one piece of work: `[2/N]`, `part 2`, neighbouring pull requests, a shared RFC."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from itertools import pairwise, takewhile
from typing import NamedTuple

from daybreak.core.model.changes import Change
from daybreak.core.profiles import profile_of
from daybreak.core.windows import elapsed
from daybreak.judge.change_kinds import is_revert
from daybreak.judge.message_refs import title, words
from daybreak.judge.robots import by_robot, is_manifest

_OF = re.compile(
    r"[\[(]\s{0,2}(\d{1,2})\s{0,2}(?:/|of)\s{0,2}(\d{1,2}|[nN])\b([^\])]{0,40})[\])]|(?<![\w./])(\d{1,2})/(\d{1,2}|[nN])(?=[:\s]|$)"
)
_PART = re.compile(
    r"\b(part|phase|step|milestone|stage)\s{0,2}(\d{1,2})\b(?![.\w-])(?:\s{0,2}(?:/|of)\s{0,2}(\d{1,2}|[nN])\b)?",
    re.IGNORECASE,
)
_FAULTS = re.compile(r"^[\[(](bug|bugfix|fix|issue)\s?#?(\d{1,2})()[\])]", re.IGNORECASE)
"""`[bug2]`: faults of one piece of work that were counted."""
_TAG = re.compile(r"\[([^\[\]]{1,60})\]|^\(([^()]{1,60})\)|\(([A-Z][^()]{2,40})\)")
_LEAD = re.compile(r"^([^:]{3,60}):\s")
_RFC = re.compile(r"\bRFC\b[^\n#]{0,40}(?:#(\d{2,9})\b|/issues/(\d{2,9})\b)")
_GENERIC = frozenset(
    re.findall(
        r"[^|]+",
        "frontend|kernel|kernels|refactor|refactoring|misc|perf|performance|bugfix|bug|fix|bug fix|hotfix|core|ci|ci/build|build"
        "|doc|docs|documentation|feature|feat|model|models|rocm|amd|cpu|nvidia|gpu|npu|test|tests|quantization|attention|moe"
        "|chore|minor|deps|deprecation|examples|hardware|backend|v1|diffusion|rfc|wip|reland|benchmark",
    )
)
"""Tags that changes of many pieces of work carry; a project's own are in its profile."""
_NEAR_NUMBERS = 12
_NEXT_NUMBERS = 3
_NEAR_TIME = timedelta(minutes=45)


class Part(NamedTuple):
    """Part `number` of `total` of something."""

    change: Change
    number: int
    total: str
    sign: str
    tags: frozenset[str]
    labels: frozenset[str]
    """Those of its tags that not any change may carry."""
    words: frozenset[str]


def part_of(change: Change) -> Part | None:
    """What a subject says of its place in a series."""
    subject = title(change)[:400]
    if is_revert(subject):
        return None
    match = _OF.search(subject)
    if match is not None:
        number, total, sign = int(match[1] or match[4]), (match[2] or match[5]).upper(), "of"
        if total.isdigit() and not number <= int(total):
            return None
    else:
        match = _PART.search(subject) or _FAULTS.match(subject)
        if match is None:
            return None
        number, total, sign = int(match[2]), (match[3] or "").upper(), match[1].lower()
    rest = " ".join(f"{subject[: match.start()]} {subject[match.end() :]}".split())
    tags = _tags(rest) | ({_inside(match).lower()} - {""} if sign == "of" else set())
    labels = tags - _GENERIC - set(profile_of(change.repo).words.tags)
    return Part(change, number, total, sign, tags, labels, words(re.sub(r"\[[^\]]*\]", " ", rest)))


def _inside(match: re.Match[str]) -> str:
    """What stands beside the number in its bracket: `[2/N kernel layout]`."""
    return (match[3] or "").strip(" ,:;-")


def _tags(rest: str) -> frozenset[str]:
    """Tags, and what stands before a colon."""
    tags = {(a or b or c).strip().lower() for a, b, c in _TAG.findall(rest)}
    lead = _LEAD.match(_TAG.sub(" ", rest).strip())
    found = tags | ({lead[1].strip().lower()} if lead else set())
    return frozenset(x for x in found if not x.isdigit())


def series(changes: Sequence[Change]) -> Iterator[list[Part]]:
    """Groups of at least two parts of one series, in the order of their numbers."""
    parts = [p for p in map(part_of, changes) if p is not None]
    for group in _grouped(parts, _same_series):
        for own in _one_each(group):
            last = {p.number: p for p in own}
            if len(last) >= 2:
                yield [last[n] for n in sorted(last)]


def _one_each(group: Sequence[Part]) -> list[list[Part]]:
    """A number that came twice from two hands means two series under one label: then each author has his own."""
    if all(a.change.author == b.change.author for a in group for b in group if a.number == b.number):
        return [list(group)]
    authors = dict.fromkeys(p.change.author for p in group)
    return [[p for p in group if p.change.author == author] for author in authors]


def _same_series(one: Part, two: Part) -> bool:
    if (one.total, one.sign) != (two.total, two.sign) or one.number == two.number:
        return False
    shared = one.words & two.words
    if one.labels & two.labels:
        return one.change.author == two.change.author or one.sign == "of"
    if one.change.author != two.change.author:
        return False
    if one.tags and one.tags == two.tags and one.total.isdigit():
        return True
    enough = len(shared) >= 2 and len(shared) * 3 >= min(len(one.words), len(two.words))
    return enough and one.labels == two.labels


def name_of(parts: Sequence[Part]) -> str:
    """What to call a series: its shared label as it is written, else the words its titles begin with, else one title."""
    shared = frozenset.intersection(*(p.labels for p in parts))
    place = _OF.search(title(parts[0].change)[:400])
    if place is not None and _inside(place).lower() in shared:
        return _inside(place)
    for match in _TAG.finditer(title(parts[0].change)):
        tag = (match[1] or match[2] or match[3]).strip()
        if tag.lower() in shared:
            return tag
    rows = [_unnumbered(p.change).split() for p in parts]
    same = [w[0] for w in takewhile(lambda w: len(set(w)) == 1, zip(*rows, strict=False))]
    name = re.sub(r"(?<=\w:)\s.{0,20}$|\s(?:the|an?|of|to|for|in|on|and|with)$", "", " ".join(same))
    return name.rstrip(":,-| ") if len(same) > 1 else _unnumbered(parts[0].change)


def _unnumbered(change: Change) -> str:
    return _PART.sub(" ", _OF.sub(" ", title(change)[:400])).strip(" :-,|")


def stacks(changes: Sequence[Change]) -> Iterator[list[Change]]:
    """One author, no robot, neighbouring numbers, minutes apart, and each touches the files of the one before."""
    by_author: dict[str, list[Change]] = {}
    for change in changes:
        if change.pr is not None and change.files and not is_revert(change.subject) and not by_robot(change):
            by_author.setdefault(change.author, []).append(change)
    for own in by_author.values():
        run: list[Change] = []
        for one, two in pairwise(own):
            if _stacked(one, two):
                run = [*(run or [one]), two]
            elif run:
                yield run
                run = []
        if run:
            yield run


def _stacked(one: Change, two: Change) -> bool:
    """Near in number and time, on the same files: several of them, or all that both touch. Manifests are anybody's."""
    first, second = ({f.path for f in c.files if not is_manifest(f.path)} for c in (one, two))
    shared, apart = first & second, abs((one.pr or 0) - (two.pr or 0))
    same = len(shared) > 1 and len(shared) * 2 >= min(len(first), len(second))
    same = same or (bool(shared) and first == second and apart <= _NEXT_NUMBERS)
    return same and apart <= _NEAR_NUMBERS and elapsed(one.committed_at, two.committed_at) <= _NEAR_TIME


def rfcs(changes: Sequence[Change]) -> Iterator[tuple[int, list[Change]]]:
    """Changes that name the same RFC."""
    found: dict[int, list[Change]] = {}
    for change in changes:
        for match in _RFC.finditer(f"{title(change)[:400]}\n{change.body[:4000]}"):
            number = int(match[1] or match[2])
            if number != change.pr and change not in found.setdefault(number, []):
                found[number].append(change)
    return ((number, group) for number, group in found.items() if len(group) >= 2)


def _grouped(parts: Sequence[Part], same: Callable[[Part, Part], bool]) -> list[list[Part]]:
    """Each part joins the first group that holds one of its kind."""
    groups: list[list[Part]] = []
    for part in parts:
        home = next((g for g in groups if any(same(part, other) for other in g)), None)
        if home is None:
            groups.append([part])
        else:
            home.append(part)
    return groups
