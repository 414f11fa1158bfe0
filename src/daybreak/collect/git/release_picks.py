"""Picks onto a branch of releases: what came there by a commit of its own is released all the same, be it before the branch
that is told had it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from daybreak.collect.git.mirror import Mirror
from daybreak.collect.git.patches import pull_number
from daybreak.collect.git.picks import beside
from daybreak.collect.git.standing import NOTHING, Text, telling
from daybreak.collect.git.tree_search import files_of
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, FileChange

_WALKED = 1000
"""Commits that a release has and the branch has not, newest first."""
_SUBJECT = 400
_BODY = 20_000
_FROM = re.compile(r"\(cherry picked from commit ([0-9a-f]{40})\)")
_UNDOES = re.compile(r"\bThis reverts commit ([0-9a-f]{40})")
_REVERT = re.compile(r"\W{0,3}revert\b", re.IGNORECASE)
_NUMBER = re.compile(r"\(#(\d{1,9})\)")


class _Own(NamedTuple):
    """A commit that only the release has."""

    sha: str
    subject: str
    body: str
    names: frozenset[str]
    """Of its files, without folders: a file may lie elsewhere on the branch."""


class ReleasePicks:
    """What the tags of a mirror have beside the branch, as of a commit of it."""

    def __init__(self, git: Git, mirror: Mirror, head: str | None) -> None:
        self._git, self._mirror, self._head = git, mirror, head or ""
        self._own: dict[str, Sequence[_Own]] = {}

    def added(
        self, released: Mapping[str, str], asked: Mapping[str, Sequence[str]], changes: Sequence[Change]
    ) -> dict[str, str]:
        """Sha -> release, with changes that one has by a commit of its own: the first of the tags that are asked about each."""
        found, left = dict(released), [change for change in changes if change.sha in asked]
        for tag in dict.fromkeys(tag for change in left for tag in asked[change.sha]):
            got = self._picked_by(tag, [change for change in left if tag in asked[change.sha]])
            found |= dict.fromkeys(got, tag)
            left = [change for change in left if change.sha not in got]
        return found

    def first(self, tags: Mapping[str, str], changes: Sequence[Change]) -> dict[str, set[str]]:
        """Tag -> changes that it is the first of these (oldest first, with their commits) to have by a commit of its own."""
        found: dict[str, set[str]] = {}
        left = list(changes)
        of: dict[str, set[str]] = {}
        for tag, sha in tags.items() if self._any_beside(tags.values()) else ():
            if sha not in of:
                of[sha] = self._picked_by(tag, left)
                left = [change for change in left if change.sha not in of[sha]]
            found[tag] = of[sha]
        return found

    def crowded(self) -> Iterator[str]:
        """Why a pick may be missing."""
        for tag, own in self._own.items():
            if len(own) > _WALKED:
                yield f"{tag} has more than {_WALKED} commits beside the branch, and only the newest are looked at for picks"

    def _any_beside(self, tagged: Iterable[str]) -> bool:
        how = ("rev-list", "--max-count=1", *tagged, f"^{self._head}", "--")
        try:
            return bool(self._head) and bool(self._git.run(*how, at=self._mirror.path).strip())
        except GitError:
            return False

    def _picked_by(self, tag: str, changes: Sequence[Change]) -> set[str]:
        """Those that a commit which the tag has beside the branch says that it was picked from, or whose pull request it lands
        in files of the same names, and that was not taken back there; and those that the tag's files show.
        """
        if self._head and tag not in self._own:
            self._own[tag] = _beside(self._git, self._mirror.path, self._head, tag)
        every = self._own.get(tag, ())
        shas, landed = _picked(every)
        told = {c.sha for c in changes if c.sha in shas or _lands(c, landed.get(c.pr or 0))}
        left = [c for c in changes if c.sha not in told] if every else []
        return told | _by_content(self._git, self._mirror.path, self._head, tag, left)


def _lands(change: Change, names: frozenset[str] | None) -> bool:
    ours = {file.path.rpartition("/")[2] for file in change.files}
    return names is not None and (not ours or not ours.isdisjoint(names))


def _beside(git: Git, mirror: Path, head: str, tag: str) -> list[_Own]:
    """Commits that a tag reaches and the branch does not; none where git does not answer."""
    form = "--format=%x01%H%n%s%n%b%x02"
    how = ("log", f"--max-count={_WALKED + 1}", "--no-merges", "--no-renames", "--name-only", "-z", form)
    try:
        rows = git.run(*how, f"refs/tags/{tag}", f"^{head}", "--", at=mirror).decode("utf-8", "replace").split("\x01")
    except GitError:
        return []
    parts = ((*text.split("\n", 2), files) for text, _, files in (row.partition("\x02") for row in rows))
    return [_own(*part) for part in parts if len(part) == 4]


def _own(sha: str, subject: str, body: str, files: str) -> _Own:
    names = frozenset(path.strip("\n").rpartition("/")[2] for path in files.split("\0") if path.strip("\n"))
    return _Own(sha, subject[:_SUBJECT], body[:_BODY], names)


def _picked(every: Sequence[_Own]) -> tuple[Collection[str], Mapping[int, frozenset[str]]]:
    """Commits and pull requests that these bring, without what others of them take back."""
    back = [row for row in every if _REVERT.match(row.subject)]
    undone = {sha for row in back for sha in _UNDOES.findall(row.body)}
    taken = {int(number) for row in back for number in _NUMBER.findall(row.subject)}
    kept = [row for row in every if row not in back and row.sha not in undone and pull_number(row.subject) not in taken]
    shas = {sha for row in kept for sha in _FROM.findall(row.body)}
    return shas, {number: row.names for row in kept if (number := pull_number(row.subject))}


# --- what its files hold ---

_COMPARED = 90
"""Files of a change that are held against a release, each on four sides."""
_READ = 90
"""Files, with all of their sides, that are read at once."""
_At = tuple[str, str]
"""Commit and path."""
_Sides = tuple[_At, _At, _At, _At]
_Near = tuple[Change, Sequence[FileChange], list[_Sides]]


def _by_content(git: Git, mirror: Path, head: str, tag: str, changes: Sequence[Change]) -> set[str]:
    """Those of which the release's own commits made of each file what the change makes of it: the release has the file, or at
    least the lines, as the change left them, and had not where it left the branch. A pick may be older than the change, and
    its message may name neither; where it names an earlier change of the branch, it is of that one.
    """
    asked = [(c, _shipped(c)) for c in changes if c.parents and 0 < len(c.files) == c.files_total]
    base, touched = _left_at(git, mirror, head, tag) if asked else ("", frozenset())
    near = [(c, files) for c, files in asked if len(files) <= _COMPARED and touched.issuperset(f.path for f in files)]
    found = set[str]()
    for some in _together((c, files, _sides(c, files, tag, base)) for c, files in near):
        asked_of = dict.fromkeys(one for *_, sides in some for one in chain.from_iterable(sides) if "\n" not in one[1])
        texts = files_of(git, mirror, list(asked_of))
        found |= {
            c.sha
            for c, files, sides in some
            if _brought(files, sides, texts) and not _of_others(git, mirror, c, [f.path for f in files], tag, base)
        }
    return found


def _sides(change: Change, files: Sequence[FileChange], tag: str, base: str) -> list[_Sides]:
    """Each file before the change and with it, in the release and where that left the branch."""
    before = change.parents[0]
    return [((before, f.old_path or f.path), (change.sha, f.path), (tag, f.path), (base, f.path)) for f in files]


def _together(near: Iterable[_Near]) -> Iterator[list[_Near]]:
    """Changes whose files are read at once: a git for each would cost more than the reading."""
    some, left = list[_Near](), _READ
    for one in near:
        if some and len(one[2]) > left:
            yield some
            some, left = [], _READ
        some.append(one)
        left -= len(one[2])
    if some:
        yield some


def _left_at(git: Git, mirror: Path, head: str, tag: str) -> tuple[str, frozenset[str]]:
    """Where a release left the branch, and the files that differ since."""
    try:
        base = git.run("merge-base", f"refs/tags/{tag}", head, at=mirror).decode("ascii").split()[0]
        rows = git.run("diff", "--name-only", "--no-renames", "-z", base, f"refs/tags/{tag}", "--", at=mirror)
    except (GitError, IndexError):
        return "", frozenset()
    return base, frozenset(rows.decode("utf-8", "surrogateescape").split("\0"))


def _shipped(change: Change) -> Sequence[FileChange]:
    """Its files without tests and pages, which a pick may leave out; all of them where it has no others."""
    return [file for file in change.files if not beside(file.path)] or change.files


def _brought(files: Sequence[FileChange], sides: Sequence[_Sides], texts: Mapping[_At, Text | None]) -> bool:
    """The release holds all of these files as the change left them, and had not where it left the branch."""
    if any(one not in texts for some in sides for one in some):
        return False
    held, before = (
        [
            _is_as_left(file, texts[old], texts[new], texts[ends[which]])
            for file, (old, new, *ends) in zip(files, sides, strict=True)
        ]
        for which in (0, 1)
    )
    return all(held) and not all(before)


def _of_others(git: Git, mirror: Path, change: Change, paths: Sequence[str], tag: str, base: str) -> bool:
    """Whether all that a release did to these files is of pull requests that the branch had before the change: it brings
    back what had never left the release.
    """
    try:
        theirs, ours = (
            [
                pull_number(subject)
                for subject in git.run("log", "--no-merges", "--format=%s", f"{base}..{end}", "--", *paths, at=mirror)
                .decode("utf-8", "replace")
                .splitlines()
            ]
            for end in (f"refs/tags/{tag}", change.parents[0])
        )
    except GitError:
        return True
    return bool(theirs) and None not in theirs and set(theirs) <= set(ours)


def _is_as_left(file: FileChange, old: Text | None, new: Text | None, there: Text | None) -> bool:
    """A file is as a change left it: whole, or by all lines that came and those that went, as far as they tell."""
    if new is None or there is None:
        return file.status == "D" and there is None
    came, went = new.lines - (old or NOTHING).lines, (old or NOTHING).lines - new.lines
    told = any(map(telling, came | went)) and came <= there.lines and not went & there.lines
    return new.raw == there.raw or told
