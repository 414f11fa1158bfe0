"""The fortnight before a window, as of its head: the changes that its stories may reach back to.

Messages and paths are read of all of them; that needs no file contents. Patches are read only of the few that a
story may rest on: changes whose lines a fix of the window takes away, and reverts whose files it touches again.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from daybreak.collect.git.chain import Chain, Selection, walk
from daybreak.collect.git.history import HistoryReader
from daybreak.collect.git.mirror import Mirror
from daybreak.collect.git.patches import FILES_KEPT, Budget, with_shown_paths
from daybreak.core.errors import GitError
from daybreak.core.file_cache import code_digest, keep_newest, read_kept
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, FileChange, Status, Window

# --- Changes that earlier days of a run have read with their patches, for the day after that looks back at them ---
# What is given from here is what git would say again: only changes that were read whole are held, and whoever takes
# them sees to it that his own limit would not have cut them either.


HELD = 16 << 20
"""Bytes of patches, of all repositories together: a fortnight of a busy one."""


class Whole(Struct, frozen=True):
    """A change with all of its patches, as `git log -p` tells it."""

    change: Change
    size: int
    """Bytes that its patches had in git's words, at most."""


class Recalled:
    """Whole changes by repository and commit; of the oldest ones nothing is left when it gets too much."""

    def __init__(self, most: int = HELD) -> None:
        self._most, self._held = most, 0
        self._known: dict[tuple[str, str], Whole] = {}
        self._lock = threading.Lock()

    def keep(self, changes: Sequence[Change]) -> None:
        """Nothing of a day with a hole: around one, commits are read in other ways."""
        if any(change.skipped or any(file.skipped for file in change.files) for change in changes):
            return
        found = [Whole(_plain(c), _size(c)) for c in changes if _is_whole(c)]
        with self._lock:
            for one in found:
                self._drop((one.change.repo, one.change.sha))
                self._known[one.change.repo, one.change.sha] = one
                self._held += one.size
            while self._held > self._most:
                self._drop(next(iter(self._known)))

    def of(self, repo: str, shas: Iterable[str], zone: tzinfo) -> dict[str, Whole]:
        """Those that are held and tell their times in this zone."""
        with self._lock:
            found = {sha: self._known[repo, sha] for sha in shas if (repo, sha) in self._known}
        return {sha: one for sha, one in found.items() if one.change.committed_at.tzinfo == zone}

    def _drop(self, key: tuple[str, str]) -> None:
        old = self._known.pop(key, None)
        self._held -= old.size if old else 0


def _plain(change: Change) -> Change:
    """As the stream of patches tells it."""
    if not (change.merged or change.filtered):
        return change
    return replace(change, author=change.merged_by or change.author, merged_by="", merged=(), filtered=False)


def _is_whole(change: Change) -> bool:
    return change.files_total == len(change.files) and not any(file.patch_cut for file in change.files)


def _size(change: Change) -> int:
    """What git wrote was no longer: each byte that is no UTF-8 became three, and one line break may be gone."""
    return sum(1 + (len(f.patch) if f.patch.isascii() else len(f.patch.encode())) for f in change.files)


def listed(change: Change) -> Change | None:
    """The change as git tells it without patches and renames; None when that cannot be told from it."""
    if any(file.status == "C" or file.skipped for file in change.files):
        return None
    files = [one for file in change.files for one in _apart(file)]
    if len(files) > len(change.files):
        # git sorts by bytes, of which some may be lost, and keeps so many files.
        if len(files) > FILES_KEPT or not all(file.path.isascii() for file in files):
            return None
        files.sort(key=lambda file: file.path)
    total = change.files_total + len(files) - len(change.files)
    return replace(change, files=tuple(files), files_total=total, added=0, deleted=0)


def _apart(file: FileChange) -> tuple[FileChange, ...]:
    """The file without its patch; one that was renamed went from one place and came to another."""
    if file.status != "R":
        return (_bare(file.path, file.status, file.old_mode, file.new_mode, file.old_blob, file.new_blob),)
    nothing, no_mode = "0" * len(file.old_blob), "000000"
    gone = _bare(file.old_path or "", "D", file.old_mode, no_mode, file.old_blob, nothing)
    return gone, _bare(file.path, "A", no_mode, file.new_mode, nothing, file.new_blob)


def _bare(path: str, status: Status, old_mode: str, new_mode: str, old_blob: str, new_blob: str) -> FileChange:
    return FileChange(path, status, None, 0, 0, False, old_mode, new_mode, old_blob, new_blob)


def adds_one_of(change: Change, gone: Mapping[str, Collection[str]]) -> bool | None:
    """Whether it adds a line that is gone from the same path; None when git has to be asked about those paths alone.

    A file that came from elsewhere is a rename in the whole change, and all new when only its path is looked at.
    """
    ours = [file for file in change.files if file.path in gone or file.old_path in gone]
    if any(file.status in "RCT" for file in ours):
        return None
    if any(file.status == "A" for file in ours) and any(file.status == "D" for file in change.files):
        return None
    return has_one_of(ours, gone)


def has_one_of(files: Iterable[FileChange], gone: Mapping[str, Collection[str]]) -> bool:
    """Whether one of the files' patches adds a line that is gone from that file."""
    for file in files:
        lines = gone.get(file.path, ())
        if lines and any(x[:1] == "+" and x[1:].strip() in lines for x in file.patch.split("\n")):
            return True
    return False


DAYS = 14
_ANSWERS_KEPT = 40
_SMALL_DELETED = 80
"""A fix takes few lines away; more than that is a rewrite, whose lines say nothing of who was at fault."""
_SMALL_FILES = 12
_PATHS = 200
"""Paths that one look at patches asks for."""
_PER_PATH = 10
_KEPT = 4 << 20
_NAMED = 20
_SHORT = 16
_FIX = re.compile(
    r"\b(?:bug|hot)?fix|\brevert|\brestore|\bcorrect|\brepair|\bregress|\bbroken?\b|\bbug\b", re.IGNORECASE
)
_REVERT = re.compile(r"\brevert|\broll(?:ed|ing)?[ -]?back\b|\bback(?:ed|ing)? out\b", re.IGNORECASE)
_ASIDE = re.compile(r"(?:^|/)(?:tests?|docs?|\.github|\.buildkite|benchmarks?|examples?)/|\.(?:md|rst|json|lock)$")
_SHA = re.compile(r"(?<![\w/@-])[0-9a-f]{9,40}\b")
_SHORT_SHA = 9
_NUMBER = re.compile(r"\s*\(#\d{1,9}\)\s*$")

_DECODER = msgspec.msgpack.Decoder(tuple[Change, ...])
"""Made once, before there are threads: two that find out about a type at the same time crash msgspec."""


class Seen(Struct, frozen=True):
    """What the days before have read of a repository; it spares git the same work, and never changes an answer."""

    recalled: Recalled = field(default_factory=Recalled)
    files: dict[str, Change] = field(default_factory=dict)
    """sha -> what was read of it for the day before, without patches."""


class RecentReader:
    """Reads what stands before the window in one mirror."""

    def __init__(
        self,
        git: Git,
        mirror: Mirror,
        repo: str,
        window: Window,
        seen: Seen | None = None,
        keeps: bool = True,
    ) -> None:
        self._git, self._mirror, self._repo, self._window = git, mirror, repo, window
        self._zone = ZoneInfo(window.timezone)
        self._seen, self._keeps = seen or Seen(), keeps
        self._faulty = False
        """Something could not be read; it may be there the next time, so that such an answer is not kept."""

    def read(self, chain: Chain, chosen: Selection, changes: Sequence[Change]) -> tuple[Change, ...]:
        """Newest first; nothing when the window is empty, and less when an object cannot be read."""
        if not changes or chosen.head is None:
            return ()
        path = self._path(chosen)
        found = _kept(path, self._zone)
        if found is None:
            before = self._git.faults.count(self._mirror.path)
            found = self._read_now(chain, chosen, changes)
            faulty = self._faulty or self._git.faults.count(self._mirror.path) > before
            if self._keeps and not faulty and not any(change.skipped for change in changes):
                _keep(path, found)
        return found

    def _path(self, chosen: Selection) -> Path:
        """Where the answer is kept: it follows from these commits, this window and this very code."""
        window = f"{self._window.since.isoformat()} {self._window.until.isoformat()} {self._window.timezone}"
        parts = [
            code_digest("collect/git", "core/model"),
            window,
            chosen.head or "",
            *chosen.commits,
            "late",
            *chosen.late,
        ]
        name = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]
        return self._mirror.path / "daybreak-recent" / f"{name}.recent"

    def _read_now(self, chain: Chain, chosen: Selection, changes: Sequence[Change]) -> tuple[Change, ...]:
        assert chosen.head is not None
        try:
            line, top = self._line(chain, chosen.head)
            found = self._files(self._before(line, top, chosen, changes))
        except GitError:
            self._faulty = True
            return ()
        return self._with_patches(found, changes)

    def _files(self, shas: Sequence[str]) -> list[Change]:
        """Messages and paths; those that the day before has read are not asked for again."""
        files = self._seen.files
        known = {sha: files[sha] for sha in shas if sha in files and files[sha].committed_at.tzinfo == self._zone}
        whole = self._seen.recalled.of(self._repo, [sha for sha in shas if sha not in known], self._zone)
        known.update((sha, told) for sha, one in whole.items() if (told := listed(one.change)) is not None)
        read = [with_shown_paths(c) for c in self._log([sha for sha in shas if sha not in known], "files")]
        if self._faulty:
            return [with_shown_paths(c) for c in self._log(shas, "files")]
        known.update((change.sha, change) for change in read)
        files.clear()
        files.update(known)
        return [known[sha] for sha in shas if sha in known]

    def _line(self, chain: Chain, head: str) -> tuple[Chain, int]:
        """The branch from the window's head down; a head that was pushed away has a line of its own."""
        top = chain.index(head)
        return (chain, top) if top is not None else (walk(self._git, self._mirror.path, head), 0)

    def _before(self, line: Chain, top: int, chosen: Selection, changes: Sequence[Change]) -> list[str]:
        since = self._window.since
        ours = {*chosen.commits, *chosen.late}
        places = line.between(since - timedelta(days=DAYS), since, top)
        shas = [sha for sha in (line.sha(i) for i in places) if sha not in ours]
        # A message may give the sha of an older change in full: a revert does.
        texts = (c.body[:4000] for c in changes if _is_revert(c.subject))
        named = dict.fromkeys(sha for text in texts for sha in _SHA.findall(text))
        known = ours.union(shas)
        for sha in list(named)[:_NAMED]:
            place = line.starting_with(sha)
            if place is not None and place > top and line.sha(place) not in known:
                shas.append(line.sha(place))
        return shas

    # --- patches where they are needed -------------------------------------------------------------------------------

    def _with_patches(self, found: Sequence[Change], changes: Sequence[Change]) -> tuple[Change, ...]:
        touched = {f.path for c in changes for f in c.files}
        reverts = [c for c in found if _is_revert(c.subject) and touched & {f.path for f in c.files}]
        # How much of a change a revert takes back shows only beside its lines.
        back = _named(found, [*(c for c in changes if _is_revert(c.subject)), *reverts])
        wanted = list(dict.fromkeys([*(c.sha for c in reverts), *back, *self._origins(found, changes)]))
        read = self._whole(wanted)
        return tuple(read.get(c.sha, c) for c in found)

    def _whole(self, shas: Sequence[str]) -> Mapping[str, Change]:
        """The changes with all their patches; those that were read before are read again only where git would cut."""
        known = self._seen.recalled.of(self._repo, shas, self._zone)
        rest = [sha for sha in shas if sha not in known]
        read = self._uncut(rest, (), sum(one.size for one in known.values()))
        if read is None:
            return {c.sha: c for c in self._patches(shas, (), _KEPT)}
        self._seen.recalled.keep(read)
        return {sha: one.change for sha, one in known.items()} | {c.sha: c for c in read}

    def _origins(self, found: Sequence[Change], changes: Sequence[Change]) -> list[str]:
        """Earlier changes that added a line which a small fix of the window takes away, in the same file."""
        gone = _gone(c for c in changes if _is_small_fix(c))
        near = [c.sha for c in _nearest(found, gone)]
        paths = list(gone)[:_PATHS]
        known = self._seen.recalled.of(self._repo, near if len(gone) <= _PATHS else (), self._zone)
        told = {sha: adds_one_of(one.change, gone) for sha, one in known.items()}
        sure = {sha: adds for sha, adds in told.items() if adds is not None}
        read = self._uncut([sha for sha in near if sha not in sure], paths, sum(known[sha].size for sha in sure))
        if read is None:
            read, sure = self._patches(near, paths, _KEPT), {}
        adds = {sha for sha, true in sure.items() if true} | {c.sha for c in read if has_one_of(c.files, gone)}
        return [sha for sha in near if sha in adds]

    def _uncut(self, shas: Sequence[str], paths: Sequence[str], taken: int) -> list[Change] | None:
        """Patches beside others of that size; None when the limit or a fault might have cut any of them."""
        if taken >= _KEPT:
            return None
        read = self._patches(shas, paths, _KEPT - taken)
        if not taken:
            return read
        cut = any(file.patch_cut for change in read for file in change.files)
        return None if cut or (self._faulty and shas) else read

    def _patches(self, shas: Sequence[str], paths: Sequence[str], room: int) -> list[Change]:
        try:
            return self._log(shas, "patch", paths, room)
        except GitError:
            self._faulty = True
            return []

    def _log(
        self, shas: Sequence[str], detail: Literal["patch", "files"], paths: Sequence[str] = (), room: int = 0
    ) -> list[Change]:
        """The changes that git can read before it meets a fault; `room`: bytes of patches that are kept."""
        if not shas:
            return []
        reader = HistoryReader(self._git, self._mirror.path, self._repo, self._zone, Budget(room))
        found, whole = reader.before_fault(shas, *(f":(literal,top){path}" for path in paths), detail=detail)
        self._faulty = self._faulty or not whole
        return found


def _kept(path: Path, zone: ZoneInfo) -> tuple[Change, ...] | None:
    try:
        found = _DECODER.decode(read_kept(path) or b"")
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    # What is kept knows the moment, but no zone: a report would tell it in another one than the first time.
    return tuple(
        replace(c, authored_at=c.authored_at.astimezone(zone), committed_at=c.committed_at.astimezone(zone))
        for c in found
    )


def _keep(path: Path, found: tuple[Change, ...]) -> None:
    """A full disk costs speed, not the report."""
    with suppress(UnicodeError):
        keep_newest(path, msgspec.msgpack.encode(found), _ANSWERS_KEPT)


@lru_cache(maxsize=2048)
def _is_revert(subject: str) -> bool:
    """Asked of each change on every day of a fortnight."""
    return bool(_REVERT.search(subject[:400]))


def _named(found: Iterable[Change], reverts: Sequence[Change]) -> list[str]:
    """Those whose title or id a revert gives."""
    said = [(" ".join(c.subject[:400].lower().split()), c.body[:4000]) for c in reverts]
    shas = {sha[:_SHORT_SHA] for _, body in said for sha in _SHA.findall(body)}
    titles = ((c.sha, " ".join(_NUMBER.sub("", c.subject[:400]).lower().split())) for c in found) if said else ()
    return [sha for sha, one in titles if sha[:_SHORT_SHA] in shas or (one and any(one in title for title, _ in said))]


def _is_small_fix(change: Change) -> bool:
    small = 0 < change.deleted <= _SMALL_DELETED and change.files_total <= _SMALL_FILES
    return small and bool(_FIX.search(change.subject[:400]))


def _gone(fixes: Iterable[Change]) -> dict[str, set[str]]:
    """Telling lines that fixes take away, by path."""
    out: dict[str, set[str]] = {}
    for fix in fixes:
        for file in fix.files:
            lines = {x[1:].strip() for x in file.patch.split("\n") if x[:1] == "-"}
            lines = {x for x in lines if len(x) >= _SHORT}
            if lines and "\ufffd" not in file.path and not _ASIDE.search(file.path):
                out.setdefault(file.old_path or file.path, set()).update(lines)
    return out


def _nearest(found: Sequence[Change], paths: Collection[str]) -> list[Change]:
    """The newest changes of each path: in a file that everybody touches, older ones are worth no look."""
    seen: Counter[str] = Counter()
    out: list[Change] = []
    for change in found if paths else ():
        shared = [f.path for f in change.files if f.path in paths and seen[f.path] < _PER_PATH]
        seen.update(shared)
        out += [change] if shared else []
    return out
