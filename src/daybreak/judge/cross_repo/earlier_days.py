"""The days before a window in one mirror, as of its head: changes that links may reach back to, read where they may.

All of it follows from git alone: the first-parent commits dated in the days before the window, below the window's
head. So the same report comes out whether those days were ever reported or not, and whatever came after them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal, Protocol

from msgspec.structs import replace

from daybreak.collect.git.chain import Chain, walk
from daybreak.collect.git.history import HistoryReader
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, Collected, FileChange, Window
from daybreak.core.model.findings import Reading
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Importance
from daybreak.judge.cross_repo.names import PINS, spelled
from daybreak.judge.cross_repo.pin_commits import touched
from daybreak.judge.cross_repo.trees import Opened
from daybreak.judge.links.causes import DAYS as BLAMED
from daybreak.judge.links.causes import RARE
from daybreak.judge.links.pins import squeezed
from daybreak.judge.links.tokens import Token, tokens

PINNED = timedelta(days=14)
"""So long before a window a pin's earlier moves belong to its story."""
MOST_BETWEEN = 2000
"""Changes between two pins that are listed."""
_AT_ONCE = 60
_ASIDE = re.compile(r"(?:^|/)(?:tests?|docs?|benchmarks?|examples?)/|\.(?:md|rst|json|lock)$")
_UNKNOWN = 10_000
"""Files of a change of which only some were listed: it is not to be taken for a small one."""
_LOW = Importance("low", 0.0)


class Reader(Protocol):
    """Reads changes."""

    def read(self, collected: Collected, /) -> Mapping[str, Reading]: ...


@dataclass(slots=True)
class Past:
    """The days before a window in one repository."""

    git: Git
    opened: Opened
    report: RepoReport
    window: Window
    reader: Reader
    lines: dict[str, Chain] = field(default_factory=dict)
    """Branches by their heads, each walked once."""
    lost: bool = False
    """Something of the days before could not be read."""
    crowded: int = 0
    """Moved pins with more changes between their ends than are listed."""

    # --- pins --------------------------------------------------------------------------------------------------------

    def pins(self, names: Collection[str]) -> tuple[Entry, ...]:
        """Changes of the fortnight before that touch a requirement, build file or submodule of these names."""
        shas, known = self._shas(PINNED), {squeezed(name) for name in names}
        seen, whole = touched(self.git, self.opened.path, shas)
        self.lost = self.lost or not whole
        moved = {sha: [path for path in one.modules if _last(path) in known] for sha, one in seen.items()}
        touching = [sha for sha in shas if sha in seen and (seen[sha].pins or moved[sha])]
        paths = dict.fromkeys(path for sha in touching for path in (*seen[sha].pins, *moved[sha]))
        found = self._patched(touching, _exactly(paths))
        wanted = re.compile("|".join(map(spelled, sorted(names))) or r"(?!)", re.IGNORECASE)
        return self._read([replace(change, files_total=_UNKNOWN) for change in found if _touches(change, wanted)])

    # --- words of issues ---------------------------------------------------------------------------------------------

    def naming(self, words: Collection[Token]) -> tuple[Entry, ...]:
        """Changes of the week before whose lines or paths have one of these words, where few of them do."""
        having: dict[Token, list[str]] = {}
        found = {change.sha: change for change in self._patched(self._shas(BLAMED), ())}
        for change in found.values():
            for word in _words(change) & frozenset(words):
                having.setdefault(word, []).append(change.sha)
        telling = {sha for shas in having.values() if len(shas) <= RARE for sha in shas}
        return self._read([change for sha, change in found.items() if sha in telling])

    # --- what is between two pins ------------------------------------------------------------------------------------

    def between(self, before: str, after: str) -> tuple[str, ...] | None:
        """First-parent changes from one commit to another, oldest first; None when git cannot tell, or too many."""
        if not all(re.fullmatch(r"[0-9a-f]{7,40}", end) for end in (before, after)):
            return None
        asked = (
            "rev-list",
            "--first-parent",
            "--reverse",
            f"--max-count={MOST_BETWEEN + 1}",
            after,
            f"^{before}",
            "--",
        )
        try:
            found = tuple(self.git.run(*asked, at=self.opened.path).decode("ascii").split())
        except GitError:
            return None
        if len(found) > MOST_BETWEEN:
            self.crowded += 1
            return None
        return found

    def has(self, shas: Collection[str]) -> frozenset[str]:
        """Those of the commits, given in full, that are there."""
        whole = sorted(sha for sha in shas if re.fullmatch(r"[0-9a-f]{40}", sha))
        return frozenset(whole) - self.git.missing(self.opened.path, whole)

    def tagged_at(self, tags: Collection[str]) -> dict[str, datetime]:
        """When these tags were made, of those made before the window's end."""
        if not tags:
            return {}
        names = [f"refs/tags/{tag}" for tag in sorted(tags)]
        form = "--format=%(creatordate:unix) %(refname:strip=2)"
        try:
            rows = (
                self.git.run("for-each-ref", form, *names, at=self.opened.path).decode("utf-8", "replace").splitlines()
            )
        except GitError:
            return {}
        told = [row.partition(" ") for row in rows]
        zone = self.window.since.tzinfo or UTC
        dated = {name: datetime.fromtimestamp(int(at), zone) for at, _, name in told if at.isdigit()}
        return {name: at for name, at in dated.items() if at < self.window.until and name in tags}

    def recent(self) -> tuple[Change, ...]:
        """Changes of the fortnight before, newest first: what they are, not what they do."""
        return tuple(replace(change, files=()) for change in self._logged(self._shas(PINNED), (), "files"))

    # --- reading -----------------------------------------------------------------------------------------------------

    @property
    def _head(self) -> str:
        return self.report.head or ""

    def _shas(self, days: timedelta) -> list[str]:
        """Newest first; those that the report itself tells, late ones among them, are not of the days before."""
        if not self._head:
            return []
        if self._head not in self.lines:
            self.lines[self._head] = walk(self.git, self.opened.path, self._head)
        line = self.lines[self._head]
        told = {entry.change.sha for entry in (*self.report.entries, *self.report.late)}
        places = line.between(self.window.since - days, self.window.since)
        return [sha for sha in map(line.sha, places) if sha not in told]

    def _patched(self, shas: Sequence[str], paths: Sequence[str]) -> list[Change]:
        if self.opened.fetch is not None:
            listed = self._logged(shas, paths, "files")
            files = [file for change in listed for file in change.files if not file.submodule]
            self.opened.fetch([oid for file in files for oid in (file.old_blob, file.new_blob) if oid.strip("0")])
        found: list[Change] = []
        step = len(shas) if paths else _AT_ONCE  # what is kept of patches has a limit for each time git is asked
        for start in range(0, len(shas), max(step, 1)):
            found += self._logged(shas[start : start + step], paths, "patch")
        return found

    def _logged(self, shas: Sequence[str], paths: Sequence[str], detail: Literal["patch", "files"]) -> list[Change]:
        if not shas:
            return []
        reader = HistoryReader(self.git, self.opened.path, self.report.repo.name, self.window.since.tzinfo or UTC)
        found, whole = reader.before_fault(shas, *paths, detail=detail)
        self.lost = self.lost or not whole
        return found

    def _read(self, changes: Sequence[Change]) -> tuple[Entry, ...]:
        if not changes:
            return ()
        readings = self.reader.read(Collected(self.report.repo, changes=tuple(changes), mirror=str(self.opened.path)))
        return tuple(Entry(c, readings[c.sha], "other", _LOW) for c in changes if c.sha in readings)


def _exactly(paths: Collection[str]) -> list[str]:
    """Pathspecs of these files alone, which git matches far quicker than patterns; names that are no text have none."""
    literal = [f":(literal,top){path}" for path in paths if "\ufffd" not in path]
    return literal if len(literal) == len(paths) else [*PINS, *literal]


def _last(path: str) -> str:
    """A submodule's own name, in the form to compare in."""
    return squeezed(path.rpartition("/")[2])


def _touches(change: Change, wanted: re.Pattern[str]) -> bool:
    return any(file.submodule or _changed(file, wanted) for file in change.files)


def _changed(file: FileChange, wanted: re.Pattern[str]) -> bool:
    return any(line[:1] in ("+", "-") and wanted.search(line[:400]) for line in file.patch.split("\n"))


def _words(change: Change) -> frozenset[Token]:
    """Telling words of its changed lines and of the places they stand in, and its paths."""
    files = [file for file in change.files if not _ASIDE.search(file.path)]
    lines = (line for file in files for line in file.patch.split("\n") if line[:1] in ("+", "-", "@"))
    paths = {Token("path", re.sub(r"^(?:python|src)/", "", file.path)) for file in files}
    return tokens("\n".join(lines)) | paths
