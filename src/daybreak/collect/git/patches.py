"""Parses one `git log --raw -p -z` stream into changes, counting lines from the patches.

git makes each diff once; asking for `--numstat` beside it would make each twice. The stream is read piece by piece,
so a diff of any size needs no more memory than what we keep of it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from io import BufferedReader
from typing import Literal, cast

from msgspec.structs import replace

from daybreak.core.model.changes import Change, FileChange, Status

FIELDS = ("%H", "%P", "%an", "%at", "%ct", "%s", "%b", "%(trailers:only,unfold,separator={mark})")
FILES_KEPT = 2000
PATCH_KEPT = 1 << 20
"""Bytes of one file's patch that are kept as text."""
COMMIT_KEPT = 4 << 20
STREAM_KEPT = 16 << 20
_BLOCK = 1 << 18
_NUL, _LINE_BREAK, _COLON = b"\0\n:"
_NEXT_FILE = b"\ndiff --git "
_PULL = re.compile(r"\([#!](\d{1,9})\)")
_MERGE = re.compile(r"Merge pull request [#!](\d{1,9})")
_BELOW = re.compile(r"^(See merge request [\w./-]{0,200}!|Merge pull request !)(\d{1,9})\b", re.MULTILINE)
"""What GitLab and Gitee write into the text of a merge."""
_GITEE = re.compile(r"!(\d{1,9}) (\S.{0,2000}?)(?: (Merge pull request !\d{1,9} from \S.*))?")
"""Its second line belongs to the subject where no empty one stands before it."""
_MERGED = re.compile(r"Merge pull request #\d{1,9} from \S|Merge branch '[^']{1,200}' into ")
_NO_TITLE = re.compile(
    r"[A-Z]\w{0,30}-[\w-]{1,40}: |(?:Fixes|Closes|Refs|Bug|Cc|Link): |See merge request |# ?Conflicts|Conflicts:|\* "
)
"""Lines of a merge's text that are no title: trailers, and what the forge writes itself."""


class StreamBroken(Exception):
    """The stream ended inside a commit, or does not have the form git promises."""


def new_mark() -> str:
    """A record mark that no commit can contain, since nobody knows it beforehand."""
    return secrets.token_hex(16)


_DETAIL = {
    "patch": ("--raw", "-p", "-U3", "-M50%", "-l1000", "--diff-merges=first-parent"),
    "files": ("--raw", "--no-renames", "--diff-merges=first-parent"),
    "message": ("--no-patch",),
}


def log_arguments(mark: str, detail: Literal["patch", "files", "message"] = "patch") -> list[str]:
    """Arguments of the `git log` that `parse` reads; the commits are given on its standard input."""
    fields = "".join(f"{name}%x00" for name in FIELDS).replace("{mark}", mark)
    form = f"--format=%x01{mark}{fields}"
    return [
        *("log", "--no-walk=unsorted", "--stdin", "-z", "--no-abbrev", "--full-index"),
        *("--no-ext-diff", "--no-textconv", "--no-color", "--diff-algorithm=myers"),
        *("--submodule=short", "--ignore-submodules=none", "--no-relative", "--src-prefix=a/", "--dst-prefix=b/"),
        *("--no-notes", *_DETAIL[detail], form),
    ]


def pull_number(subject: str, body: str = "") -> int | None:
    """The pull request a merge's text names; else the one its subject does, or the last `(#N)` of that, which some forges have
    for issues.
    """
    title, text = _apart(subject, body)
    below = _BELOW.findall(text) if "!" in text else []
    own = [number for forge, number in below if forge[0] == "S" or title != subject or not _PULL.search(title)]
    found = own or _PULL.findall(title)
    merge = _MERGE.match(subject)
    return int(found[-1]) if found else int(merge[1]) if merge else None


def _apart(subject: str, body: str) -> tuple[str, str]:
    """Title and text of a merge of Gitee, which may have no empty line between the two."""
    numbered = _GITEE.fullmatch(subject) if subject.startswith("!") else None
    text = f"{numbered[3]}\n{body}" if numbered and numbered[3] else body
    own = numbered is not None and f"Merge pull request !{numbered[1]} from " in text
    return (numbered[2], text) if numbered and own else (subject, body)


def of_merge(subject: str, body: str) -> tuple[str, str]:
    """Title and text of a merge: the first line of its text says what it merges; the name of a branch says nothing."""
    if not _MERGED.match(subject):
        return _apart(subject, body)
    first, _, rest = body.strip("\n").partition("\n")
    if first.strip() and not _NO_TITLE.match(first):
        return first.strip(), rest
    pull = _MERGE.match(subject)
    return (pull[0], body) if pull else (subject, body)


def moment(seconds: str, zone: tzinfo) -> datetime:
    """A commit's time; a date no calendar has (they exist) becomes the beginning of time."""
    try:
        return datetime.fromtimestamp(int(seconds), zone)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC).astimezone(zone)


def shown_path(path: str) -> str:
    """A path as patches have it: bytes that are no UTF-8 are replaced."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def with_shown_paths(change: Change) -> Change:
    """A change that was read without patches, its paths as patches have them."""
    if all(file.path.isascii() for file in change.files):
        return change
    return replace(change, files=tuple(replace(file, path=shown_path(file.path)) for file in change.files))


class _Reader:
    """A byte stream that is cut at given separators; at most about one block is held beyond what was asked for."""

    def __init__(self, source: BufferedReader, mark: str) -> None:
        self._source = source
        self._buffer = b""
        self._at = 0
        self.mark = mark
        self.record_end = b"\n\x01" + mark.encode()

    def _more(self) -> bool:
        # A whole block at once: git writes a few KiB at a time, and each of them would be put together anew.
        block = self._source.read(_BLOCK)
        if not block:
            return False
        self._buffer = self._buffer[self._at :] + block
        self._at = 0
        return True

    def peek(self, size: int) -> bytes:
        while len(self._buffer) - self._at < size and self._more():
            pass
        return self._buffer[self._at : self._at + size]

    def skip(self, size: int) -> None:
        self._at += size

    def skip_if(self, sign: int) -> bool:
        """Pass over one byte if it is this one; whether it was."""
        if self._at >= len(self._buffer) and not self._more():
            return False
        same = self._buffer[self._at] == sign
        self._at += same
        return same

    def until(self, separator: bytes) -> bytes:
        """Everything up to the separator, which is passed over."""
        at, found = self._at, self._buffer.find(separator, self._at)
        if found >= 0:
            self._at = found + len(separator)
            return self._buffer[at:found]
        parts: list[bytes] = []
        while (found := self._buffer.find(separator, self._at)) < 0:
            parts.append(self._buffer[self._at :])
            self._at = len(self._buffer)
            if not self._more():
                raise StreamBroken("the stream ended inside a field")
        parts.append(self._buffer[self._at : found])
        self._at = found + len(separator)
        return b"".join(parts)

    def patch_pieces(self) -> Iterator[bytes]:
        """One file's patch in pieces, up to (and without) the next file, the next record or the end.

        A piece never ends with a line break that more follows, so that what starts a line can be counted within it.
        """
        keep = max(len(_NEXT_FILE), len(self.record_end))
        while (end := self._end_of_patch()) < 0:
            ready = len(self._buffer) - keep
            if ready - self._at > _BLOCK:
                ready -= self._buffer[ready - 1] == _LINE_BREAK
                yield self._taken(ready)
            if not self._more():
                yield self._taken(len(self._buffer))
                return
        yield self._taken(end + 1)

    def _end_of_patch(self) -> int:
        # The nearest end is looked for first, so that a thousand small patches do not search the block a thousand times.
        file = self._find(_NEXT_FILE)
        record = self._buffer.find(self.record_end, self._at, file if file >= 0 else len(self._buffer))
        return record if record >= 0 else file

    def _taken(self, end: int) -> bytes:
        piece = self._buffer[self._at : end]
        self._at = end
        return piece

    def _find(self, separator: bytes) -> int:
        return self._buffer.find(separator, self._at)


@dataclass(slots=True)
class _Patch:
    """One file's patch while it is read."""

    kept: list[bytes] = field(default_factory=list)
    size: int = 0
    added: int = 0
    deleted: int = 0
    binary: bool = False
    cut: bool = False
    in_hunks: bool = False

    def take(self, piece: bytes, room: int) -> None:
        """Count the piece, and keep it while there is room."""
        start = 0
        first = not self.in_hunks
        if first:
            start = piece.find(b"\n@@ ")
            if start < 0:
                self.binary = self.binary or b"\nBinary files " in piece
                return
            self.in_hunks = True
        self.added += piece.count(b"\n+", start)
        self.deleted += piece.count(b"\n-", start)
        # The second patch of a type change follows a line break that is already there.
        body = piece[start + 1 :] if first and self.kept else piece[start:]
        self._keep(body, room - self.size)

    def _keep(self, body: bytes, space: int) -> None:
        """Once something did not fit nothing more is kept: a text with a gap would be a lie."""
        if not self.cut:
            self.cut = len(body) > space
            self.kept.append(body[: max(space, 0)])
            self.size += len(self.kept[-1])

    def text(self) -> str:
        """What was kept; of a patch that did not fit, its whole hunks."""
        kept = b"".join(self.kept)
        if self.cut:
            kept = kept[: max(kept.rfind(b"\n@@ "), 0)]
        return kept.decode("utf-8", "replace").removeprefix("\n")


@dataclass(slots=True)
class Budget:
    """How much patch text may still be kept for a whole window, and how much of one commit and one file."""

    left: int = STREAM_KEPT
    commit: int = COMMIT_KEPT
    file: int = PATCH_KEPT
    files: int = FILES_KEPT


def parse(
    source: BufferedReader, mark: str, repo: str, zone: tzinfo, budget: Budget, patches: bool = True
) -> Iterator[Change]:
    """The changes of a stream, each yielded only when it was read whole.

    Without patches, paths keep what is not UTF-8 in them, so that git can be asked about them again.
    """
    reader = _Reader(source, mark)
    lead = b"\x01" + mark.encode()
    while head := reader.peek(len(lead)):
        if head != lead:
            raise StreamBroken("a commit does not start where it should")
        reader.skip(len(lead))
        yield _commit(reader, repo, zone, budget, patches)


def _commit(reader: _Reader, repo: str, zone: tzinfo, budget: Budget, patches: bool) -> Change:
    fields = [reader.until(b"\0").decode("utf-8", "replace") for _ in FIELDS]
    entries, total = _raw(reader, "replace" if patches else "surrogateescape", budget.files)
    files, added, deleted = _patches(reader, entries, total, budget) if patches else (entries, 0, 0)
    return change_of(fields, reader.mark, repo, zone, files, (total, added, deleted))


def change_of(
    fields: Sequence[str], mark: str, repo: str, zone: tzinfo, files: Sequence[FileChange], counts: tuple[int, int, int]
) -> Change:
    """A commit from the texts of `FIELDS`; `counts`: how many files, and the lines of all of them."""
    sha, parents, author, authored, committed, subject, body, trailers = fields
    total, added, deleted = counts
    number = pull_number(subject, body)
    if " " in parents:
        subject, body = of_merge(subject, body)
    return Change(
        repo=repo,
        sha=sha,
        parents=tuple(parents.split()),
        author=author,
        authored_at=moment(authored, zone),
        committed_at=moment(committed, zone),
        subject=subject,
        body=body.strip("\n"),
        trailers=tuple(_trailer(row) for row in trailers.split(mark) if ":" in row) if trailers else (),
        pr=number,
        files=tuple(files),
        files_total=total,
        added=added,
        deleted=deleted,
        empty=total == 0,
    )


def _trailer(row: str) -> tuple[str, str]:
    key, _, value = row.partition(":")
    return key.strip(), value.strip()


def _raw(reader: _Reader, errors: str, most: int) -> tuple[list[FileChange], int]:
    """The first `--raw` entries, as many as are kept, and how many there are."""
    entries: list[FileChange] = []
    total = 0
    reader.skip_if(_NUL)
    reader.skip_if(_LINE_BREAK)
    while reader.skip_if(_COLON):
        old_mode, new_mode, old_blob, new_blob, status = reader.until(b"\0").decode("ascii").split(" ")
        first = reader.until(b"\0")
        second = reader.until(b"\0") if status[0] in "RC" else None
        total += 1
        if total > most:
            continue
        path, old = (second, first) if second is not None else (first, None)
        entries.append(
            FileChange(
                path=path.decode("utf-8", errors),
                old_path=old.decode("utf-8", errors) if old is not None else None,
                status=cast("Status", status[0]),
                old_mode=old_mode,
                new_mode=new_mode,
                old_blob=old_blob,
                new_blob=new_blob,
            )
        )
    if total:
        reader.skip_if(_NUL)
    return entries, total


def _patches(
    reader: _Reader, entries: list[FileChange], total: int, budget: Budget
) -> tuple[list[FileChange], int, int]:
    """Give each entry its patch; patches beyond the kept entries are only counted."""
    room = min(budget.commit, budget.left)
    files: list[FileChange] = []
    added = deleted = 0
    for entry in entries:
        patch = _Patch()
        # A file that changes its type (say, into a symlink) is one entry with two patches: one goes, one comes.
        for _ in range(2 if entry.status == "T" else 1):
            _expect_patch(reader)
            for piece in reader.patch_pieces():
                patch.take(piece, min(budget.file, room))
            patch.in_hunks = False
        room -= patch.size
        budget.left -= patch.size
        added, deleted = added + patch.added, deleted + patch.deleted
        files.append(_with_patch(entry, patch))
    while total > len(entries) and reader.peek(len(_NEXT_FILE) - 1) == _NEXT_FILE[1:]:
        patch = _Patch()
        for piece in reader.patch_pieces():
            patch.take(piece, 0)
        added, deleted = added + patch.added, deleted + patch.deleted
    return files, added, deleted


def _expect_patch(reader: _Reader) -> None:
    if reader.peek(len(_NEXT_FILE) - 1) != _NEXT_FILE[1:]:
        raise StreamBroken("a patch does not start where it should")


def _with_patch(entry: FileChange, patch: _Patch) -> FileChange:
    # By name and not by `replace`, which takes three times as long.
    return FileChange(
        path=entry.path,
        status=entry.status,
        old_path=entry.old_path,
        added=patch.added,
        deleted=patch.deleted,
        binary=patch.binary,
        old_mode=entry.old_mode,
        new_mode=entry.new_mode,
        old_blob=entry.old_blob,
        new_blob=entry.new_blob,
        patch=patch.text(),
        patch_cut=patch.cut,
    )
