"""Facts of one repository for verifying, read from its git mirror in few calls.

Every question takes many commits at once. A mirror without file contents, or one that is damaged, answers what it
can; what it cannot is None, never a guess.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from io import BufferedReader
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.markdown_page import plainly

# --- What git says of commits, as values, and how its output is read into them ---


_PULL = re.compile(r"\(#(\d{1,9})\)")
_MERGE = re.compile(r"Merge pull request #(\d{1,9})\b")
MOST_PATCH = 8_000_000
"""Characters of one commit's patch; what is larger counts as not read to its end."""
_BLOCK = 1 << 16


class Commit(Struct, frozen=True):
    repo: str
    sha: str
    parents: tuple[str, ...]
    committed: int
    authored: int
    author: str
    email: str
    committer: str
    subject: str
    """With plain dashes and spaces."""

    @property
    def short(self) -> str:
        return self.sha[:9]

    @property
    def pull(self) -> int | None:
        """The pull request its subject names last, or the one it merges."""
        found = _PULL.findall(self.subject)
        merge = _MERGE.match(self.subject)
        return int(found[-1]) if found else int(merge[1]) if merge else None

    @property
    def pulls(self) -> set[int]:
        """Every number its subject names."""
        return {int(n) for n in re.findall(r"#(\d{1,9})", self.subject)}

    def times(self, zone: tzinfo) -> tuple[datetime, datetime]:
        """Committed and authored, in that zone."""
        return _moment(self.committed, zone), _moment(self.authored, zone)


def _moment(seconds: int, zone: tzinfo) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, zone)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC).astimezone(zone)


class Shown(Struct, frozen=True, dict=True):
    """Message and patch of a commit."""

    text: str
    """All of it, with plain dashes and spaces."""
    whole: bool

    def has(self, words: str) -> bool:
        return words in self.text

    @cached_property
    def rows(self) -> frozenset[str]:
        return frozenset(row.rstrip() for row in self.text.split("\n"))


class Files(Struct, frozen=True):
    """What a commit did to files, against its first parent."""

    counts: Mapping[str, tuple[int, int]]
    """Path -> lines added and deleted; a rename stands under both names."""
    number: int
    added: int
    deleted: int


def first_parents(log: Mapping[str, Commit]) -> tuple[Commit, ...]:
    found = []
    at = next(iter(log), "")
    while at in log:
        found.append(log[at])
        at = next(iter(log[at].parents), "")
    return tuple(found)


def tidy(text: str) -> str:
    return plainly(text).strip()


def number_of(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        return 0


def records(source: BufferedReader, lead: bytes) -> Iterator[str]:
    """The text between two marks; of a very long one, its beginning."""
    parts: list[bytes] = []
    size, tail, first = 0, b"", True
    while block := source.read1(_BLOCK):
        *ended, rest = (tail + block).split(lead)
        for piece in ended:
            if not first:
                yield b"".join((*parts, piece)).decode("utf-8", "replace")
            parts, size, first = [], 0, False
        cut = max(len(rest) - len(lead), 0)
        if size <= MOST_PATCH:
            parts.append(rest[:cut])
            size += cut
        tail = rest[cut:]
    if not first:
        yield b"".join((*parts, tail)).decode("utf-8", "replace")


def shown_of(record: str) -> Shown:
    return Shown(plainly(record), len(record) <= MOST_PATCH)


def files_of(record: str) -> Files:
    """`added TAB deleted TAB path`, or for a rename two more fields with the paths."""
    parts = iter(record.lstrip("\0\n").split("\0"))
    found: dict[str, tuple[int, int]] = {}
    number = added = deleted = 0
    for part in parts:
        more, _, rest = part.lstrip("\n").partition("\t")
        less, tab, path = rest.partition("\t")
        if not tab:
            continue
        count = (number_of(more), number_of(less))
        names = [path] if path else [next(parts, ""), next(parts, "")]
        found |= dict.fromkeys(filter(None, names), count)
        number, added, deleted = number + 1, added + count[0], deleted + count[1]
    return Files(found, number, added, deleted)


_FIELDS = ("%H", "%P", "%ct", "%at", "%an", "%ae", "%cn", "%s")
_DIFF = (
    *("--diff-merges=first-parent", "--no-ext-diff", "--no-textconv", "--no-color", "--diff-algorithm=myers"),
    *("--submodule=short", "--ignore-submodules=none", "--no-relative", "--no-notes", "-M50%", "-l1000"),
)
_STAT, _PATCH = ("--numstat", "-z"), ("-p", "-U3")
_TRIES = 20
"""Commits of which a mirror may lack something before the rest is left alone."""
_MOST_SEARCHED = 200
"""Files of one commit that are searched for a word."""
_KINDS = ("commit", "tree", "blob", "tag")
T = TypeVar("T")


class Mirror:
    """One repository on this machine."""

    def __init__(self, name: str, url: str, git: Git, path: Path, branch: str | None = None) -> None:
        self.name, self.url = name, url.rstrip("/")
        self.git, self._path = git, path
        self._tip = f"refs/heads/{branch}" if branch else "HEAD"
        self._found: dict[str, str | None] = {}
        self._sought: set[str] = set()
        self._others: dict[str, Commit | None] = {}
        self._files: dict[str, Files | None] = {}
        self._shown: dict[str, Shown | None] = {}
        self._trees: dict[str, frozenset[str] | None] = {}
        self._objects: dict[str, bool] = {}
        self._brought: dict[str, set[str]] = {}
        self._windows: dict[tuple[float, float], tuple[set[str], set[str]]] = {}

    @cached_property
    def usable(self) -> bool:
        """There is a branch to read; without one nothing is known of the repository."""
        try:
            return self.has_commits([self._tip])[self._tip]
        except GitError:
            return False

    def usable_with(self, names: Sequence[str]) -> bool:
        """The same; and these commits are asked for with it, since starting git costs more than asking it."""
        with suppress(GitError):
            self.has_commits([self._tip, *names])
        return self.usable

    # --- which commits there are -----------------------------------------------------------------------------------

    @cached_property
    def log(self) -> dict[str, Commit]:
        """Commits of the branch, newest first; raises GitError when there is nothing to read."""
        return {c.sha: c for c in self._commits([], self._tip)}

    @cached_property
    def main(self) -> tuple[Commit, ...]:
        """The first-parent line, newest first."""
        return first_parents(self.log)

    def pull(self, number: int) -> Commit | None:
        """The newest commit of the branch for a pull request."""
        return self.by_pull.get(number)

    @cached_property
    def by_pull(self) -> dict[int, Commit]:
        """A merge stands before what it brought."""
        found: dict[int, Commit] = {}
        for commit in (*self.main, *self.log.values()):
            if commit.pull is not None:
                found.setdefault(commit.pull, commit)
        return found

    def with_subject(self, subject: str) -> Sequence[Commit]:
        """Commits of the branch with this very subject."""
        return self.by_subject.get(subject, [])

    @cached_property
    def by_subject(self) -> dict[str, list[Commit]]:
        found: dict[str, list[Commit]] = {}
        for commit in self.log.values():
            found.setdefault(commit.subject, []).append(commit)
        return found

    @cached_property
    def numbered(self) -> bool:
        """Nearly every commit of late carries the number of its pull request."""
        late = self.main[:300]
        return bool(late) and sum(c.pull is not None for c in late) >= 0.9 * len(late)

    def between(self, low: float, high: float) -> list[Commit]:
        """First-parent commits with a committer time in `[low, high)`, newest first."""
        return [c for c in self.main if low <= c.committed < high]

    def as_of(self, low: float, high: float) -> tuple[set[str], set[str]]:
        """Shas of the window: all of them, and those that were surely there when it closed.

        A commit on top of one that is younger than the window may have come later than its date says.
        """
        if (low, high) not in self._windows:
            every = {c.sha for c in self.between(low, high)}
            sure: set[str] = set()
            for commit in reversed(self.main):
                if commit.committed >= high:
                    break
                sure.add(commit.sha)
            self._windows[low, high] = every, every & sure
        return self._windows[low, high]

    def brought(self, merge: Commit) -> set[str]:
        """Shas that a merge brought to the branch."""
        if merge.sha not in self._brought:
            own, found = {c.sha for c in self.main}, set()
            left = list(merge.parents[1:])
            while left:
                sha = left.pop()
                if sha in self.log and sha not in own and sha not in found:
                    found.add(sha)
                    left += self.log[sha].parents
            self._brought[merge.sha] = found
        return self._brought[merge.sha]

    def seek(self, names: Iterable[str]) -> None:
        """Look up shas, whole or shortened, all at once."""
        new = [name for name in names if name not in self._sought]
        if not new:
            return
        self._sought.update(new)
        if "log" in self.__dict__:
            self._found |= {name: name for name in new if name in self.log}
        unseen = [name for name in dict.fromkeys(new) if name not in self._found]
        if unseen:
            self._look_up(unseen)
        hits = [sha for sha in (self._found.get(name) for name in new) if sha]
        others = [sha for sha in hits if sha not in self.log]
        self._others |= dict.fromkeys(others)
        self._others |= {c.sha: c for c in self._commits(others, None)} if others else {}

    def _look_up(self, names: Sequence[str]) -> None:
        """As commits and as objects of any kind: starting git costs more than asking it."""
        asked = "".join(f"{name}^{{commit}}\n{name}\n" for name in names)
        rows = self.git.run(
            *("cat-file", "--batch-check=%(objectname) %(objecttype)", "--buffer"), at=self._path, stdin=asked.encode()
        )
        said = [row.rpartition(" ")[::2] for row in rows.decode("ascii", "replace").splitlines()]
        for name, (sha, kind), (_, any_kind) in zip(names, said[::2], said[1::2], strict=False):
            self._found[name] = sha if kind == "commit" else None
            self._objects[name] = any_kind in _KINDS

    def commit(self, name: str) -> Commit | None:
        """The commit that a sha, whole or shortened, means here."""
        if name not in self._sought:
            self.seek([name])
        sha = self._found.get(name)
        return self.log.get(sha) or self._others.get(sha) if sha else None

    def holds(self, names: Sequence[str]) -> dict[str, bool]:
        """Whether there is any object of these names (`SHA`, `REF:PATH`, `refs/tags/NAME`)."""
        new = [n for n in dict.fromkeys(names) if n not in self._objects and "\n" not in n]
        if new:
            asked = "".join(f"{n}\n" for n in new).encode("utf-8", "surrogateescape")
            rows = self.git.run("cat-file", "--batch-check=%(objecttype)", "--buffer", at=self._path, stdin=asked)
            said = rows.decode("utf-8", "replace").splitlines()
            self._objects |= {n: row in _KINDS for n, row in zip(new, said, strict=False)}
        return {n: self._objects.get(n, False) for n in names}

    def has_commits(self, names: Sequence[str]) -> dict[str, bool]:
        """Whether these are commits here, on the branch or not; the branch is not read for it."""
        held = self.holds([f"{name}^{{commit}}" for name in names])
        return {name: held[f"{name}^{{commit}}"] for name in names}

    def _commits(self, shas: Sequence[str], tip: str | None) -> Iterator[Commit]:
        mark = secrets.token_hex(8)
        form = f"--format=%x01{mark}" + "%x00".join(_FIELDS)
        how = [tip, "--"] if tip else ["--no-walk=unsorted", "--stdin"]
        out = self.git.run("log", "-z", form, "--no-notes", *how, at=self._path, stdin="\n".join(shas).encode())
        for record in out.decode("utf-8", "replace").split(f"\x01{mark}")[1:]:
            sha, parents, committed, authored, author, email, committer, subject = record.split("\0")[: len(_FIELDS)]
            yield Commit(
                self.name,
                sha,
                tuple(parents.split()),
                number_of(committed),
                number_of(authored),
                tidy(author),
                email,
                tidy(committer),
                tidy(subject),
            )

    # --- what they changed -----------------------------------------------------------------------------------------

    def prepare(self, shas: Iterable[str]) -> None:
        """Read the files of these commits, all at once."""
        self._gather(shas, self._files, _STAT, files_of)

    def show(self, shas: Iterable[str]) -> None:
        """Read messages and patches of these commits, all at once."""
        self._gather(shas, self._shown, _PATCH, shown_of)

    def files(self, sha: str) -> Files | None:
        if sha not in self._files:
            self.prepare([sha])
        return self._files[sha]

    def shown(self, sha: str) -> Shown | None:
        if sha not in self._shown:
            self.show([sha])
        return self._shown[sha]

    def tree(self, sha: str) -> frozenset[str] | None:
        """Every path there is after the commit."""
        if sha not in self._trees:
            try:
                out = self.git.run("ls-tree", "-r", "-z", "--name-only", sha, at=self._path)
                self._trees[sha] = frozenset(out.decode("utf-8", "replace").split("\0"))
            except GitError:
                self._trees[sha] = None
        return self._trees[sha]

    def in_files(self, sha: str, words: str) -> bool | None:
        """Whether a file that the commit touched has these words after it; None: not to be known."""
        files = self.files(sha)
        if files is None or len(files.counts) > _MOST_SEARCHED:
            return None
        paths = [path for path in files.counts if "\0" not in path]
        try:
            arguments = ("grep", "-q", "-F", "-w", "-I", "-e", words, sha, "--", *(f":(literal){p}" for p in paths))
            self.git.run(*arguments, at=self._path)
        except GitError as error:
            return None if error.detail else False
        return True

    def _gather(
        self, shas: Iterable[str], into: dict[str, T | None], how: Sequence[str], read: Callable[[str], T]
    ) -> None:
        """One call for all; git stops at a commit it cannot read, which is then None, and goes on behind it."""
        left = [sha for sha in dict.fromkeys(shas) if sha not in into]
        for _ in range(_TRIES):
            if not left:
                return
            done = self._some(left, into, how, read)
            if done < len(left):
                into[left[done]] = None
            left = left[done + 1 :]
        into |= dict.fromkeys(left)

    def _some(
        self, shas: Sequence[str], into: dict[str, T | None], how: Sequence[str], read: Callable[[str], T]
    ) -> int:
        """How many of them could be read, from the first on."""
        mark = secrets.token_hex(16)
        form = f"--format=%x01{mark}" + ("%B%n" if "-p" in how else "")
        arguments = ("log", "--no-walk=unsorted", "--stdin", *_DIFF, *how, form)
        done = 0
        with self.git.stream(*arguments, at=self._path, stdin="\n".join(shas).encode()) as stream:
            last: T | None = None
            for record in records(stream.output, f"\x01{mark}".encode()):
                if done:
                    into[shas[done - 1]] = last
                last = read(record)
                done += 1
            # The last one before a fault may look whole.
            whole = stream.finish() == 0
            if done and whole:
                into[shas[done - 1]] = last
            return done if whole else max(done - 1, 0)
