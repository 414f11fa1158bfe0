"""Traces one name through a repository's history: mirror, candidate commits by git itself, findings, releases.

Reading every commit would take minutes, so git is asked first which commits touched a line with the name (`log -G`) or
the lines around where it stands now (`log -L`), and only those are read. A rename makes both names be followed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from daybreak.collect.blobs import fetch_missing_blobs
from daybreak.collect.chain import Chain, walk
from daybreak.collect.mirror import Mirror, Say, open_mirror
from daybreak.collect.releases import releases_of
from daybreak.errors import GitError, RepositoryError, UsageError
from daybreak.gitobjects import Git
from daybreak.grading import Grader, Job
from daybreak.model import Change, Entry, Finding, Skipped
from daybreak.read.reader import RuleReader

MOST = 400
"""Commits that are read for one name; a name in more of them is a word, not a name."""
NAMES = 6
"""Names that are followed through renames."""
AT_ONCE = 800
"""Commits that one git looks through."""
_AROUND = 8
"""Lines behind a declaration that may hold its default and its help."""
_PLACES = 4
_CODE = (
    "*.py", "*.pyi", "*.c", "*.cc", "*.cpp", "*.cxx", "*.cu", "*.cuh", "*.h", "*.hpp", "*.rs", "*.go", "*.proto",
    "*.toml", "*.txt", "*.in", "*.cmake", "*.sh", "*Dockerfile*",
)  # fmt: skip
_ASIDE = tuple(
    f":(exclude,glob){place}{name}/**"
    for name in ("tests", "test", "docs", "benchmarks", "benchmark", "examples", ".github")
    for place in ("", "**/")
)
_NAME = re.compile(r"-{0,2}[A-Za-z_][\w.:-]{0,150}(?:\([\w*]{1,60}\))?")
_RENAMED = ("_renamed", "_moved")


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to the name."""

    change: Change
    finding: Finding
    release: str | None = None
    """First release that holds it."""


@dataclass(frozen=True, slots=True)
class Trace:
    """What became of a name in one repository."""

    repo: str
    name: str
    names: tuple[str, ...]
    """The name asked for and those it had before and after."""
    since: datetime | None
    searched: int
    """Commits that were looked through."""
    events: tuple[Event, ...] = ()
    """Oldest first."""
    here: tuple[str, ...] = ()
    """`path:line` where the name stands at the newest commit, outside tests and docs."""
    skipped: tuple[Skipped, ...] = ()

    @property
    def gone(self) -> Event | None:
        """The event that took the name away, if it is not there any more.

        The last part of `Class.method` may stand in other classes: there the last event decides.
        """
        if self.here and not re.search(r"[.(]", self.name):
            return None
        taken: Event | None = None
        for event in self.events:
            if takes_away(event.finding, self.name):
                taken = event
            elif event.finding.kind.endswith("_added") and _is(event.finding.symbol, self.name):
                taken = None
        return taken


@dataclass(slots=True)
class Tracer:
    """Looks through one mirror."""

    git: Git
    mirror: Mirror
    grader: Grader
    chain: Chain
    offline: bool = False
    skipped: list[Skipped] = field(default_factory=list)

    def trace(self, name: str, since: datetime | None, say: Say) -> Trace:
        """All that happened to the name since then."""
        check(name)
        shas = [
            self.chain.sha(at)
            for at in range(len(self.chain))
            if since is None or self.chain.time(at) >= since.timestamp()
        ]
        say(f"{self.grader.repo.name}: looking through {len(shas)} commits")
        self._complete(shas, say)
        events: dict[tuple[str, str], Event] = {}
        known: list[str] = []
        waiting = [name]
        while waiting and len(known) < NAMES:
            now = waiting.pop(0)
            known.append(now)
            found = [event for event in self._events(now, shas) if (event.change.sha, event.finding.id) not in events]
            events.update({(event.change.sha, event.finding.id): event for event in found})
            waiting += [n for e in found for n in others(e.finding, now) if n not in (*known, *waiting)]
        place = {sha: at for at, sha in enumerate(shas)}
        told = sorted(events.values(), key=lambda e: -place.get(e.change.sha, 0))
        told = self._released(told, shas)
        here = tuple(f"{path}:{line}" for path, line in self._places(name, self.mirror.tip))
        return Trace(
            self.grader.repo.name, name, tuple(known), since, len(shas), tuple(told), here, tuple(self.skipped)
        )

    def entries(self, shas: Sequence[str]) -> list[Entry]:
        """The commits graded, each with the first release that holds it."""
        found = list(self.grader.grade(shas))
        root = self.chain.sha(len(self.chain) - 1)
        released = releases_of(self.git, self.mirror.path, root, [entry.change.sha for entry in found])
        return [replace(entry, released=released.get(entry.change.sha)) for entry in found]

    def by_number(self, number: int) -> list[str]:
        """Commits of the branch that a pull request brought, newest first."""
        said = (f"--grep=(#{number})", f"--grep=pull request #{number} ")
        rows = self._run("log", "--first-parent", "-F", *said, "--format=%H", self.mirror.tip, "--")
        return rows.split()

    def _complete(self, shas: Sequence[str], say: Say) -> None:
        """A mirror without contents cannot be looked through: what these commits need is fetched once."""
        if not self.mirror.blobless or self.offline:
            return
        say(f"{self.grader.repo.name}: fetching the contents of {len(shas)} commits; the next time they are here")
        for start in range(0, len(shas), AT_ONCE):
            if reason := fetch_missing_blobs(self.git, self.mirror, shas[start : start + AT_ONCE]):
                self.skipped.append(Skipped(self.grader.repo.name, reason))
                return

    def _events(self, name: str, shas: Sequence[str]) -> Iterator[Event]:
        candidates = self._candidates(name, shas)
        if len(candidates) > MOST:
            self.skipped.append(
                Skipped(name, f"{len(candidates)} commits touch lines with this name; the newest {MOST} were read")
            )
            candidates = candidates[:MOST]
        for entry in self.grader.grade(candidates):
            if entry.change.skipped:
                self.skipped.append(Skipped(entry.change.short, entry.change.skipped))
            for finding in entry.reading.findings:
                if concerns(finding, name):
                    yield Event(entry.change, finding)

    def _candidates(self, name: str, shas: Sequence[str]) -> list[str]:
        """Commits that touched a line with the name, or one near where it stands now; newest first."""
        parts = [shas[start : start + AT_ONCE] for start in range(0, len(shas), AT_ONCE)]
        with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
            found = {sha for some in pool.map(lambda part: self._touching(name, part), parts) for sha in some}
        newest = next((sha for sha in shas if sha in found), None)
        if newest is None:
            return []
        at = self.mirror.tip
        places = self._places(name, at)
        if not places:  # it is gone: where it stood last
            at = f"{newest}^"
            places = self._places(name, at)
        for path, line in places[:_PLACES]:
            found.update(self._around(path, line, at, shas[-1]))
        return [sha for sha in shas if sha in found]

    def _touching(self, name: str, shas: Sequence[str]) -> list[str]:
        command = ("log", "--no-walk=unsorted", "--stdin", "--diff-merges=first-parent", "--no-renames", "--no-patch")
        lines = "".join(f"{sha}\n" for sha in shas) + "--\n" + "".join(f"{path}\n" for path in (*_CODE, *_ASIDE))
        return self._run(*command, "--format=%H", "-E", f"-G{_expression(name)}", stdin=lines.encode()).split()

    def _around(self, path: str, line: int, at: str, oldest: str) -> list[str]:
        span = f"-L{line},+{_AROUND}:{path}"
        try:
            return self._run("log", "--first-parent", "--no-patch", "--format=%H", span, at, f"^{oldest}").split()
        except GitError:
            return []  # a path that git takes for something else

    def _places(self, name: str, at: str) -> list[tuple[str, int]]:
        """Where the name stands in a commit, outside tests and docs."""
        expression = rf"(^|[^A-Za-z0-9_-]){_expression(name, whole=True)}([^A-Za-z0-9_-]|$)"
        command = ("grep", "-I", "-n", "-z", "--no-color", "-E", "-e", expression, at)
        try:
            rows = self._run(*command, "--", *_CODE, *_ASIDE)
        except GitError:
            return []  # git's way to say that there is none
        found = []
        for row in rows.splitlines():
            place, _, rest = row.partition("\0")
            line = rest.partition("\0")[0]
            if line.isdigit():
                found.append((place.partition(":")[2], int(line)))
        return found

    def _released(self, events: Iterable[Event], shas: Sequence[str]) -> list[Event]:
        listed = list(events)
        if not listed or not shas:
            return listed
        wanted = {event.change.sha for event in listed}
        released = releases_of(self.git, self.mirror.path, shas[-1], wanted)
        return [replace(event, release=released.get(event.change.sha)) for event in listed]

    def _run(self, *command: str, stdin: bytes = b"") -> str:
        return self.git.run(*command, at=self.mirror.path, stdin=stdin).decode("utf-8", "replace")


def opened(job: Job, fetched: bool, say: Say) -> Tracer:
    """A tracer on the repository's mirror; `fetched`: make or update it first."""
    git = Git(job.environment)
    git.take_user_settings(job.state)
    mirror = open_mirror(git, job.repo, job.state / "mirrors", not fetched, say)
    blobless = mirror if mirror.blobless and not job.offline else None
    grader = Grader(git, job.repo, mirror.path, RuleReader(git, job.state / "cache"), job.wanted, blobless)
    chain = walk(git, mirror.path, mirror.tip)
    if not len(chain):
        raise RepositoryError(f"{job.repo.name}: its history cannot be read", "Run `daybreak doctor`.")
    return Tracer(git, mirror, grader, chain, job.offline)


def check(name: str) -> None:
    """Refuse what cannot be a name."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name[:60]!r} is not a name.", "Give a flag, a variable, `Class.method`, a sha, `#PR` or a date."
        )


def concerns(finding: Finding, name: str) -> bool:
    """The finding is about this name: its symbol, or one side of a rename."""
    texts = [finding.symbol]
    if finding.kind.endswith(_RENAMED):
        texts += [finding.before or "", finding.after or ""]
    dashes = "" if name.startswith("-") else "(?:--)?"
    word = re.compile(rf"(?<![\w-]){dashes}{re.escape(name)}(?![\w-])")
    return any(word.search(text[:400]) for text in texts)


def takes_away(finding: Finding, name: str) -> bool:
    """The name is gone with it: removed, or renamed to another; what is inside a thing is not the thing."""
    if finding.kind.endswith("_removed"):
        return _is(finding.symbol, name)
    return finding.kind.endswith("_renamed") and _is(finding.before or "", name.rpartition(".")[2])


def _is(symbol: str, name: str) -> bool:
    return symbol in (name, f"--{name}") or symbol.endswith((f".{name}", f"::{name}"))


def others(finding: Finding, name: str) -> list[str]:
    """Other names of what is traced, from a rename; a move keeps its name."""
    if not finding.kind.endswith("_renamed"):
        return []
    sides = [(text or "").rpartition(".")[2] for text in (finding.before, finding.after)]
    last = name.rpartition(".")[2]
    same = [text for text in sides if text in (last, f"--{last}")]
    return [text for text in sides if same and text not in same and _NAME.fullmatch(text)]


def _expression(name: str, whole: bool = False) -> str:
    """The last part of the name for git's search; a flag may be written as the field that declares it."""
    last = re.split(r"[.:]", name.partition("(")[2].removesuffix(")") or name)[-1]
    if "-" not in last:
        return last
    joined = "[-_]".join(last.lstrip("-").split("-"))
    return f"(--)?{joined}" if whole else joined


def today() -> datetime:
    """Now: how far back a trace goes is counted from here."""
    return datetime.now(UTC)
