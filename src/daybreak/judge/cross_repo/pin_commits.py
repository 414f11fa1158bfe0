"""Which commits touch files that pin things, or submodules: asked once for each commit and kept beside its mirror.

Git lists all paths and we pick: to let git match patterns with stars costs it three times as much. What is kept
follows from the commit alone, and only spares git the work; a damaged file costs speed and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from fnmatch import translate
from pathlib import Path

import msgspec

from daybreak.collect.git.patches import new_mark
from daybreak.core.git_program import Git
from daybreak.judge.cross_repo.names import PINS

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
