"""Looks into the mirrors of a day's repositories for what joins them: who takes whom, since when, and what they lack.

Git is asked only where the day gives a reason to: a name that went, a pin that moved, a release, an issue with telling
words. What could not be looked at is a `Skipped` of its repository.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fnmatch import translate
from pathlib import Path
from typing import Literal, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from daybreak.collect.git.chain import Chain, walk
from daybreak.collect.git.history import HistoryReader
from daybreak.collect.git.patches import new_mark
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, Collected, FileChange, Repo, Skipped, Window
from daybreak.core.model.findings import Reading
from daybreak.core.model.links import Bump, HeadUse
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Importance
from daybreak.core.projects import wanted_for
from daybreak.findings.kinds import GONE, kind_of
from daybreak.judge.cross_repo.held import Holdings
from daybreak.judge.cross_repo.takers import Takers
from daybreak.judge.cross_repo.trees import Opened
from daybreak.judge.links.causes import DAYS as BLAMED
from daybreak.judge.links.causes import RARE, looked_for
from daybreak.judge.links.cross_stories import is_early
from daybreak.judge.links.pins import Side, bumps, commit_of, squeezed
from daybreak.judge.links.tokens import Token, tokens

# What a watched project is called in the files of others, and which files name what they need.
REQUIREMENTS = ("*requirements*.txt", "*requirements*.in", "*pyproject*.toml", "*setup.py", "*setup.cfg")
NEEDS = (*REQUIREMENTS, "*CMakeLists.txt", "*.cmake", "*.gitmodules")
"""Files that say what a project is made with, as git's patterns."""
PINS = (*NEEDS, "*Dockerfile*")
"""An image may pin what the project itself does not need."""


def known_as(repo: str) -> Iterator[str]:
    """The names of a project in lower case: of its repository, its packages and its distributions."""
    wanted = wanted_for([repo])
    for name in (repo.rpartition("/")[2], *sorted(wanted.packages), *sorted(wanted.projects)):
        yield from (name.lower(), name.lower().replace("-", "_"), name.lower().replace("_", "-"))


def spelled(name: str) -> str:
    """A name as a pattern, however its parts are joined: `flash-attn`, `FLASH_ATTN`, `FlashAttn`."""
    return r"[-_.]?".join(map(re.escape, re.split(r"[-_.]", name)))


# --- Which commits touch files that pin things, or submodules: asked once for each commit and kept beside its mirror ---
# Git lists all paths and we pick: to let git match patterns with stars costs it three times as much. What is kept
# follows from the commit alone, and only spares git the work; a damaged file costs speed and nothing else.


_FILE = "daybreak-pins"
_SHA = 40
_PIN = re.compile("|".join(map(translate, PINS)))
_LINK = re.compile(rb":(?:160000 \d{6}|\d{6} 160000) ")
_MAYBE = re.compile(
    b"|".join([re.escape(max(pattern.split("*"), key=len).encode()) for pattern in PINS] + [_LINK.pattern])
)
"""What stands in the record of every commit that touches one; most have none of it and are looked at no further."""


class Touched(msgspec.Struct, frozen=True, array_like=True):
    """What a commit touches."""

    pins: tuple[str, ...] = ()
    """Paths of requirements, build files and images."""
    modules: tuple[str, ...] = ()
    """Paths of submodules."""


class _Kept(msgspec.Struct, frozen=True):
    patterns: tuple[str, ...]
    commits: dict[str, Touched]


_DECODER = msgspec.msgpack.Decoder(_Kept)
"""Made once, before there are threads: two that find out about a type at the same time crash msgspec."""


def touched(git: Git, mirror: Path, shas: Sequence[str]) -> tuple[Mapping[str, Touched], bool]:
    """What each of the commits touches, as far as git can read them, and whether it could read all."""
    kept = _read(mirror)
    fresh = [sha for sha in shas if sha not in kept]
    if not fresh:
        return {sha: kept[sha] for sha in shas}, True
    found, whole = _asked(git, mirror, fresh)
    known = {sha: one for sha in shas if (one := found.get(sha) or kept.get(sha)) is not None}
    if whole:
        _keep(mirror, known)
    return known, whole


def _asked(git: Git, mirror: Path, shas: Collection[str]) -> tuple[dict[str, Touched], bool]:
    mark = new_mark()
    how = ("--raw", "-z", "--no-abbrev", "--no-renames", "--diff-merges=first-parent", "--ignore-submodules=none")
    given = "".join(f"{sha}\n" for sha in shas).encode()
    asked = ("log", "--no-walk=unsorted", "--stdin", *how, f"--format={mark}%H")
    with git.stream(*asked, at=mirror, stdin=given) as stream:
        records = stream.output.read().split(mark.encode())[1:]
        whole = stream.finish() == 0
    # Git may have died within the last one.
    return dict(map(_record, records if whole else records[:-1])), whole


def _record(record: bytes) -> tuple[str, Touched]:
    """`SHA`, then `:MODES BLOBS STATUS` and a path in turn, with a zero byte after each."""
    if not _MAYBE.search(record):
        return record[:_SHA].decode("ascii", "replace"), Touched()
    sha, *rows = record.split(b"\0")
    paths = [path.decode("utf-8", "replace") for path in rows[1::2]]
    modules = tuple(path for head, path in zip(rows[::2], paths, strict=False) if _LINK.search(head))
    return sha.decode("ascii", "replace").strip(), Touched(tuple(filter(_PIN.match, paths)), modules)


def _read(mirror: Path) -> Mapping[str, Touched]:
    try:
        kept = _DECODER.decode((mirror / _FILE).read_bytes())
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return {}
    return kept.commits if kept.patterns == PINS else {}


def _keep(mirror: Path, found: Mapping[str, Touched]) -> None:
    staged = mirror / f"{_FILE}.new"
    with suppress(OSError):
        staged.write_bytes(msgspec.msgpack.encode(_Kept(PINS, dict(found))))
        staged.replace(mirror / _FILE)


# --- The days before a window in one mirror, as of its head: changes that links may reach back to, read where they may ---
# All of it follows from git alone: the first-parent commits dated in the days before the window, below the window's
# head. So the same report comes out whether those days were ever reported or not, and whatever came after them.


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


Answer = TypeVar("Answer")
RemovedNameUses = Callable[[Git, Sequence[RepoReport], Callable[[str], Opened | None]], "Looked"]
"""Finds where repositories still use what another one took away; given by who wires, since it reads code as `impact` does."""
MISSING = "contents of the days before are missing, so links to them may be missing too"


@dataclass(slots=True)
class Looked:
    """What was found, by repository, and what could not be looked at."""

    uses: dict[str, tuple[HeadUse, ...]] = field(default_factory=dict)
    skipped: dict[str, tuple[Skipped, ...]] = field(default_factory=dict)


class Looking:
    """Looks into the mirrors of one run."""

    def __init__(
        self, git: Git, reader: Reader, opened: Callable[[Repo, str], Opened], removed_name_uses: RemovedNameUses
    ) -> None:
        """`opened` gives the mirror that has a commit, and raises GitError when there is none."""
        self._git, self._reader, self._opened, self._removed_name_uses = git, reader, opened, removed_name_uses

    def into(
        self, reports: Sequence[RepoReport], sides: Sequence[Side], window: Window
    ) -> tuple[list[Side], dict[str, tuple[Skipped, ...]]]:
        """The sides with what the mirrors add to them, and what could not be looked at, by repository."""
        by_name = {report.repo.name: report for report in reports}
        seen = _Seen(self._git, self._reader, self._opened, self._removed_name_uses, by_name, window)
        sides = seen.heads(sides)
        sides = seen.taken(seen.moved(sides))
        return [seen.blamed(side) for side in sides], {name: tuple(found) for name, found in seen.skipped.items()}


class _Seen:
    """One day's look."""

    def __init__(
        self,
        git: Git,
        reader: Reader,
        opened: Callable[[Repo, str], Opened],
        removed_name_uses: RemovedNameUses,
        reports: Mapping[str, RepoReport],
        window: Window,
    ) -> None:
        self._git, self._reader, self._opened, self._reports, self._window = git, reader, opened, reports, window
        self._removed_name_uses = removed_name_uses
        self._mirrors: dict[str, Opened | None] = {}
        self._lines: dict[str, Chain] = {}
        self.skipped: dict[str, list[Skipped]] = {}

    def _mirror(self, repo: str) -> Opened | None:
        if repo not in self._mirrors:
            report = self._reports[repo]
            try:
                self._mirrors[repo] = self._opened(report.repo, report.head) if report.head else None
            except GitError as error:
                self._mirrors[repo] = None
                self._skip(repo, f"its mirror cannot be looked into: {error.message}")
        return self._mirrors[repo]

    def _skip(self, repo: str, reason: str) -> None:
        one = Skipped(f"{repo} beside the others", reason)
        if one not in self.skipped.setdefault(repo, []):
            self.skipped[repo].append(one)

    def _of_past(self, repo: str, ask: Callable[[Past], Answer]) -> Answer | None:
        """What the days before answer; None when they cannot be asked."""
        mirror = self._mirror(repo)
        if mirror is None:
            return None
        past = Past(self._git, mirror, self._reports[repo], self._window, self._reader, self._lines)
        try:
            found = ask(past)
        except GitError as error:
            self._skip(repo, f"the days before could not be read: {error.message}")
            return None
        if past.lost:
            self._skip(repo, MISSING)
        if past.crowded:
            self._skip(repo, f"{past.crowded} moved pins bring more than {MOST_BETWEEN} changes, which are not listed")
        return found

    # --- heads -------------------------------------------------------------------------------------------------------

    def heads(self, sides: Sequence[Side]) -> list[Side]:
        """With the uses of names that others took away."""
        reports = self._reports.values()
        kinds = {f.kind for report in reports for entry in report.entries for f in entry.reading.findings}
        if len(sides) < 2 or not any(kind_of(kind).change in GONE for kind in kinds):
            return list(sides)
        looked = self._removed_name_uses(self._git, list(reports), self._mirror)
        for repo, found in looked.skipped.items():
            self.skipped.setdefault(repo, []).extend(found)
        return [replace(side, uses=looked.uses.get(side.repo, ())) for side in sides]

    # --- pins --------------------------------------------------------------------------------------------------------

    def moved(self, sides: Sequence[Side]) -> list[Side]:
        """With earlier moves of pins that moved in the window or whose target was released in it, and what they bring."""
        moves = bumps(sides)
        targets = {one.target for one in moves} | {side.repo for side in sides if self._released(side)}
        if len(sides) < 2 or not targets:
            return list(sides)
        names = {repo: set(known_as(repo)) for repo in targets}
        with_pins = self._git.side_by_side(lambda side: self._with_pins(side, names), sides)
        moves = bumps(with_pins)
        return [self._with_ends(side, [one for one in moves if one.target == side.repo]) for side in with_pins]

    @staticmethod
    def _released(side: Side) -> bool:
        return any(not is_early(tag) for tag in (*side.holds, *(one.tag for one in side.activity.releases)))

    def _with_pins(self, side: Side, names: Mapping[str, set[str]]) -> Side:
        others = {name for repo, some in names.items() if repo != side.repo for name in some}
        found = self._of_past(side.repo, lambda past: past.pins(others)) if others else None
        return replace(side, earlier=_together(side.earlier, found)) if found else side

    def _with_ends(self, side: Side, moves: Sequence[Bump]) -> Side:
        if not moves:
            return side
        told = {entry.change.sha for report in self._reports.values() for entry in (*report.entries, *report.late)}
        ends = {(commit_of(side, x.before), commit_of(side, x.after)) for x in moves if x.sha in told and not x.back}
        fresh = set(side.holds) | {one.release for one in moves if one.release}

        def ask(past: Past) -> Side:
            found = {(a, b): past.between(a, b) for a, b in ends if a and b}
            spans = {pair: shas for pair, shas in found.items() if shas}
            has = past.has({end for one in moves for end in (one.before, one.after)})
            return replace(side, spans=spans, has=has, dated=past.tagged_at(fresh))

        return self._of_past(side.repo, ask) or side

    def taken(self, sides: Sequence[Side]) -> list[Side]:
        """With who pins a version that has a fault which the first screen tells of, and what each pins of the others."""
        found = Takers(self._git, list(self._reports.values()), sides, self._mirror, NEEDS, known_as).found()
        sides = [replace(side, taken=found.get(side.repo, {})) for side in sides]
        heads = {name: report.head for name, report in self._reports.items()}
        return Holdings(self._git, sides, NEEDS, known_as).with_pins(heads, self._mirror)

    # --- issues ------------------------------------------------------------------------------------------------------

    def blamed(self, side: Side) -> Side:
        """With changes of the week before that have words of its new issues."""
        if not side.activity.issues:
            return side
        from daybreak.judge.links.issue_kinds import read_issues

        by_number = {issue.number: issue for issue in side.activity.issues}
        issues = [(by_number[one.number], one.kind) for one in read_issues(side.activity, ())]
        words = looked_for(issues)

        def ask(past: Past) -> Side:
            earlier = _together(side.earlier, past.naming(words))
            return replace(side, earlier=earlier, recent=side.recent or past.recent())

        return (self._of_past(side.repo, ask) if words else None) or side


def _together(known: Sequence[Entry], found: Sequence[Entry]) -> tuple[Entry, ...]:
    """Each change once, oldest first; where it was read twice, as it was read with more files."""
    out: dict[str, Entry] = {}
    for one in (*known, *found):
        before = out.get(one.change.sha)
        if before is None or len(before.change.files) < len(one.change.files):
            out[one.change.sha] = one
    return tuple(sorted(out.values(), key=lambda entry: (entry.change.committed_at, entry.change.sha)))
