"""A long history with its numbers: every commit of a list with its files and line counts, and no patches.

One `git log --raw --numstat -z` is read as it comes, commit by commit, so that memory stays flat. Where git dies at
an object it cannot read, that one commit is told without its counts, and the rest is read from there on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC
from io import BufferedReader
from pathlib import Path

from msgspec.structs import replace

from daybreak.collect.git.history import HistoryReader
from daybreak.collect.git.patches import FIELDS, FILES_KEPT, StreamBroken, change_of, new_mark
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, FileChange, Status

_BLOCK = 1 << 16
_AFTER_FIELDS = len(FIELDS)
_Entry = tuple[list[str], str, str | None]
"""Modes, blobs and status of a file; its path, and the one it had."""


def statistics(git: Git, mirror: Path, repo: str, shas: Sequence[str]) -> Iterator[Change]:
    """One change for each sha, in that order, in UTC; what cannot be read says so in its `skipped`."""
    at = 0
    while at < len(shas):
        for change in _readable(git, mirror, repo, shas[at:]):
            yield change
            at += 1
        if at < len(shas):
            # Told with what can be had of it: files that are there are counted, one by one.
            yield _without_patches(HistoryReader(git, mirror, repo, UTC).read([shas[at]])[0])
            at += 1


def _readable(git: Git, mirror: Path, repo: str, shas: Sequence[str]) -> Iterator[Change]:
    """The commits up to the one at which git dies, if it does."""
    mark = new_mark()
    wanted = "".join(f"{sha}\n" for sha in shas).encode()
    with git.stream(*_arguments(mark), at=mirror, stdin=wanted) as stream:
        last: Change | None = None
        try:
            for record in _records(stream.output, b"\x01" + mark.encode()):
                if last is not None:
                    yield last
                last = None
                last = _change(record, mark, repo)
        except StreamBroken:
            return
        # The last commit before a fault may look whole: git may have died between two of its files.
        if stream.finish() == 0 and last is not None:
            yield last


def _arguments(mark: str) -> list[str]:
    fields = "".join(f"{name}%x00" for name in FIELDS).replace("{mark}", mark)
    return [
        *("log", "--no-walk=unsorted", "--stdin", "-z", "--no-abbrev", "--raw", "--numstat", "-M50%", "-l1000"),
        *("--diff-merges=first-parent", "--no-ext-diff", "--no-textconv", "--no-color", "--diff-algorithm=myers"),
        *("--submodule=short", "--ignore-submodules=none", "--no-relative", "--no-notes"),
        f"--format=%x01{mark}{fields}",
    ]


def _records(source: BufferedReader, lead: bytes) -> Iterator[str]:
    """The text between two marks; a record of any length is joined once, however many blocks it comes in."""
    parts: list[bytes] = []
    tail = b""
    first = True
    while block := source.read1(_BLOCK):
        # A mark may lie across two blocks: its beginning waits in the tail.
        *ended, rest = (tail + block).split(lead)
        for piece in ended:
            record = b"".join((*parts, piece))
            parts.clear()
            if not first:
                yield record.decode("utf-8", "replace")
            first = False
        cut = max(len(rest) - len(lead), 0)
        parts.append(rest[:cut])
        tail = rest[cut:]
    if not first:
        yield b"".join((*parts, tail)).decode("utf-8", "replace")


def _change(record: str, mark: str, repo: str) -> Change:
    parts = record.split("\0")
    if len(parts) <= _AFTER_FIELDS:
        raise StreamBroken("the stream ended inside a commit")
    files, counts = _files(parts)
    return change_of(parts[:_AFTER_FIELDS], mark, repo, UTC, files, counts)


def _files(parts: list[str]) -> tuple[list[FileChange], tuple[int, int, int]]:
    """The files that are kept, how many there are, and the lines of all of them."""
    at = _AFTER_FIELDS + 1
    if at < len(parts):
        parts[at] = parts[at].removeprefix("\n")
    entries: list[_Entry] = []
    try:
        while parts[at][:1] == ":":
            kind = parts[at][1:].split(" ")
            if kind[4][0] in "RC":
                entries.append((kind, parts[at + 2], parts[at + 1]))
                at += 3
            else:
                entries.append((kind, parts[at + 1], None))
                at += 2
        return _counted(entries, parts, at)
    except (IndexError, ValueError) as error:
        raise StreamBroken("a commit ends inside its list of files") from error


def _counted(entries: list[_Entry], parts: list[str], at: int) -> tuple[list[FileChange], tuple[int, int, int]]:
    """Lines are listed after all files, in the same order."""
    files: list[FileChange] = []
    all_added = all_deleted = 0
    for (old_mode, new_mode, old_blob, new_blob, status), path, old in entries:
        plus, minus, name = parts[at].split("\t", 2)
        if old is not None:
            name = parts[at + 2]
            at += 2
        at += 1
        if name != path:
            raise StreamBroken("the counts of a commit do not go with its files")
        binary = plus == "-"
        added, deleted = (0, 0) if binary else (int(plus), int(minus))
        all_added += added
        all_deleted += deleted
        if len(files) < FILES_KEPT:
            letter: Status = status[0]  # type: ignore[assignment]  # git's own letters; a cast would cost as much as the rest
            files.append(FileChange(path, letter, old, added, deleted, binary, old_mode, new_mode, old_blob, new_blob))
    return files, (len(entries), all_added, all_deleted)


def _without_patches(change: Change) -> Change:
    files = tuple(replace(file, patch="", patch_cut=False) for file in change.files)
    return replace(change, files=files, merged=())
