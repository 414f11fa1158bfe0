"""Which upstream changes meet our patches, and which of them are the reason that a merge conflicts.

Our patches are one net patch from the base to the branch. Upstream is followed change by change, each file through
its renames, and every edit is taken back to lines of the base (`fork_lines`). A change meets ours

- by file: it touches a file that ours touches;
- by symbol: in such a file it touches the body of a function or class that ours touches as well, or it changes a name
  (a finding) that lines added by ours use;
- by hunk: its edits, taken back to the base, touch lines that ours changed or the gap where ours inserted;
- by conflict: it takes part in a conflict of merging upstream's head into the branch. The conflicts are git's own.
  In a text file it takes part in a place of conflict when its edits touch our edits there and it is one of the steps
  by which upstream came to what stands there now. Steps that lead back to where upstream was, to what the base had,
  or to just what ours has, are no part of it: a change and its revert cancel, and a change that ours took over
  conflicts with nothing. Because edits are compared with ours in lines of the base, a change that merely builds on
  another upstream change does not count. In other conflicts it is who deleted what ours edits, who edited or renamed
  what ours deleted, who gave another name, content, mode or type than ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from msgspec import Struct

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Finding
from daybreak.core.model.upgrade import ForkTouch, Overlap
from daybreak.findings.kinds import CAME, kind_of
from daybreak.upgrade.fork.fork_lines import (
    Doubt,
    Edit,
    Place,
    Region,
    Span,
    Versions,
    any_touch,
    applied,
    edited_names,
    edits,
    our_span,
    split_lines,
)

Kept = TypeVar("Kept")
_WHOLE: Place = (0, 1 << 30)
_ALL: tuple[list[Place], list[Span], set[str]] = ([_WHOLE], [(-1e9, 1e12)], set())
_WORD = re.compile(r"-{0,2}[A-Za-z_][\w-]{2,79}")
_LEAST = 6
_TELLING = re.compile(r"_|[a-z][A-Z]|^--")


class OurFile(Struct, frozen=True):
    """A file of our net patch."""

    file: FileChange
    base: tuple[str, ...] | None = ()
    """Its lines in the base; None when they cannot be followed."""
    regions: tuple[Region, ...] = ()

    @property
    def key(self) -> str:
        """What it is called in the base; its own name when it is new."""
        return self.file.old_path or self.file.path

    @property
    def gone(self) -> bool:
        return self.file.status == "D"

    def edits(self) -> list[Edit] | None:
        """Our edits of its lines; None when they are not known."""
        return None if self.base is None or self.file.patch_cut or self.file.binary else edits(self.file.patch)

    def names(self) -> set[str]:
        some = self.edits()
        if some is None or self.base is None:
            return set()
        return edited_names(self.key, self.base, applied(self.base, some, 0, len(self.base)), some)


def our_file(file: FileChange, base: str | None, found: Sequence[Region] = ()) -> OurFile:
    """`base` is the file's text there, None when it has none that can be followed."""
    lines = tuple(split_lines(base)) if base is not None else () if file.status == "A" else None
    return OurFile(file, lines, tuple(found))


class Clash(NamedTuple):
    """Something git could not merge by itself: git's word for it, and the paths it names."""

    kind: str
    paths: tuple[str, ...]


class Road(Generic[Kept]):
    """The changes by which something came to be what it is, without detours."""

    def __init__(self, start: Kept, *resting: Kept) -> None:
        self._now, self._resting = start, (start, *resting)
        self._steps: list[tuple[str, Kept, bool]] = []

    def go(self, sha: str, state: Kept, meets: bool = True) -> None:
        if state == self._now:
            return
        self._now = state
        if state in self._resting:
            self._steps.clear()
            return
        known = next((at for at, step in enumerate(self._steps) if step[1] == state), None)
        if known is None:
            self._steps.append((sha, state, meets))
        else:
            del self._steps[known + 1 :]

    def shas(self) -> list[str]:
        return [sha for sha, _, _ in self._steps]

    def meeting(self) -> list[str]:
        """Those that meet ours; all of them when none does."""
        return [sha for sha, _, meets in self._steps if meets] or self.shas()


class Step(NamedTuple):
    """What one change did to one of our files."""

    sha: str
    key: str
    paths: tuple[str, ...]
    places: tuple[Place, ...]
    names: frozenset[str] = frozenset()
    hunk: bool = False


Compare = Callable[[str, str], "list[Edit] | None"]
"""The edits between two blobs, for files that were deleted and came back."""


class _Followed:
    """One of our files as upstream goes on."""

    def __init__(self, ours: OurFile, compare: Compare) -> None:
        file = ours.file
        self._compare = compare
        self._last = file.old_blob
        """What it held when it was there last."""
        self.ours, self.path, self.deleter = ours, ours.key, ""
        self.versions = None if ours.base is None else Versions(ours.base, file.old_blob)
        some = ours.edits()
        same = file.old_blob == file.new_blob
        places = [] if same else [_WHOLE] if some is None else [edit.place for edit in some]
        self.spans = [our_span(place) for place in places]
        self.names = ours.names()
        self.regions = [(r, Road[tuple[str, ...] | None](r.before, r.wanted)) for r in ours.regions]
        self.content = Road((file.old_mode, file.old_blob), (file.new_mode, file.new_blob))
        self.blob = Road(file.old_blob, file.new_blob)
        self.name = Road[str | None](ours.key, None if ours.gone else file.path)

    def step(self, sha: str, file: FileChange) -> Step:
        """Take one change in."""
        places, spans, names = self._lines(file)
        hunk = any_touch(spans, self.spans)
        self.deleter = sha if file.status == "D" else ""
        self.path = file.path
        self.name.go(sha, None if self.deleter else file.path)
        self.content.go(sha, (file.new_mode, file.new_blob))
        self.blob.go(sha, file.new_blob, hunk)
        for region, road in self.regions:
            if self.versions is not None:
                state = None if self.deleter else self.versions.state(region.place)
                road.go(sha, state, any_touch(spans, map(our_span, region.ours)))
        paths = (file.path,) if file.old_path in (None, file.path) else (str(file.old_path), file.path)
        return Step(sha, self.ours.key, paths, tuple(places), frozenset(names & self.names), hunk)

    def _lines(self, file: FileChange) -> tuple[list[Place], list[Span], set[str]]:
        """Where the change lies in the base, and whose bodies it touches; all of the file when that is not known."""
        if self.versions is None or file.patch_cut or file.skipped or file.binary:
            same = file.old_blob == file.new_blob
            self.versions = self.versions if same else None
            return ([], [], set()) if same else _ALL
        if file.status == "D":
            # The lines stay as they are: what comes back is compared with them.
            return _ALL
        back = self._back(file)
        some = self._compare(self._last, file.new_blob) if back else edits(file.patch)
        self._last = file.new_blob
        before = [line.text for line in self.versions.lines]
        try:
            places, spans = self.versions.apply(_known(some), file.new_blob)
        except Doubt:
            self.versions = None
            return _ALL
        names = edited_names(file.path, before, [line.text for line in self.versions.lines], _known(some))
        return _ALL if back else (places, spans, names)

    def _back(self, file: FileChange) -> bool:
        """Whether it was deleted and comes back."""
        return file.status == "A" and bool(self._last.strip("0")) and self._last != file.old_blob

    def clashing(self, kind: str) -> list[str]:
        """The changes that are the reason for a conflict of this kind."""
        if self.deleter:
            return [] if self.ours.gone else [self.deleter]
        if self.ours.gone:
            return [*self.content.shas(), *self.name.shas()]
        if kind == "rename/rename":
            return self.name.shas()
        if kind == "contents" and self.regions and self.versions is not None:
            found = [sha for _, road in self.regions for sha in road.meeting()]
            return found or self.blob.meeting()
        return self.blob.meeting() if kind in _CONTENT else self.content.shas() if kind == "distinct modes" else []


def _known(some: list[Edit] | None) -> list[Edit]:
    if some is None:
        raise Doubt
    return some


_CONTENT = frozenset({"contents", "binary", "modify/delete", "rename/delete"})


@dataclass(slots=True)
class Trace:
    """One side, followed change by change, oldest first, and where it meets our files."""

    files: Mapping[str, OurFile]
    """By their names in the base."""
    compare: Compare = lambda _old, _new: None
    links: Mapping[str, str] = field(default_factory=dict)
    """Path -> name in the base, as git's merge sees it when all is over."""
    steps: list[Step] = field(default_factory=list)
    _followed: dict[str, _Followed] = field(default_factory=dict)
    _new: dict[str, str] = field(default_factory=dict)
    """Path that ours put a file on -> its name in the base."""
    _moved: dict[str, str] = field(default_factory=dict)
    """Present name -> name in the base, of files that were renamed."""
    _left: set[str] = field(default_factory=set)
    """Names of the base whose files have another name now."""
    _made: dict[str, list[str]] = field(default_factory=dict)
    """Path -> changes that put a file there."""
    _emptied: dict[str, list[str]] = field(default_factory=dict)
    """Folder -> changes that moved a file out of it."""

    def __post_init__(self) -> None:
        self._followed = {key: _Followed(file, self.compare) for key, file in self.files.items()}
        self._new = {file.file.path: key for key, file in self.files.items() if file.file.status in "ARC"}

    def add(self, change: Change) -> list[Step]:
        """Follow one change; what it did to files of ours."""
        new = [step for file in change.files if (step := self._file(change.sha, file)) is not None]
        self.steps += new
        return new

    def _file(self, sha: str, file: FileChange) -> Step | None:
        key = self._key(file)
        if file.status in "ARC":
            self._made.setdefault(file.path, []).append(sha)
        if file.status == "R" and file.old_path:
            self._emptied.setdefault(file.old_path.rpartition("/")[0], []).append(sha)
        followed = self._followed.get(key)
        if followed is not None:
            return followed.step(sha, file)
        met = self._new.get(file.path)
        return Step(sha, met, (file.path,), ()) if met is not None else None

    def _key(self, file: FileChange) -> str:
        """The name in the base of the file that a change touches; a new file on a name that moved away has its own."""
        old = file.old_path if file.status == "R" and file.old_path else file.path
        key = self._moved.get(old) or (f"{old}\0" if old in self._left else old)
        linked = self._followed.get(self.links.get(old, ""))
        if file.status == "A" and linked is not None and linked.deleter:
            key = self._moved[old] = linked.ours.key
        if file.status == "R":
            self._moved.pop(old, None)
            self._left.add(key)
            self._moved[file.path] = key
        if file.path == key or file.status == "D":
            # What was deleted may be put back, under either name.
            self._left.discard(key)
        return key

    def clashing(self, clash: Clash) -> list[str]:
        """The changes that are the reason for one of git's conflicts, in no order."""
        found: list[str] = []
        for followed in self._followed.values():
            names = {followed.ours.key, followed.path, followed.ours.file.path}
            if names & set(clash.paths):
                found += followed.clashing(clash.kind)
        return found or self._makers(clash.paths) or self._movers(clash.paths)

    def _makers(self, paths: Collection[str]) -> list[str]:
        under = tuple(f"{path}/" for path in paths)
        return [sha for path, shas in self._made.items() if path in paths or path.startswith(under) for sha in shas]

    def _movers(self, paths: Iterable[str]) -> list[str]:
        folders = {folder for path in paths for folder in _folders(path)}
        return [sha for folder in sorted(folders) for sha in self._emptied.get(folder, ())]


def _folders(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


# --- what meets ---------------------------------------------------------------------------------------------------


class Own(Struct, frozen=True):
    """Our commits, and what each did to our files."""

    shas: tuple[str, ...]
    """Oldest first."""
    steps: tuple[Step, ...]
    lined: bool = True
    """The commits are one line from the base, so that their edits could be taken back to it."""

    def at(self, met: Step, overlap: Overlap) -> set[str]:
        """Those that touch the same place: lines or names where these are what overlaps, else the file."""
        near = [step for step in self.steps if step.key == met.key]
        close: set[str] = set()
        if self.lined and overlap in ("conflict", "hunk"):
            close = {step.sha for step in near if any_touch(step.places, met.places)}
        elif self.lined and overlap == "symbol":
            close = {step.sha for step in near if step.names & met.names}
        return close or {step.sha for step in near}


def touches(
    steps: Sequence[Step], conflicts: Collection[str], named: Mapping[str, Sequence[str]], own: Own
) -> tuple[ForkTouch, ...]:
    """One for each upstream change that meets ours, in the order of the steps; `named` are the names of ours that a
    change's findings tell of.
    """
    by_sha: dict[str, list[Step]] = {}
    for step in steps:
        by_sha.setdefault(step.sha, []).append(step)
    for sha in (*named, *conflicts):
        by_sha.setdefault(sha, [])
    return tuple(_touch(sha, by_sha[sha], sha in conflicts, named.get(sha, ()), own) for sha in by_sha)


def _touch(sha: str, steps: Sequence[Step], conflicts: bool, named: Sequence[str], own: Own) -> ForkTouch:
    symbols = {name: None for step in steps for name in sorted(step.names)} | dict.fromkeys(named)
    overlap: Overlap = "file"
    if conflicts:
        overlap = "conflict"
    elif any(step.hunk for step in steps):
        overlap = "hunk"
    elif symbols:
        overlap = "symbol"
    close = [step for step in steps if (step.names if overlap == "symbol" else step.hunk) and overlap != "file"]
    mine = {one for step in close or steps for one in own.at(step, overlap)}
    paths = dict.fromkeys(path for step in close or steps for path in step.paths)
    return ForkTouch(sha, overlap, tuple(paths), tuple(symbols), tuple(one for one in own.shas if one in mine))


def words_added(net: Change) -> frozenset[str]:
    """The names that lines added by ours use."""
    found: set[str] = set()
    for file in net.files:
        for line in file.patch.split("\n"):
            if line.startswith("+"):
                found.update(_WORD.findall(line[1:2000]))
    return frozenset(found)


def names_met(findings: Iterable[Finding], words: Collection[str]) -> list[str]:
    """Names that an upstream change altered and that our added lines use; plain words alone prove nothing."""
    met: dict[str, None] = {}
    for finding in findings:
        if kind_of(finding.kind).change in CAME:
            continue
        parts = finding.symbol.split(".")
        leaf, above = parts[-1], parts[-2:-1]
        telling = len(leaf) >= _LEAST and _TELLING.search(leaf) is not None
        if leaf in words and (telling or (above and above[0] in words and len(above[0]) >= _LEAST)):
            met[finding.symbol] = None
    return list(met)
