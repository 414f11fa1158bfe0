"""Who of the watched repositories pins a version of another one that has a fault which is put right there.

Asked of what stands on the first screen alone. It is said where four things are shown: the one version that the manifests of
the head pin, the tag of that version, the fault in the tree of that tag, as of any release, and that the head names what the
fix alters: who pins a library does not run all of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cached_property

from daybreak.collect.git.bearing import Bearings
from daybreak.collect.git.known_releases import Releases
from daybreak.collect.git.mirror import mirror_at
from daybreak.core.errors import GitError
from daybreak.core.file_cache import code_digest
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, Taken
from daybreak.core.model.day import MOST_ACTIONS, MOST_ALSO
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.profiles import profile_of
from daybreak.core.projects import FAULTS
from daybreak.core.versions import normalised
from daybreak.findings.languages.pins import Pin, pins
from daybreak.judge.change_kinds import is_front
from daybreak.judge.cross_repo.trees import Opened, Tree
from daybreak.judge.exposure import shows_fault
from daybreak.judge.first_screen import first_screen
from daybreak.judge.links.pins import Side, Targets, named_beside, pinned, tag_of

_PROJECTS = tuple(f"{folder}{name}" for name in ("pyproject.toml", "setup.py", "setup.cfg") for folder in ("", "*/"))
_DEEPEST = 2
_NAMED = re.compile(r"""(?im)^(?:\w*_)?name\s*=\s*["']?([\w.-]{1,80})|\bname\s*=\s*["']([\w.-]{1,80})["']""")
_DEFINED = re.compile(r"(?m)^(?:async )?(?:def|class) ([A-Za-z]\w{3,80})")
_MOST_NAMES = 200
Found = Mapping[str, tuple[Taken, ...]]
"""Sha of a fix -> who pins a version with the fault."""


class Takers:
    """Looks for pins in the heads of one day's repositories."""

    def __init__(
        self,
        git: Git,
        reports: Sequence[RepoReport],
        sides: Sequence[Side],
        mirror: Callable[[str], Opened | None],
        manifests: Sequence[str],
        known_as: Callable[[str], Iterator[str]],
    ) -> None:
        """`manifests`: patterns of the files that pin; `known_as`: what a project is called in them."""
        self._git, self._reports, self._sides, self._mirror = git, reports, sides, mirror
        self._manifests, self._known_as, self._targets = manifests, known_as, Targets(sides)
        self._built: dict[str, dict[str, str]] = {}

    def found(self) -> dict[str, Found]:
        """By repository; what git cannot answer is not said."""
        out: dict[str, Found] = {}
        for side in self._sides if len(self._sides) > 1 else ():
            told = {fix.change.sha: tuple(self._takers(side, fix)) for fix in self._fixes(side.repo)}
            out[side.repo] = {sha: found for sha, found in told.items() if found}
        return out

    def _takers(self, side: Side, fix: Entry) -> Iterator[Taken]:
        """Packages count whose folder has all that the fix touches: a repository may hold more than it installs."""
        touched = [file.path for file in fix.change.files if is_front(file.path)]
        folders = self._packages(side.repo)
        made = {name for name, folder in folders.items() if all(path.startswith(folder) for path in touched)}
        offered = self._offered(side.repo, fix.change) if made else []
        for report in self._reports if offered else ():
            one = self._pinned(report, side, made)
            if one is not None and self._has(side, fix, one.tag) and self._names(report, side.repo, offered):
                yield one

    def _offered(self, repo: str, change: Change) -> list[str]:
        """What the Python files that a fix touches define for others; of compiled code it is not known by what it is called."""
        opened = self._mirror(repo)
        if opened is None:
            return []
        paths = [file.path for file in change.files if is_front(file.path) and file.path.endswith(".py")]
        with suppress(GitError):
            texts = [text for _, text in Tree(self._git, opened, change.sha).texts(paths)]
            return sorted({name for text in texts for name in _DEFINED.findall(text)})[:_MOST_NAMES]
        return []

    def _names(self, report: RepoReport, target: str, offered: Sequence[str]) -> bool:
        """A file of its head names one of these, and the package that they are taken from."""
        opened = self._mirror(report.repo.name)
        if opened is None or report.head is None:
            return False
        packages = profile_of(target).names.packages or tuple(one.replace("-", "_") for one in self._known_as(target))
        with suppress(GitError):
            found, _ = Tree(self._git, opened, report.head).using(
                offered, ("*.py",), [frozenset({one}) for one in packages]
            )
            return any(map(is_front, found))
        return False

    def _packages(self, repo: str) -> dict[str, str]:
        """Package that the repository builds -> the folder of its project file, empty for the root."""
        if repo not in self._built:
            head = next(one.head for one in self._reports if one.repo.name == repo)
            opened = self._mirror(repo) if head else None
            texts: list[tuple[str, str]] = []
            if opened is not None and head is not None:
                with suppress(GitError):
                    tree = Tree(self._git, opened, head)
                    texts = list(tree.texts(path for path in tree.matching(_PROJECTS) if path.count("/") <= _DEEPEST))
            named = (
                (name, path.rpartition("/")) for path, text in texts for name in map("".join, _NAMED.findall(text))
            )
            self._built[repo] = {normalised(name): f"{folder}{slash}" for name, (folder, slash, _) in named}
        return self._built[repo]

    def _fixes(self, repo: str) -> list[Entry]:
        """What the screen tells of as a fault that a release has."""
        report = next(one for one in self._reports if one.repo.name == repo)
        exposed = [e for e in report.entries if shows_fault(e) and not e.released]
        if not exposed:
            return []
        return [entry for entry in exposed if (repo, entry.change.sha) in self._shown_first]

    @cached_property
    def _shown_first(self) -> frozenset[tuple[str, str]]:
        """Repository and sha of what the screen of the whole day shows: one screen, however many repositories have fixes."""
        actions, also = first_screen(self._reports)
        return frozenset((one.repo, one.commits[0]) for one in (*actions[:MOST_ACTIONS], *also[:MOST_ALSO]))

    def _pinned(self, report: RepoReport, target: Side, made: AbstractSet[str]) -> Taken | None:
        """The one version that a repository takes of another, where all its manifests that name one agree and it has a tag."""
        name, opened = report.repo.name, self._mirror(report.repo.name) if report.head else None
        if opened is None or report.head is None or name == target.repo:
            return None
        try:
            tree = Tree(self._git, opened, report.head)
            paths = list(filter(is_front, tree.holding(sorted(set(self._known_as(target.repo))), self._manifests)))
            nested, texts = tree.nested(paths), tree.texts(paths)
            known = [(path, one) for path, text in texts for one in self._versions(path, text, target, made)]
            found = [one for path, one in known if one[0] != "dependency" or path not in nested]
        except GitError:
            return None
        installed = {value for kind, value in found if kind == "dependency"}  # a part may be built from another source
        versions = installed or {value for _, value in found}
        version = versions.pop() if len(versions) == 1 else None
        tag = tag_of(target, version) if version else None
        return Taken(name, version, tag) if version and tag else None

    def _versions(self, path: str, text: str, target: Side, made: AbstractSet[str]) -> Iterator[tuple[str, str]]:
        """By what kind of pin, and which version alone it takes."""
        try:
            found = list(pins(path, text))
        except FAULTS:  # a file that is not what its name says pins nothing
            return
        for pin in found:
            ours = self._is_of(pin, text, target.repo) and (pin.kind == "source" or normalised(pin.name) in made)
            value = pinned(pin.value) if ours else None
            if value is not None and not value[1]:
                yield pin.kind, value[0]

    def _is_of(self, pin: Pin, text: str, target: str) -> bool:
        """A package of the target that every installation takes, or its source by its own address."""
        if pin.kind not in ("dependency", "source") or pin.scope:
            return False
        found = self._targets.named(pin.name, declared=pin.kind == "dependency")
        if found is None or found[0] != target:
            return False
        return found[2] if pin.kind == "dependency" else named_beside(text, target) is True

    def _has(self, target: Side, fix: Entry, tag: str) -> bool:
        """Whether the tree of a tag shows the fault, by what decides it of the newest release."""
        assert fix.exposure is not None
        opened = self._mirror(target.repo)
        if tag == fix.exposure.release or opened is None:
            return tag == fix.exposure.release
        asked = ("takers", code_digest("collect/git", "core/model"), fix.change.sha, tag, target.tags.get(tag, ""))
        kept = opened.found.get(asked) if opened.found else None
        if kept is None:
            shown = self._shown(opened, fix.change, tag)
            kept = b"1" if shown else b"0"
            if opened.found and shown is not None:
                opened.found.put(asked, kept)
        return kept == b"1"

    def _shown(self, opened: Opened, change: Change, tag: str) -> bool | None:
        """None where it could not be looked for: the next run may find what is missing now."""
        trees = Bearings(self._git, mirror_at(opened.path, change.sha))
        known = Releases({change.sha: tag}, {}, lambda _: (), lambda _: None)
        try:
            found = trees.exposed([change], known).get(change.sha)
        except GitError:
            return None
        if trees.complaints:
            return None
        return found is not None and found.has is True and not found.picked
