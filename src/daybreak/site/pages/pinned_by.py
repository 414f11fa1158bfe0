"""Which version of a watched project another one pins: on its branch as last read, and in its releases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from daybreak.core.model.day import Held
from daybreak.core.projects import wanted_for
from daybreak.core.versions import normalised
from daybreak.findings.kinds import kind_of
from daybreak.site.pages.ranges import RangeFile
from daybreak.site.pages.summaries import DaySummary, PinMove

LAST = "\uffff"
"""After every name."""


class Pinned(Struct, frozen=True):
    """A package in one repository with its moves, oldest first."""

    package: str
    repo: str
    moves: tuple[PinMove, ...]


class PinnedBy(Struct, frozen=True):
    """Which version of a watched project another one pins: on its branch as last read, and in its releases."""

    library: str
    repo: str
    main: tuple[tuple[str, PinMove | None, tuple[str, ...]], ...]
    """Version, its last move where one was reported, and under which names."""
    gone: tuple[str, ...]
    """Names that the newest release has a version of and the branch no longer."""
    newest: tuple[str, tuple[tuple[str, tuple[str, ...]], ...]]
    """The newest release, and each version with its names; both are empty where its tag was not read."""
    releases: tuple[tuple[str, str], ...]
    """Other releases and their versions, oldest first."""


def pinned_by(
    pins: Iterable[Pinned],
    owners: Mapping[str, str],
    upgrades: Sequence[RangeFile],
    held: Mapping[str, Sequence[Held]],
) -> tuple[PinnedBy, ...]:
    """One row for each project that pins a watched one. Releases branch off: what one pins is known of the newest, whose tag
    was read, of those that are the first to hold a move, and of the ends of an upgrade, and of no other.
    """
    found: dict[tuple[str, str], list[Pinned]] = {(one.target, repo): [] for repo, some in held.items() for one in some}
    for one in pins:
        if (library := owner_of(normalised(one.package), owners)) not in (LAST, one.repo):
            found.setdefault((library, one.repo), []).append(one)
    return tuple(
        _row(
            library,
            repo,
            some,
            held.get(repo, ()),
            [one for one in upgrades if one.repo.name == repo],
        )
        for (library, repo), some in sorted(found.items())
    )


def held_lately(days: Sequence[DaySummary]) -> dict[str, tuple[Held, ...]]:
    """Of each repository as the newest day tells it that read it."""
    return {repo.name: repo.pinned for day in days for repo in day.repos if repo.pinned}


def _row(
    library: str, repo: str, pins: Sequence[Pinned], held: Sequence[Held], upgrades: Sequence[RangeFile]
) -> PinnedBy:
    tag = next((one.release for one in held if one.release), "")  # one for all that it pins
    is_read = any(not one.release for one in held)
    held = [one for one in held if one.target == library]
    known = dict(_in_releases(pins, upgrades))
    told = known.pop(tag, "")
    names = tuple(dict.fromkeys(one.package for one in pins))
    at_tag = tuple(_together(one for one in held if one.release).items()) or (((told, names),) if told else ())
    return PinnedBy(
        library,
        repo,
        _on_main(pins, held),
        _gone(pins, held) if is_read else (),
        (tag if at_tag else "", at_tag),
        tuple(known.items()),
    )


def _gone(pins: Sequence[Pinned], held: Sequence[Held]) -> tuple[str, ...]:
    known = {normalised(one.package) for one in held if not one.release}
    moved = {normalised(one.package) for one in pins if not one.moves[-1].after}
    tagged = {normalised(one.package): one.package for one in held if one.release}
    return tuple(name for key, name in tagged.items() if key not in known | moved)


def _on_main(pins: Sequence[Pinned], held: Sequence[Held]) -> tuple[tuple[str, PinMove | None, tuple[str, ...]], ...]:
    """Names with one version stand together, what moved last first; what no report saw move, as its head has it."""
    heads: dict[str, set[str]] = {}
    for head in (one for one in held if not one.release):
        heads.setdefault(normalised(head.package), set()).add(head.version)
    pins = [
        one
        for one in pins
        if exact(one.moves[-1].after) in heads.get(normalised(one.package), {exact(one.moves[-1].after)})
    ]
    versions: dict[str, list[tuple[PinMove, str]]] = {}
    for one in pins:
        versions.setdefault(exact(one.moves[-1].after), []).append((one.moves[-1], one.package))
    moved = [
        (version, max(some, key=lambda x: x[0].at)[0], tuple(n for _, n in some)) for version, some in versions.items()
    ]
    known = {normalised(one.package) for one in pins}
    stood = _together(one for one in held if not one.release and normalised(one.package) not in known)
    return (
        *sorted(moved, key=lambda row: row[1].at, reverse=True),
        *((version, None, names) for version, names in stood.items() if version not in versions),
    )


def _together(held: Iterable[Held]) -> dict[str, tuple[str, ...]]:
    """Version -> names that have it; of somebody's copy, that it is one: its versions are its own."""
    found: dict[str, tuple[str, ...]] = {}
    for one in held:
        found[one.version] = (*found.get(one.version, ()), f"{one.package} (fork)" if one.fork else one.package)
    return found


def _in_releases(pins: Sequence[Pinned], upgrades: Sequence[RangeFile]) -> tuple[tuple[str, str], ...]:
    names = {normalised(one.package) for one in pins}
    found: dict[str, dict[str, None]] = {}
    for upgrade in reversed(upgrades):
        for net in upgrade.nets:
            if normalised(net.symbol) in names and "pinned" in kind_of(net.kind).traits:
                ends = ((upgrade.start.name, net.before), (net.since, net.after), (upgrade.end.name, net.after))
                for tag, pinned in ends:
                    if tag and pinned:
                        found.setdefault(tag, {})[exact(pinned)] = None
    for move in sorted((move for one in pins for move in one.moves if move.released), key=lambda move: move.at):
        found.setdefault(move.released, {})[exact(move.after)] = None
    return tuple((tag, ", ".join(versions)) for tag, versions in found.items())


def exact(pinned: str) -> str:
    """`4.6.0` of `[cu13] ==4.6.0`: what says only how old it may be keeps its sign."""
    return pinned.rpartition(" ")[2].removeprefix("==")


def owner_of(package: str, owners: Mapping[str, str]) -> str:
    """Packages that are named after a project (`engine-cubin`) are its own: rows of one library stand together."""
    words = package.split("-")
    names = ("-".join(words[:end]) for end in range(len(words), 0, -1))
    return next((owners[name] for name in names if name in owners), LAST)


def owners_of(repos: Iterable[str]) -> Mapping[str, str]:
    """Name of a package or a submodule -> watched repository that it is of."""
    names = list(repos)
    return {normalised(one.rpartition("/")[2]): one for one in names} | dict(wanted_for(names).projects)
