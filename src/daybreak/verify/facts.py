"""What git says of commits, as values, and how its output is read into them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from io import BufferedReader

from msgspec import Struct

from daybreak.verify.page import plainly

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
