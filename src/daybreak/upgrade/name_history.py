"""Traces one name through a repository's history: mirror, candidate commits by git itself, findings, releases.

Reading every commit would take minutes, so it is asked first which commits touched a line with the name (`name_search`)
or the lines around where it stands now (`log -L`), and only those are read. A rename makes both names be followed; a
flag, the field that declares it and the keyword that passes it are one name. Findings do not list what a new file
holds, and a moved module is one finding: who brought a name, and where its file was before, is asked of git as well.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from daybreak.collect.git.chain import Chain, walk
from daybreak.collect.git.mirror import Mirror, Say, open_mirror
from daybreak.collect.git.patches import pull_number
from daybreak.collect.git.refs import releases_of
from daybreak.core.errors import GitError, RepositoryError, UsageError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, Skipped
from daybreak.core.model.day_changes import Finding as StoredFinding
from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry
from daybreak.core.text import counted
from daybreak.findings.kinds import ANOTHER_NAME, CAME, kind_of, named
from daybreak.findings.reader import RuleReader
from daybreak.judge.grading import Grader, Job
from daybreak.upgrade.name_search import ASIDE, CODE, aside, search_of
from daybreak.upgrade.told_findings import Told

_NAME = re.compile(r"-{0,2}[A-Za-z_][\w.:-]{0,150}(?:\([\w*]{1,60}\))?")
_NO_SETTING = frozenset({"function", "class", "module", "env", "env_read", "metric"})
"""Families that are not about a flag, whatever they are called."""
_DECLARED = (
    (r"[\"'](--{name})[\"']", "cli_flag"),
    (r"^\s{{0,60}}class\s{{1,9}}({name})\b", "class"),
    (r"^\s{{0,60}}(?:async\s{{1,9}})?def\s{{1,9}}({name})\b", "function"),
    (r"^\s{{1,60}}({name})\s{{0,9}}:", "field"),
    (r"^({name})\s{{0,9}}[:=](?!=)", "attribute"),
    (r"^\s{{0,9}}#\s{{0,9}}define\s{{1,9}}({name})\b", "cpp"),
)
"""How a line declares a name, and the family of what it declares."""


def check(name: str) -> None:
    """Refuse what cannot be a name."""
    if not _NAME.fullmatch(name):
        tip = "Give a flag, a variable, `Class.method`, a sha, `#PR` or a date."
        raise UsageError(f"{name[:60]!r} is not a name.", tip)


def concerns(finding: Finding | StoredFinding, name: str) -> bool:
    """The finding is about this name: its symbol, or one side of a rename."""
    texts = [finding.symbol]
    if kind_of(finding.kind).change in ANOTHER_NAME:
        texts += [finding.before or "", finding.after or ""]
    flag = name.startswith("-") and kind_of(finding.kind).family in _NO_SETTING
    word = re.compile(rf"(?<![\w-]){'--' if flag else '(?:--)?'}{_spellings(re.escape(name.lstrip('-')))}(?![\w-])")
    return any(word.search(text[:400]) for text in texts)


def carries(finding: Finding, paths: Iterable[str]) -> bool:
    """The finding is the move of a module that is, or holds, one of these files."""
    if not kind_of(finding.kind).means("module", "moved") or not finding.after:
        return False
    modules = (path.removesuffix(".py").replace("/", ".") for path in paths)
    return any(f".{finding.after}." in f".{module}." for module in modules)


def declares(text: str, name: str) -> tuple[str, str] | None:
    """The family of what the line declares by this name, and the name as written there."""
    last = _spellings(re.escape(last_part(name).lstrip("-")))
    for pattern, family in _DECLARED:
        if found := re.search(pattern.format(name=last), text):
            return family, found[1]
    return None


def rank(text: str, name: str) -> int:
    """Declarations first, the surest of them foremost."""
    found = declares(text, name)
    return [family for _, family in _DECLARED].index(found[0]) if found else len(_DECLARED)


def takes_away(finding: Finding, name: str) -> bool:
    """The name is gone with it: removed, or renamed to another; what is inside a thing is not the thing."""
    change = kind_of(finding.kind).change
    if change == "removed":
        return is_symbol(finding.symbol, name)
    return change == "renamed" and is_symbol(finding.before or "", name.rpartition(".")[2])


def is_symbol(symbol: str, name: str) -> bool:
    """The symbol is the name, wherever it is declared."""
    return plain(symbol) == plain(name) or plain(symbol).endswith((f".{plain(name)}", f"::{plain(name)}"))


def others(finding: Finding, name: str) -> list[str]:
    """Other names of what is traced, from a rename; a move keeps its name."""
    if kind_of(finding.kind).change != "renamed":
        return []
    sides = [(text or "").rpartition(".")[2] for text in (finding.before, finding.after)]
    same = [text for text in sides if plain(text) == plain(name.rpartition(".")[2])]
    return [text for text in sides if same and text not in same and _NAME.fullmatch(text)]


def in_order(names: Sequence[str], findings: Iterable[Finding]) -> tuple[str, ...]:
    """The names as the project writes them, in the order of their renames; the findings are oldest first."""
    found = [names[0]]
    for finding in findings:
        old, new = ((text or "").rpartition(".")[2] for text in (finding.before, finding.after))
        for text in (old, new, finding.symbol):
            if text.startswith("--") and kind_of(finding.kind).family not in _NO_SETTING:
                found = [text if plain(text) == plain(one) else one for one in found]
        known = [plain(one) for one in found]
        if kind_of(finding.kind).change == "renamed" and (plain(old) in known) != (plain(new) in known):
            at, other = (known.index(plain(old)) + 1, new) if plain(old) in known else (known.index(plain(new)), old)
            found.insert(at, other)
    heard = {plain(one) for one in found}
    return (*found, *(name for name in names if plain(name) not in heard))


# --- how a name is written -------------------------------------------------------------------------------------------


def plain(name: str) -> str:
    """One way to write a flag, its field and its keyword."""
    return name.lstrip("-").replace("-", "_")


def _spellings(escaped: str) -> str:
    """An expression for the name with a dash or an underscore between its words."""
    return re.sub(r"\\?[-_]", "[-_]", escaped)


def last_part(name: str) -> str:
    """`method` of `module.Class.method`, `keyword` of `function(keyword)`."""
    return re.split(r"[.:]", name.partition("(")[2].removesuffix(")") or name)[-1]


def owner_of(name: str) -> str:
    """The class, or else the function, in which a name is declared: `Class` of `module.Class.method`."""
    parts = re.split(r"[.:]", name.partition("(")[0])
    return next((part for part in reversed(parts) if part[:1].isupper()), parts[-1])


def expression(name: str) -> str:
    """The last part of the name for git's search; a flag may be written as the field that declares it."""
    return f"(--)?{_spellings(last_part(name).lstrip('-'))}"


MOST = 400
"""Commits that are read for one name; a name in more of them is a word, not a name."""
NAMES = 6
"""Names that are followed through renames."""
AT_ONCE = 800
"""Commits that are looked through together, so that it is seen how far it is."""
_AROUND = 8
"""Lines behind a declaration that may hold its default and its help."""
_PLACES = 4
_WIDE = 100
"""Files of a change from which only those are read that have the name in a changed line, or that moved with it."""
_CLASS = re.compile(r"class\s{1,9}(\w{1,100})")
_IN_CLASS = ("field", "function")
_NEAR_NAMES, _SHORTEST = 3, 5
"""Names that are told as near, and letters of a name that others can be near to."""


class Event(Struct, frozen=True):
    """One thing that happened to the name."""

    change: Change
    finding: Finding
    release: str | None = None
    """First release that holds it."""


class Place(NamedTuple):
    """A line that holds the name."""

    path: str
    line: int
    text: str


class Trace(Struct, frozen=True):
    """What became of a name in one repository."""

    repo: str
    name: str
    names: tuple[str, ...]
    """The name asked for and those it had before and after, as they are written; oldest first."""
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
            elif kind_of(event.finding.kind).change in CAME and is_symbol(event.finding.symbol, self.name):
                taken = None
        return taken


def _unheard(_count: int) -> None:
    pass


@dataclass(slots=True)
class Tracer:
    """Looks through one mirror."""

    git: Git
    mirror: Mirror
    grader: Grader
    chain: Chain
    skipped: list[Skipped] = field(default_factory=list)
    told: Told = field(default_factory=dict)
    """Commits that need not be looked through, since what they did is known."""
    expect: Callable[[int], None] = _unheard
    """Hears how many commits are looked through, and then how many of them are read."""
    done: Callable[[int], None] = _unheard

    def trace(self, name: str, since: datetime | None, say: Say) -> Trace:
        """All that happened to the name since then."""
        check(name)
        shas = [
            self.chain.sha(at)
            for at in range(len(self.chain))
            if since is None or self.chain.time(at) >= since.timestamp()
        ]
        say(f"{self.grader.repo.name}: looking through {counted(len(shas), 'commit')}")
        events: dict[tuple[str, str], Event] = {}
        known: list[str] = []
        waiting = [name]
        while waiting and len(known) < NAMES:
            now = waiting.pop(0)
            known.append(now)
            found = [
                event for event in self._events(now, shas, say) if (event.change.sha, event.finding.id) not in events
            ]
            events.update({(event.change.sha, event.finding.id): event for event in found})
            heard = {plain(one) for one in (*known, *waiting)}
            waiting += [n for e in found for n in others(e.finding, now) if plain(n) not in heard]
        if waiting:
            reason = f"it was renamed often: {NAMES} names were followed, {', '.join(dict.fromkeys(waiting))} not"
            self.skipped.append(Skipped(name, reason))
        place = {sha: at for at, sha in enumerate(shas)}
        told = sorted(events.values(), key=lambda e: -place.get(e.change.sha, 0))
        released = self._first_releases(list(dict.fromkeys(event.change.sha for event in told)))
        told = [replace(event, release=released.get(event.change.sha)) for event in told]
        spots = self.places(name, self.mirror.tip) if self._holding(name, self.mirror.tip) != set() else []
        here = tuple(f"{spot.path}:{spot.line}" for spot in sorted(spots or (), key=lambda spot: rank(spot.text, name)))
        names = in_order(known, (event.finding for event in told))
        return Trace(self.grader.repo.name, name, names, since, len(shas), tuple(told), here, tuple(self.skipped))

    def entries(self, shas: Sequence[str]) -> list[Entry]:
        """The commits graded, each with the first release that holds it."""
        found = self.grader.grade([sha for sha in shas if self._has(sha)])
        return [
            replace(one, released=self._first_releases([sha]).get(sha)) for one in found for sha in [one.change.sha]
        ]

    def _has(self, sha: str) -> bool:
        """Whether it names a commit: asked first, since an answer of no needs nothing else."""
        row = self._run("cat-file", "--batch-check", "--buffer", stdin=f"{sha}^{{commit}}\n".encode())
        return row.split()[1:2] == ["commit"]

    def _first_releases(self, shas: Sequence[str]) -> dict[str, str]:
        """First releases of commits, oldest first, as tags are now; more came since the first than are looked at at once."""
        found: dict[str, str] = {}
        for at, sha in enumerate(shas):
            found |= {} if sha in found else releases_of(self.git, self.mirror.path, self.grader.repo, sha, shas[at:])
            if sha not in found:  # nor does a release hold what was built upon it
                break
        return found

    def by_number(self, number: int) -> list[str]:
        """Commits of the branch that a pull request brought, newest first; git finds those that merely speak of it too."""
        said = (f"--grep=(#{number})", f"--grep=pull request #{number} ")
        rows = self._run("log", "--first-parent", "-F", *said, "--format=%H %s", self.mirror.tip, "--")
        named = (row.partition(" ") for row in rows.split("\n"))
        return [sha for sha, _, subject in named if pull_number(subject) == number]

    def near(self, name: str) -> list[str]:
        """Names of the newest commit, and of what reports tell, that are written nearly so, the nearest first."""
        last = plain(last_part(name))
        if len(last) < _SHORTEST:
            return []
        head, tail = (_spellings(part) for part in (last[:3], last[-3:]))
        either = f"{head}[A-Za-z0-9_-]*|[A-Za-z_][A-Za-z0-9_-]*{tail}"
        try:
            rows = self._run(
                "grep", "-I", "-h", "-o", "-i", "-w", "-E", "-e", either, self.mirror.tip, "--", *CODE, *ASIDE
            )
        except GitError:
            rows = ""
        told = (last_part(one.symbol) for some in self.told.values() for one in some)
        written = {plain(row).lower(): row.lstrip("-") for row in (*rows.split("\n"), *told) if row}
        close = difflib.get_close_matches(last.lower(), written, n=_NEAR_NAMES, cutoff=0.8)
        return [written[one] for one in close if written[one] != last_part(name).lstrip("-")]

    def _events(self, name: str, shas: Sequence[str], say: Say) -> Iterator[Event]:
        if not shas:
            return
        candidates = self._candidates(name, shas)
        if len(candidates) > MOST:
            told = f"{len(candidates)} commits touch lines with this name; the newest {MOST} were read"
            self.skipped.append(Skipped(name, told))
            candidates = candidates[:MOST]
        moves = self._moves(name, shas, candidates)
        wanted = set(candidates).union(moves)
        if wanted:
            some = counted(len(wanted), "commit")
            say(f"{self.grader.repo.name}: reading {some} of them, which touch lines with {name}")
        self.expect(len(wanted))
        narrowed = dataclasses.replace(self.grader, narrow=partial(near_to, name, moves))
        for entry in narrowed.grade([sha for sha in shas if sha in wanted]):
            self.done(1)
            if entry.change.skipped:
                self.skipped.append(Skipped(entry.change.short, entry.change.skipped))
            findings = entry.reading.findings
            found = [one for one in findings if concerns(one, name)]
            moved = [one for one in findings if carries(one, moves.get(entry.change.sha, ()))]
            first = candidates[-1:] == [entry.change.sha] and not found
            brought = tuple(self._brought(name, entry.change)) if first else ()
            fresh = () if found or moved or brought else tuple(self._in_new_files(name, entry.change))
            yield from (Event(entry.change, finding) for finding in (*found, *moved, *fresh))
            yield from brought

    def _in_new_files(self, name: str, change: Change) -> Iterator[Finding]:
        """The name's coming with the class of a new file, while it may stand elsewhere: where a field went is its life."""
        asked = owner_of(name) if owner_of(name) != last_part(name) else ""
        for file in change.files:
            if file.status != "A" or aside(file.path):
                continue
            owner = ""
            for number, line in enumerate((row[1:] for row in file.patch.splitlines() if row[:1] == "+"), 1):
                owner = owned[1] if (owned := _CLASS.match(line)) else owner
                family, written = declares(line, name) or ("", "")
                meant = owner and owner == (asked or owner)
                if meant and family in _IN_CLASS and (kind := named(family, "added")):
                    symbol = f"{owner}.{written}"
                    yield Finding(f"{file.path}:{number}", kind, file.path, number, symbol, None, symbol)
                    break

    def _brought(self, name: str, change: Change) -> Iterator[Event]:
        """The name's coming, when it stands nowhere before this change."""
        root = change.sha == self.chain.sha(len(self.chain) - 1)
        if not root and self.places(name, f"{change.sha}^") != []:
            return
        inside = self._holding(name, change.sha)
        places = [spot for spot in self.places(name, change.sha) or () if inside is None or spot.path in inside]
        for spot in sorted(places, key=lambda spot: rank(spot.text, name))[:1]:
            family, written = declares(spot.text, name) or ("", "")
            symbol = written if inside is None else name
            kind = named(family, "added")
            found = Finding(f"{spot.path}:{spot.line}", kind, spot.path, spot.line, symbol, None, symbol)
            yield from (Event(change, found),) if kind else ()

    def _holding(self, name: str, at: str) -> set[str] | None:
        """Files that hold the class of `Class.method`; None when the name has no class."""
        owner = owner_of(name)
        return None if owner == last_part(name) else {place.path for place in self.places(owner, at) or ()}

    def _candidates(self, name: str, shas: Sequence[str]) -> list[str]:
        """Commits that touched a line with the name, or one near where it stands now; newest first."""
        found = {sha for sha in shas if any(concerns(one, name) for one in self.told.get(sha, ()))}
        left = [sha for sha in shas if sha not in self.told]
        parts = [left[start : start + AT_ONCE] for start in range(0, len(left), AT_ONCE)]
        self.expect(len(left))
        search = search_of(self.git, self.mirror.path, last_part(name).lstrip("-"))
        for part in parts:
            found.update(search.touching(part))
            self.done(len(part))
        if not found:
            return []
        at, places = self._stands(name, [sha for sha in shas if sha in found])
        for path, line, _ in places[:_PLACES]:
            found.update(self._around(path, line, at, shas[-1]))
        return [sha for sha in shas if sha in found]

    def _stands(self, name: str, touching: Sequence[str]) -> tuple[str, list[Place]]:
        """Where the name is now, or was last."""
        at = self.mirror.tip
        places = self.places(name, at)
        if not places and touching:
            at = f"{touching[0]}^"
            places = self.places(name, at)
        return at, places or []

    def _moves(self, name: str, shas: Sequence[str], touching: Sequence[str]) -> dict[str, list[str]]:
        """Commits that moved the file that declares the name -> its paths before and after."""
        owner = owner_of(name)
        at, places = self._stands(owner, touching)
        families = ("class", "function")
        files = [p.path for p in places if p.path.endswith(".py") and (declares(p.text, owner) or ("",))[0] in families]
        found: dict[str, list[str]] = {}
        for path in list(dict.fromkeys(files))[:_PLACES]:
            for sha, paths in self._followed(path, at, shas[-1]):
                found.setdefault(sha, []).extend(paths)
        return found

    def _followed(self, path: str, at: str, oldest: str) -> Iterator[tuple[str, list[str]]]:
        """Commits that moved a file -> its paths before and after."""
        how = ("--follow", "-M", "--first-parent", "--diff-merges=first-parent", "--diff-filter=R", "--name-status")
        try:
            rows = self._run("log", *how, "--format=%H", at, f"^{oldest}", "--", path).splitlines()
        except GitError:
            return  # a path that git takes for something else
        sha = ""
        for row in rows:
            status, *paths = row.split("\t")
            if paths:
                yield sha, paths
            elif status:
                sha = status

    def _around(self, path: str, line: int, at: str, oldest: str) -> list[str]:
        span = f"-L{line},+{_AROUND}:{path}"
        try:
            return self._run("log", "--first-parent", "--no-patch", "--format=%H", span, at, f"^{oldest}").split()
        except GitError:
            return []  # a path that git takes for something else

    def places(self, name: str, at: str) -> list[Place] | None:
        """Where the name stands in a commit, outside tests and docs; None when git could not look."""
        word = rf"(^|[^A-Za-z0-9_-]){expression(name)}([^A-Za-z0-9_-]|$)"
        command = ("grep", "-I", "-n", "-z", "--no-color", "-E", "-e", word, at)
        try:
            rows = self._run(*command, "--", *CODE, *ASIDE)
        except GitError as error:
            return [] if error.found_nothing else None
        found = []
        for row in rows.splitlines():
            place, _, rest = row.partition("\0")
            line, _, text = rest.partition("\0")
            if line.isdigit():
                found.append(Place(place.partition(":")[2], int(line), text[:400]))
        return found

    def _run(self, *command: str, stdin: bytes = b"") -> str:
        return self.git.run(*command, at=self.mirror.path, stdin=stdin).decode("utf-8", "replace")


def near_to(name: str, moves: Mapping[str, Collection[str]], change: Change) -> Change:
    """Of a change that goes over a whole tree, what may say something of the name: to read all of it takes a minute."""
    if len(change.files) <= _WIDE:
        return change
    word, moved = re.compile(_spellings(re.escape(last_part(name).lstrip("-")))), moves.get(change.sha, ())
    near = (f for f in change.files if word.search(f.patch) or not {f.path, f.old_path}.isdisjoint(moved))
    return replace(change, files=tuple(near))


def opened(job: Job, fetched: bool, say: Say) -> Tracer:
    """A tracer on the repository's mirror; `fetched`: make or update it first."""
    git = Git(job.environment)
    git.take_user_settings(job.state)
    mirror = open_mirror(git, job.repo, job.state / "mirrors", not fetched, say)
    grader = Grader(git, job.repo, mirror.path, RuleReader(git, job.state / "cache"), job.wanted)
    chain = walk(git, mirror.path, mirror.tip)
    if not len(chain):
        raise RepositoryError(f"{job.repo.name}: its history cannot be read", "Run `daybreak doctor`.")
    return Tracer(git, mirror, grader, chain)
