"""The branch as a line: which first-parent commits lie in a window, which arrived late, what was the head.

Dates on a branch need not be in order (a commit may be pushed days after it was made), so the whole line is read
and filtered; git's `--since` would stop at the first old date.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from datetime import datetime
from functools import cached_property
from itertools import accumulate
from pathlib import Path

from msgspec import Struct

from daybreak.core.address import readable
from daybreak.core.checkpoint import Memory, Recorded
from daybreak.core.errors import GitError, RepositoryError
from daybreak.core.git_program import Git, last_words
from daybreak.core.model.changes import Window

_USUAL_DIGITS = 10
"""Of a time between 2001 and 2286."""


class Chain:
    """First-parent commits of a branch, newest first, with their committer times.

    A branch has tens of thousands of commits and a report needs a few of them. So rows stay as git printed them,
    brought to one width: then their bytes sort as their times do, and nothing is parsed that is not asked for.
    """

    def __init__(self, listing: bytes, broken_at: str | None = None) -> None:
        self.broken_at = broken_at
        """A commit that cannot be read: what lies below it is unknown."""
        rows = listing.split(b"\n")
        rows.pop()
        if len(set(map(len, rows))) > 1 or (rows and rows[0].index(b" ") != _USUAL_DIGITS):
            rows = [_padded(row) for row in rows]
            listing = b"".join(row + b"\n" for row in rows)
        self._rows, self._listing = rows, listing
        self._digits = rows[0].index(b" ") if rows else 0
        self._width = len(rows[0]) + 1 if rows else 1

    def __len__(self) -> int:
        return len(self._rows)

    def sha(self, index: int) -> str:
        return self._rows[index][self._digits + 1 :].decode("ascii")

    def time(self, index: int) -> int:
        return int(self._rows[index][: self._digits])

    def index(self, sha: str) -> int | None:
        """Place of a commit on the branch, None when it is not there."""
        at = self._listing.find(f" {sha}\n".encode())
        return None if at < 0 else at // self._width

    def starting_with(self, digits: str) -> int | None:
        """Place of the one commit whose id begins so."""
        sign = f" {digits}".encode()
        at = self._listing.find(sign)
        return None if at < 0 or self._listing.find(sign, at + 1) >= 0 else at // self._width

    def head_before(self, until: datetime) -> int | None:
        """Index of the newest commit dated before `until`."""
        order, topmost = self._by_time
        older = bisect_left(order, self._bytes(until), key=self._rows.__getitem__)
        return topmost[older - 1] if older else None

    def between(self, since: datetime, until: datetime, start: int = 0) -> list[int]:
        """Indices of the commits dated in `[since, until)`."""
        order, row = self._by_time[0], self._rows.__getitem__
        low = bisect_left(order, self._bytes(since), key=row)
        high = bisect_left(order, self._bytes(until), low, key=row)
        return sorted(i for i in order[low:high] if i >= start)

    @cached_property
    def _by_time(self) -> tuple[list[int], list[int]]:
        """All places, the oldest commit first; and for each the topmost one of those up to it."""
        order = sorted(range(len(self._rows)), key=self._rows.__getitem__)
        return order, list(accumulate(order, min))

    def _bytes(self, moment: datetime) -> bytes:
        return b"%0*d" % (self._digits, int(moment.timestamp()))


def _padded(row: bytes) -> bytes:
    """A time of unusual length, brought to the width of the longest one; before 1970 counts as 1970."""
    time, _, sha = row.partition(b" ")
    return b"%020d %s" % (max(int(time), 0), sha)


class Selection(Struct, frozen=True):
    """What of the branch belongs to one report."""

    head: str | None
    commits: list[str]
    late: list[str]
    rewritten: str | None = None


def walk(git: Git, mirror: Path, tip: str) -> Chain:
    """Read the branch down to its root, or to the first commit that cannot be read."""
    with git.faults.made_good():  # a gap is told, and any other fault is raised
        try:
            return Chain(git.run("rev-list", "--first-parent", "--timestamp", tip, at=mirror))
        except GitError:
            return _walk_to_gap(git, mirror, tip)


def _walk_to_gap(git: Git, mirror: Path, tip: str) -> Chain:
    with git.stream("rev-list", "--first-parent", "--timestamp", tip, at=mirror) as stream:
        listing = stream.output.read()
        if not stream.finish() and listing:
            return Chain(listing)  # the first fault was not the history's
    # git stops one commit early: the child of the one that it cannot read is still there.
    above = listing.split(b"\n")[-2].split(b" ")[1].decode("ascii") if listing else None
    listing += git.run("rev-list", "--no-walk", "--timestamp", f"{above}^1" if above else tip, at=mirror)
    child = listing.split(b"\n")[-2].split(b" ")[1].decode("ascii")
    return Chain(listing, git.run("rev-parse", f"{child}^1", at=mirror).decode("ascii").strip())


def select(chain: Chain, window: Window, repo: str, memory: Memory) -> Selection:
    """The window's commits as of its end, and the late ones that no report has shown yet."""
    top = chain.head_before(window.until)
    if top is None:
        return Selection(None, [], [])
    commits = [chain.sha(i) for i in chain.between(window.since, window.until, top)]
    known = next((r.head for r in memory.earlier(window.label, repo) if r.head), None)
    place = chain.index(known) if known else None
    late = [chain.sha(i) for i in _late(chain, top, place, window, repo, memory)]
    return Selection(chain.sha(top), commits, late, known if known and place is None else None)


def _late(chain: Chain, top: int, place: int | None, window: Window, repo: str, memory: Memory) -> list[int]:
    """Commits above the last report's head that are dated before this window, in days reported without them.

    A day whose report could not be made whole counts as reported: its commits come late rather than never.
    """
    reported = memory.earlier(window.label, repo)
    newest = next(reported, None)
    if newest is None:
        return []
    since = window.since.timestamp()
    old = [i for i in range(top, len(chain) if place is None else place) if chain.time(i) < since]
    if not old:
        return []
    days = [newest, *reported]
    shown = {sha for r in (*days, *memory.later(window.label, repo)) for sha in (*r.commits, *r.late)}
    return [i for i in old if chain.sha(i) not in shown and _in_a_day_of(days, chain.time(i))]


def _in_a_day_of(days: list[Recorded], time: int) -> bool:
    return any(r.since.timestamp() <= time < r.until.timestamp() for r in days)


# --- git's complaints in the words of our users: what is wrong with the repository, and what to do about it ---


_FAILS = r"(?:missing|bad|broken|corrupt|invalid|could not|cannot|unable to|failed to|not found|lacks?)"
_LACKING = re.compile(
    rf"^(?=.*\b{_FAILS}\b).*\b[0-9a-f]{{40}}(?:[0-9a-f]{{24}})?\b"
    r"|unable to read (?:[0-9a-f]{7,64}|tree|blob|commit|object|sha1 file)\b|missing (?:blob|tree|commit)|bad object"
    r"|could not fetch [0-9a-f]{7,64}|object [0-9a-f]{7,64}.{0,400} is corrupt|object file .{1,400} is empty|invalid object type",
    re.IGNORECASE | re.MULTILINE,
)
"""What git says of objects that a clone should have and has not: a line that names one by its whole id and says that it
fails, and forms that name none or a short one; of a config or an answer it cannot read it says otherwise."""
# The first row whose words stand in git's complaint decides; the one without words is of missing objects. Behind it stands
# what git says of any transfer that ended early, whatever ended it.
_FAULTS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (
        ("dubious ownership",),
        "the repository at {address} belongs to another user",
        "If you trust it, run: git config --global --add safe.directory '{place}'",
    ),
    (("No space left on device",), "the disk is full", "Free some space and run again."),
    (
        (
            "Could not resolve host",
            "Temporary failure in name resolution",
            "Network is unreachable",
            "No route to host",
        ),
        "{address} cannot be reached: no network",
        "Check the network and the proxy settings.",
    ),
    (
        (
            "Failed to connect",
            "Connection refused",
            "Connection timed out",
            "Connection reset",
            "timed out",
        ),
        "{address} does not answer",
        "Try again later.",
    ),
    (
        (
            "Authentication failed",
            "could not read Username",
            "Permission denied (publickey",
            "terminal prompts disabled",
        ),
        "{address} asks for credentials, or does not exist",
        "Check the name; for a private repository set up a git credential helper or an SSH key.",
    ),
    (
        ("Host key verification failed",),
        "the SSH host key of {address} is not known",
        "Connect once by hand with ssh to accept it.",
    ),
    (
        ("transport '", "protocol '"),
        "git may not use the protocol of {address}",
        "Use an https, ssh or file address.",
    ),
    (
        ("Remote branch",),
        "branch {branch!r} does not exist in {address}",
        "Name an existing branch, or leave `branch` out to follow the default one.",
    ),
    (
        (
            "not a git repository",
            "does not appear to be a git repository",
            "not found",
            "does not exist",
            "not valid: is this a git",
        ),
        "{address} is not a git repository, or it has vanished",
        "Check `git` of this repository in daybreak.toml{elsewhere}.",
    ),
    (
        ("Permission denied", "unable to create", "Read-only file system", "couldn't write", "cannot update ref"),
        "the mirror cannot be written, or the repository not be read",
        "Check the permissions of the folder.",
    ),
    (
        (),
        "objects that it needs are missing from {address}, or damaged",
        "Bring them into it with `git fetch --refetch`, or clone it anew.",
    ),
    (("early EOF", "hung up unexpectedly"), "{address} does not answer", "Try again later."),
)


def lacks_objects(said: str) -> bool:
    """Git complains of an object that is not there."""
    return _LACKING.search(said) is not None


def explain(error: GitError, address: str, branch: str | None = None) -> RepositoryError:
    """The same failure as one sentence about the repository, with its tip."""
    shown = readable(address)
    for words, sentence, tip in _FAULTS:
        if any(word in error.detail for word in words) or (not words and lacks_objects(error.detail)):
            # git may mean another folder than the one that was named: the `.git` in a checkout.
            place = re.search(r"ownership in repository at '(.*)'", error.detail)
            asked = re.search(r"'(.+)' does not appear to be a git repository", error.detail)
            sent = readable(asked[1]) if asked and address.startswith("http") else ""
            facts = {
                "elsewhere": f", and `insteadOf` in your git config: git was sent to {sent}" if sent else "",
                "address": shown,
                "branch": branch,
                "place": readable(place[1]) if place else shown,
                "words": last_words(error.detail.encode()),
            }
            return RepositoryError(sentence.format(**facts), tip.format(**facts), error.detail)
    unknown = RepositoryError(
        error.message or "git failed", error.tip or "Run again with --verbose to see all of it.", error.detail
    )
    unknown.telling = False
    return unknown
