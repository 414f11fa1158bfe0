"""What the watched repositories pin of one another: at the head of each branch, and in its newest release.

A branch tells what comes; who runs a release has what its tag pins, and a release branches off. Both are read of manifests.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress

from msgspec.structs import replace

from daybreak.collect.git.families import parsed
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Held
from daybreak.core.projects import FAULTS, wanted_for
from daybreak.core.versions import normalised
from daybreak.findings.languages.pins import Pin, pins
from daybreak.judge.change_kinds import is_front
from daybreak.judge.cross_repo.trees import Opened, Tree
from daybreak.judge.links.pins import Side, Targets, named_beside, pinned

_KINDS = ("dependency", "source")


class Holdings:
    """Reads the manifests of one day's repositories."""

    def __init__(
        self, git: Git, sides: Sequence[Side], manifests: Sequence[str], known_as: Callable[[str], Iterator[str]]
    ) -> None:
        self._git, self._sides, self._manifests, self._targets = git, sides, manifests, Targets(sides)
        self._names = {side.repo: set(known_as(side.repo)) for side in sides}
        self._parts = {normalised(name): repo for name, repo in wanted_for(self._names).projects.items()}

    def with_pins(self, heads: Mapping[str, str | None], mirror: Callable[[str], Opened | None]) -> list[Side]:
        """The sides, each with what it pins of the others, and without uses of what it builds from a fork."""

        def told(side: Side) -> Side:
            head, opened = heads.get(side.repo), mirror(side.repo) if len(self._sides) > 1 else None
            if not (head and opened):
                return side
            held = self._of(side, head, opened)
            forked = self._forked(
                {use.repo for use in side.uses} - {one.target for one in held if not one.fork}, head, opened
            )
            return replace(side, pinned=held, uses=tuple(use for use in side.uses if use.repo not in forked))

        return self._git.side_by_side(told, self._sides)

    def _of(self, side: Side, head: str, opened: Opened) -> tuple[Held, ...]:
        """Nothing where git cannot answer, and no release where none has a version."""
        names = sorted({name for repo, some in self._names.items() if repo != side.repo for name in some})
        tag = _newest(side)
        places = {"": head, **({tag: side.tags[tag]} if tag else {})}
        try:
            found = [one for release, at in places.items() for one in self._at(side.repo, names, opened, at, release)]
        except GitError:
            return ()
        return tuple(dict.fromkeys(found))

    def _forked(self, targets: Collection[str], head: str, opened: Opened) -> set[str]:
        """Repositories of which every address in the manifests is somebody else's: what goes from them is met with a bump."""
        names = sorted({name for target in targets for name in self._names.get(target, ())})
        tree, owners = Tree(self._git, opened, head), dict[str, set[bool | None]]()
        with suppress(GitError):
            for _, text in tree.texts(filter(is_front, tree.holding(names, self._manifests) if names else ())):
                for target in targets:
                    owners.setdefault(target, set()).add(named_beside(text, target))
        return {target for target, found in owners.items() if False in found and True not in found}

    def _at(self, repo: str, names: Sequence[str], opened: Opened, commit: str, release: str) -> Iterator[Held]:
        tree = Tree(self._git, opened, commit)
        paths = list(filter(is_front, tree.holding(names, self._manifests) if names else ()))
        nested = tree.nested(paths)
        for path, text in tree.texts(paths):
            try:
                found = list(pins(path, text))
            except FAULTS:  # a file that is not what its name says pins nothing
                continue
            for pin in found:
                if pin.kind == "dependency" and path in nested:
                    continue
                target, value = self._target(repo, pin, text), pinned(pin.value)
                if target and target[0] != repo and value is not None:
                    yield Held(target[0], pin.name, f">={value[0]}" if value[1] else value[0], release, fork=target[1])

    def _target(self, repo: str, pin: Pin, text: str) -> tuple[str, bool] | None:
        """The watched repository whose package every installation takes, or whose source by its own address; or which
        somebody's copy is of that is taken in its place: a package that is called after its taker, or another address.
        """
        if pin.kind not in _KINDS or pin.scope:
            return None
        declared = pin.kind == "dependency"
        found = self._targets.named(pin.name, declared=declared)
        if declared:
            part = self._parts.get(normalised(pin.name))
            copy = normalised(pin.name).partition("-")[0] in {one.partition("-")[0] for one in repo.lower().split("/")}
            return (found[0], False) if found and found[2] else (part, copy) if part else None
        own = named_beside(text, found[0]) if found else None
        return (found[0], not own) if found and own is not None else None


def _newest(side: Side) -> str | None:
    """The highest version of the project's own tags that is no candidate."""
    known = [tag for name in side.tags if (tag := parsed(name)) and not tag.family and not tag.candidate]
    return max(known, key=lambda tag: tag.key).name if known else None
