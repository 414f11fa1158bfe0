"""Contents of files before and after a change: one git process for a whole window, surfaces kept by blob id."""

from __future__ import annotations

import hashlib
from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from pathlib import Path
from typing import Self

import msgspec

from daybreak.core.errors import GitError
from daybreak.core.file_cache import keep_newest, newest_of, read_kept
from daybreak.core.git_program import Git

# --- What a file offers to the world, as a flat table: one row a function, option, variable, field, route… ---
# A surface is read once per blob and kept by blob id; two surfaces are compared row by row. So what a change did to a
# file follows from two tables, whatever the programming language, and comparing a file with itself gives nothing.


class Row(msgspec.Struct, frozen=True):
    """One thing a file offers; of all values the one that is made most often, so it is of the kind made fastest."""

    kind: str
    """`function`, `class`, `method`, `field`, `option`, `env`, `route`, `metric`, `operator`, `pin`, `alias`…"""
    name: str
    """Unique within the kind and the file: `Class.method`, `--flag`, `VLLM_X`."""
    line: int
    text: str = ""
    """What is shown as before and after: the signature, the default, the pinned version."""
    details: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Parts that are compared one by one: `default`, `choices`, `param:x`, `decorators`, `body` (a digest)…"""


class Surface(Mapping[tuple[str, str], Row]):
    """The rows of one file by kind and name; of rows with the same name the first one counts."""

    def __init__(self, rows: Iterable[Row] = (), broken: bool = False) -> None:
        self._rows: dict[tuple[str, str], Row] = {}
        for row in rows:
            self._rows.setdefault((row.kind, row.name), row)
        self._kinds: dict[str, list[Row]] | None = None
        self._members: dict[str, dict[str, dict[str, Row]]] = {}
        self.broken = broken
        """The file could not be understood: nothing in it may be called added or removed."""

    @classmethod
    def keyed(cls, rows: dict[tuple[str, str], Row]) -> Self:
        """Of rows that stand by kind and name already; the table is not copied."""
        out = cls()
        out._rows = rows
        return out

    def __getitem__(self, key: tuple[str, str]) -> Row:
        return self._rows[key]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    def items(self) -> ItemsView[tuple[str, str], Row]:
        return self._rows.items()

    def values(self) -> ValuesView[Row]:
        return self._rows.values()

    def of(self, *kinds: str) -> list[Row]:
        if len(kinds) == 1:
            return list(self._by_kind().get(kinds[0], ()))
        return [row for row in self._rows.values() if row.kind in kinds]

    def methods(self, owner: str) -> dict[str, Row]:
        """The methods that stand directly in a class, by their full names."""
        found = self._members.get("method")
        if found is None:
            found = self._members["method"] = {}
            for row in self._by_kind().get("method", ()):
                found.setdefault(row.name.rpartition(".")[0], {})[row.name] = row
        return found.get(owner, {})

    def attributes(self) -> dict[str, dict[str, Row]]:
        """Class, or nothing for the module itself, → its attributes by their short names."""
        found = self._members.get("attribute")
        if found is None:
            found = self._members["attribute"] = {}
            for row in self._by_kind().get("attribute", ()):
                owner, _, name = row.name.rpartition(".")
                found.setdefault(owner, {})[name] = row
        return found

    def _by_kind(self) -> dict[str, list[Row]]:
        if self._kinds is None:
            kinds: dict[str, list[Row]] = {}
            for row in self._rows.values():
                kinds.setdefault(row.kind, []).append(row)
            self._kinds = kinds
        return self._kinds

    def has(self, kind: str, name: str) -> bool:
        return (kind, name) in self._rows


LARGEST = 2 << 20
"""Bytes of a file that is read for its surface; a larger one is data or generated."""


class _Broken(msgspec.Struct, array_like=True):
    broken: bool


class _Kept(_Broken, array_like=True):
    rows: list[tuple[str, str, int, str, dict[str, str]]]


# Made once, before there are threads: two that find out about a type at the same time crash msgspec.
_KEPT_DECODER = msgspec.msgpack.Decoder(_Kept)
_BROKEN_DECODER = msgspec.msgpack.Decoder(_Broken)
_RAW_DECODER = msgspec.msgpack.Decoder(dict[str, msgspec.Raw])
HELD = 40
"""Surfaces that are at hand as they are."""
FILES_KEPT = 8
"""Files of one repository: what a day read is wanted again when the day is made again, and half of it the day after."""


class SurfaceCache:
    """Surfaces of one repository by language version and blob id, on disk in one file for each time they were read.

    A damaged file or a full disk costs speed, not the report.
    """

    def __init__(self, folder: Path | None = None, repo: str = "") -> None:
        self._folder = folder / "surfaces" / repo.replace("/", "+") if folder else None
        self._held: dict[str, Surface] = {}
        self._used: set[str] = set()
        self._files = self._newest()
        self._raw: dict[str, msgspec.Raw] = {}
        for path in self._files:
            for key, raw in _kept_in(path).items():
                if key not in self._raw:
                    # A copy, since each would keep its whole file in memory, and most of a file is in a newer one.
                    self._raw[key] = raw.copy()
        self._fresh = False

    def get(self, language: str, oid: str) -> Surface | None:
        key = f"{language}-{oid}"
        self._used.add(key)
        if key not in self._held and key in self._raw:
            try:
                kept = _KEPT_DECODER.decode(self._raw[key])
            except msgspec.MsgspecError:
                return None
            self._hold(key, Surface((Row(*row) for row in kept.rows), kept.broken))
        return self._held.get(key)

    def broken(self, language: str, oid: str) -> bool:
        """The file could not be understood; asked of every file, and so without its rows."""
        held, raw = self._held.get(f"{language}-{oid}"), self._raw.get(f"{language}-{oid}")
        if held is not None or raw is None:
            return held is not None and held.broken
        try:
            return _BROKEN_DECODER.decode(raw).broken
        except msgspec.MsgspecError:
            return False

    def put(self, language: str, oid: str, surface: Surface) -> None:
        key = f"{language}-{oid}"
        self._hold(key, surface)
        self._used.add(key)
        rows = [(r.kind, r.name, r.line, r.text, dict(r.details)) for r in surface.values()]
        self._raw[key] = msgspec.Raw(msgspec.msgpack.encode(_Kept(surface.broken, rows)))
        self._fresh = True

    def _hold(self, key: str, surface: Surface) -> None:
        """At hand as it is, for those who ask soon; a surface takes several times the room of its bytes."""
        self._held[key] = surface
        if len(self._held) > HELD:
            del self._held[next(iter(self._held))]

    def save(self) -> None:
        """Write what was used this time, when any of it is new."""
        if self._folder is None or not self._fresh:
            return
        used = {key: self._raw[key] for key in sorted(self._used) if key in self._raw}
        name = hashlib.sha256("\n".join(used).encode()).hexdigest()[:32]
        keep_newest(self._folder / f"{name}.surfaces", msgspec.msgpack.encode(used), FILES_KEPT)

    def _newest(self) -> list[Path]:
        if self._folder is None:
            return []
        try:
            return newest_of(self._folder, ".surfaces")[:FILES_KEPT]
        except OSError:
            return []


def _kept_in(path: Path) -> dict[str, msgspec.Raw]:
    try:
        return _RAW_DECODER.decode(read_kept(path) or b"")
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return {}


def contents(
    git: Git, mirror: Path, oids: Iterable[str], sizes: dict[str, int] | None = None
) -> Iterator[tuple[str, str]]:
    """(blob id, text) for those that are there and not too large; what is missing is left out.

    `sizes`: those of blobs that were asked for before, which git is not asked for again; gets the others.
    """
    wanted, known = list(dict.fromkeys(oids)), {} if sizes is None else sizes
    unknown = [oid for oid in wanted if oid not in known]
    rows = _sizes(git, mirror, unknown) if unknown else []
    known.update((row.split()[0], int(row.split()[2])) for row in rows if not row.endswith(" missing"))
    small = [oid for oid in wanted if known.get(oid, LARGEST + 1) <= LARGEST]
    if not small:
        return
    try:
        with git.stream("cat-file", "--batch", "--buffer", at=mirror, stdin=_lines(small)) as stream:
            for oid in small:
                head = stream.output.readline().split()
                size = int(head[2]) if len(head) == 3 and head[2].isdigit() else -1
                data = stream.output.read(size + 1)
                if len(data) != size + 1 or size < 0:
                    return stream.lacks()
                yield oid, data[:-1].decode("utf-8", "replace")
    except GitError:
        return  # a damaged object ends the stream: the rest is read from its hunks alone


def _sizes(git: Git, mirror: Path, wanted: list[str]) -> list[str]:
    """What git says of each blob; in a mirror without contents it stops at one that its server will not give."""

    def asked(oids: list[str]) -> list[str]:
        return git.run("cat-file", "--batch-check", "--buffer", at=mirror, stdin=_lines(oids)).decode().splitlines()

    try:
        return asked(wanted)
    except GitError:
        try:
            lacking = git.missing(mirror, wanted)
            return asked([oid for oid in wanted if oid not in lacking]) if lacking else []
        except GitError:
            return []


def blobs_at(git: Git, mirror: Path, names: Iterable[str]) -> dict[str, str]:
    """`commit:path` -> blob id, of those that are there."""
    asked = [name for name in names if "\n" not in name and "\ufffd" not in name]
    if not asked:
        return {}
    # git repeats a name that it does not find, and a path may hold blanks and any line end but git's own; the type
    # goes first, since no name of a commit is called so.
    form = "--batch-check=%(objecttype) %(objectname)"
    rows = git.run("cat-file", form, "--buffer", at=mirror, stdin=_lines(asked)).decode("utf-8", "replace")
    words = (row.split(" ") for row in rows.split("\n"))
    return {name: row[1] for name, row in zip(asked, words, strict=False) if row[0] == "blob"}


def _lines(names: Iterable[str]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode("utf-8", "replace")


# --- Surfaces held in memory while many changes are read in turn: what was not wanted lately is let go ---


class HeldSurfaces(SurfaceCache):
    """Keeps what the last two turns used: of a file that changes often, one commit's new side is the next one's old."""

    def __init__(self) -> None:
        super().__init__()
        self._now: dict[str, Surface] = {}
        self._before: dict[str, Surface] = {}

    def get(self, language: str, oid: str) -> Surface | None:
        key = f"{language}-{oid}"
        found = self._now.get(key)
        if found is None:
            found = self._before.get(key)
            if found is not None:
                self._now[key] = found
        return found

    def broken(self, language: str, oid: str) -> bool:
        found = self.get(language, oid)
        return found is not None and found.broken

    def put(self, language: str, oid: str, surface: Surface) -> None:
        self._now[f"{language}-{oid}"] = surface

    def save(self) -> None:
        """The end of a turn; nothing goes to disk."""
        self._before, self._now = self._now, {}
