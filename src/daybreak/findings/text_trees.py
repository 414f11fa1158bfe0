"""Two states of some files as texts, read like one commit of a repository: what stands behind `read` and `compare_trees`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha1
from pathlib import Path

from daybreak.core.errors import DaybreakError
from daybreak.core.model.changes import Change, FileChange, Skipped
from daybreak.core.model.findings import Reading
from daybreak.core.source_folder import source_folder
from daybreak.findings.blobs import LARGEST, SurfaceCache
from daybreak.findings.reader import Limits
from daybreak.findings.reading import Anew
from daybreak.findings.text_patch import patch
from daybreak.findings.trees import Row, Where

Texts = Mapping[str, str]
"""Path from the root of the project, with `/` -> text of the file."""

_SIMILAR = 0.5
"""Share of a file that must stand in another for the two to be one that was renamed; git's default."""
_MOST_PAIRS = 10_000
"""Pairs of files that are weighed against each other; beyond that only files without any change count as renamed."""
_NONE = "0" * 40
_BINARY_WITHIN = 8000
"""Characters in which a zero makes a file no text; git's number."""
_DAY = datetime.fromtimestamp(0, UTC)


class TextTrees:
    """The two states as trees; files that did not change may be among them, and are searched too."""

    def __init__(self, states: Mapping[str, Texts]) -> None:
        """`states`: name of a commit -> its files."""
        self._states = states
        self._ids = {commit: {path: blob_id(text) for path, text in texts.items()} for commit, texts in states.items()}
        self._blobs = {
            self._ids[commit][path]: text for commit, texts in states.items() for path, text in texts.items()
        }

    def contents(self, oids: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Texts of blobs that are small enough."""
        for oid in dict.fromkeys(oids):
            text = self._blobs.get(oid)
            if text is not None and len(text) <= LARGEST:
                yield oid, text

    def blobs_at(self, names: Iterable[str]) -> dict[str, str]:
        """Blob ids of `commit:path`."""
        split = ((name, *name.partition(":")[::2]) for name in names)
        known = ((name, self._ids.get(commit, {}).get(path)) for name, commit, path in split)
        return {name: oid for name, oid in known if oid is not None}

    def files(self, commit: str) -> dict[str, str]:
        """Every file of a state."""
        return self._ids[commit]

    def names(self, commit: str, folder: str) -> set[str]:
        """Files and folders of one folder."""
        start = f"{folder}/"
        inside = (path.removeprefix(start) for path in self._states[commit] if path.startswith(start))
        return {start + path.partition("/")[0] for path in inside}

    def matches(self, commits: Iterable[str], texts: Iterable[str], where: Where) -> Iterator[Row]:
        """Each match for itself; of two that begin at the same place the longer one."""
        pattern = _any_of(texts)
        for commit, path, line in self._lines(commits, where):
            yield from ((commit, path, found[0]) for found in pattern.finditer(line))

    def lines(self, commits: Iterable[str], texts: Iterable[str], where: Where) -> Iterator[Row]:
        """Each line with a match."""
        pattern = _any_of(texts)
        return (row for row in self._lines(commits, where) if pattern.search(row[2]))

    def _lines(self, commits: Iterable[str], where: Where) -> Iterator[Row]:
        for commit in commits:
            for path, text in self._states[commit].items():
                if where.holds(path) and not _binary(text):
                    yield from ((commit, path, line) for line in text.split("\n"))


def _any_of(texts: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(texts, key=len, reverse=True))))


def blob_id(text: str) -> str:
    """What git calls a file of this text."""
    data = text.encode("utf-8", "replace")
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def reading_of(before: Texts, after: Texts, repo: str, limits: Limits) -> Reading:
    """What the step from one state to the other does; an error when it could not be read at all."""
    files = tuple(_file_changes(before, after))
    steps = "\n".join(f"{f.old_path or ''}\0{f.path}\0{f.old_blob}\0{f.new_blob}" for f in files)
    start, end = (blob_id(f"{side}\n{steps}") for side in ("before", "after"))
    change = Change(repo, end, (start,), "", _DAY, _DAY, "", "", files=files, files_total=len(files))
    trees = TextTrees({start: before, end: after})
    reading = Anew(trees, limits, SurfaceCache()).read([change])[end]
    if reading.skipped:
        raise DaybreakError(f"The two states could not be compared: {reading.skipped}.")
    return reading


def texts_in(folder: Path) -> tuple[dict[str, str], list[Skipped]]:
    """The files of a folder as texts, and what is left out of it; links are no sources and are left out as well."""
    source = source_folder(folder)
    texts = {
        path.decode("utf-8", "replace"): content.decode("utf-8", "replace")
        for mode, path, content in source.files()
        if mode.startswith(b"100")
    }
    return texts, source.skipped


# --- the change ----------------------------------------------------------------------------------------------------


def _file_changes(before: Texts, after: Texts) -> Iterator[FileChange]:
    """In git's order, by path."""
    gone = {path: text for path, text in before.items() if path not in after}
    come = {path: text for path, text in after.items() if path not in before}
    renames = _renames(gone, come)
    left = gone.keys() - renames.values()
    changed = {path for path, text in after.items() if path in come or before[path] != text}
    for path in sorted(changed | left, key=lambda name: name.encode("utf-8", "replace")):
        old_path = renames.get(path)
        yield _file_change(path, before.get(old_path or path), after.get(path), old_path)


def _file_change(path: str, before: str | None, after: str | None, old_path: str | None) -> FileChange:
    binary = _binary(before or "") or _binary(after or "")
    text = "" if binary else patch(before or "", after or "")
    signs = Counter(line[:1] for line in text.split("\n"))
    return FileChange(
        path=path,
        status="R" if old_path else "A" if before is None else "D" if after is None else "M",
        old_path=old_path,
        added=signs["+"],
        deleted=signs["-"],
        binary=binary,
        old_mode="000000" if before is None else "100644",
        new_mode="000000" if after is None else "100644",
        old_blob=_NONE if before is None else blob_id(before),
        new_blob=_NONE if after is None else blob_id(after),
        patch=text,
    )


def _binary(text: str) -> bool:
    return "\0" in text[:_BINARY_WITHIN]


# --- renames -------------------------------------------------------------------------------------------------------


def _renames(gone: Texts, come: Texts) -> dict[str, str]:
    """New path -> old path: files without any change first, then those most alike."""
    found: dict[str, str] = {}
    left = {path: text for path, text in gone.items() if text}
    by_text: dict[str, list[str]] = {}
    for path, text in sorted(left.items()):
        by_text.setdefault(text, []).append(path)
    for path, text in sorted(come.items()):
        if same := by_text.get(text):
            found[path] = next((old for old in same if _base(old) == _base(path)), same[0])
            same.remove(found[path])
            del left[found[path]]
    rest = {path: text for path, text in come.items() if path not in found and text}
    if len(left) * len(rest) > _MOST_PAIRS:
        return found
    return found | _alike(left, rest)


def _alike(gone: Texts, come: Texts) -> dict[str, str]:
    lines = {path: Counter(re.split(r"(?<=\n)", text)) for some in (gone, come) for path, text in some.items()}
    pairs = [
        (share, _base(old) == _base(new), old, new)
        for new in come
        for old in gone
        if (share := _share(lines[old], lines[new], max(len(gone[old]), len(come[new])))) >= _SIMILAR
    ]
    found: dict[str, str] = {}
    taken: set[str] = set()
    for _, _, old, new in sorted(pairs, key=lambda pair: (-pair[0], not pair[1], pair[2], pair[3])):
        if new not in found and old not in taken:
            found[new] = old
            taken.add(old)
    return found


def _share(one: Counter[str], two: Counter[str], size: int) -> float:
    return sum(len(line) * min(count, two[line]) for line, count in one.items() if line in two) / size


def _base(path: str) -> str:
    return path.rpartition("/")[2]
