"""Code of yours that is made for one version of upstream: what it says is no news for a step between two others.

A folder or file may have the version in its name (`vllm_0_8_4/`, `third_party/vllm/v0_10_2/`), and a file of
requirements may pin it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.changes import Skipped
from daybreak.core.model.upgrade import Use, Uses
from daybreak.core.versions import Version, exact, normalised, version

_NUMBERS = r"(\d{1,4}(?:[._-]\d{1,5}){1,3})(?![0-9A-Za-z])"
_BARE = re.compile(rf"v?[._-]?{_NUMBERS}", re.IGNORECASE)


class Step(Struct, frozen=True):
    """From one release of a repository to another."""

    names: tuple[str, ...]
    """Its project, as people write it."""
    start: Version
    end: Version
    shown: str
    """The end as the user wrote it."""


class _Place(Struct, frozen=True):
    """A folder or file with a version in its name."""

    path: str
    family: tuple[str, str]
    """What stands around the version: places that differ in nothing else are choices of one."""
    made_for: Version
    written: str


def steps_of(ranges: Mapping[str, str], projects: Mapping[str, str]) -> list[Step]:
    """Repository → `A..B`, as far as both are releases; `projects` maps distributions to repositories."""
    found = []
    for repo, what in sorted(ranges.items()):
        first, _, last = what.partition("..")
        start, end = version(first), version(last)
        names = {normalised(repo.rpartition("/")[2]), *(name for name, of in projects.items() if of == repo)}
        if start is not None and end is not None and start <= end:
            found.append(Step(tuple(sorted(names)), start, end, last))
    return found


def for_step(uses: Uses, steps: Iterable[Step]) -> Uses:
    """The same without what is made for other versions, each place of it named once."""
    for step in steps:
        running, named = _running(uses.uses, step), _named(step)
        places = {path: place for path in {use.path for use in uses.uses} if (place := _place(path, step, named))}
        other, old = _sorted_out(set(places.values()), step, running)
        left = {path: place for path, place in places.items() if place in other}
        unsure = {path for path, place in places.items() if place in old}
        strange = _strange(running, step)
        kept = [
            replace(use, guarded=True) if use.path in unsure else use
            for use in uses.uses
            if use.path not in left and not (use.path in strange and _depends(use, step))
        ]
        skipped = {place.path: place.written for place in left.values()}
        told = [
            Skipped(path, f"made for {step.names[0]} {written}, not for {step.shown}")
            for path, written in sorted(skipped.items())
        ]
        uses = replace(uses, uses=tuple(kept), skipped=(*uses.skipped, *told))
    return uses


def _named(step: Step) -> re.Pattern[str]:
    names = "|".join(re.escape(name).replace(r"\-", "[-_.]") for name in step.names)
    return re.compile(rf"(?<![0-9A-Za-z])(?:{names})[._-]?v?[._-]?{_NUMBERS}", re.IGNORECASE)


def _place(path: str, step: Step, named: re.Pattern[str]) -> _Place | None:
    """The innermost part of a path that names the project and a version of it."""
    parts = path.split("/")
    for at in range(len(parts) - 1, -1, -1):
        found = named.search(parts[at])
        if found is None and at and normalised(parts[at - 1]) in step.names:
            found = _BARE.match(parts[at])
        made_for = version(re.sub(r"[_-]", ".", found[1])) if found else None
        if found is None or made_for is None or made_for.release[0] > step.end.release[0]:
            continue
        before = "/".join((*parts[:at], parts[at][: found.start(1)]))
        return _Place(
            "/".join(parts[: at + 1]),
            (before, parts[at][found.end(1) :]),
            made_for,
            ".".join(re.findall(r"\d+", found[1])),
        )
    return None


def _sorted_out(
    places: Iterable[_Place], step: Step, running: Mapping[str, Sequence[Version]]
) -> tuple[set[_Place], set[_Place]]:
    """Places that are not chosen at the end; and those that may not be, since they are older than where you stand."""
    families: dict[tuple[str, str], list[_Place]] = defaultdict(list)
    for place in places:
        families[place.family].append(place)
    yours = {one.release[:2] for versions in running.values() for one in versions}
    other: set[_Place] = set()
    old: set[_Place] = set()
    for family in families.values():
        chosen = max((one.made_for for one in family if one.made_for <= step.end), default=None)
        for place in family:
            if place.made_for != chosen:
                other.add(place)
            elif place.made_for.release[:2] < step.start.release[:2] and place.made_for.release[:2] not in yours:
                old.add(place)
    return other, old


# --- requirements that go with another version ----------------------------------------------------------------------


def _running(uses: Iterable[Use], step: Step) -> dict[str, list[Version]]:
    """File → the versions of the project that it asks for."""
    found: dict[str, list[Version]] = defaultdict(list)
    for use in uses:
        asked = (
            version(exact(use.value or "") or "") if use.kind == "pin" and normalised(use.name) in step.names else None
        )
        if asked is not None:
            found[use.path].append(asked)
    return found


def _strange(running: Mapping[str, Sequence[Version]], step: Step) -> set[str]:
    """Files that ask for a later version than the end, or for an older one than other files of yours that stand at the start."""
    stands = any(step.start <= one <= step.end for versions in running.values() for one in versions)
    return {
        path
        for path, versions in running.items()
        if min(versions) > step.end or (stands and max(versions) < step.start)
    }


def _depends(use: Use, step: Step) -> bool:
    """A requirement beside that of the project itself."""
    return use.kind == "pin" and normalised(use.name) not in step.names
