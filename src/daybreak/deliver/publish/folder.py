"""The folder of pages: all of them written or none, never over a file that is not ours."""

from __future__ import annotations

import errno
import hashlib
import os
import posixpath
import re
import signal
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from daybreak.core.errors import NotOursError, WriteError
from daybreak.core.model.report import Page, Receipt

OURS = (
    b"<!-- daybreak.report/",
    b"<!-- daybreak.range/",
    b"<!-- daybreak.index/",
    b"<!-- daybreak.rollup/",
    b'{\n "schema": "daybreak.report/',
    b'{\n "schema": "daybreak.range/',
    b'{\n "schema": "daybreak.rollup/',
)
HEAD = 200
_STAGED = ".daybreak-staged"


class FolderPublisher:
    """Stages every file beside its place, then renames them; the last page given is renamed last."""

    def __init__(self, out: Path) -> None:
        self._out = out

    def refuse_foreign(self, paths: Iterable[str]) -> None:
        """Raise for the first file that stands in the way and was not written by Daybreak."""
        for path in paths:
            target = self._out / path
            if target.is_dir():
                raise NotOursError(f"{target} is a folder.", "Move it away, or choose another folder with `out`.")
            if not _is_ours(target):
                raise NotOursError(
                    f"{target} was not written by Daybreak and is left alone.",
                    "Choose a folder of its own with `out`, or move the file away.",
                )

    def publish(self, pages: Sequence[Page]) -> Receipt:
        """Write what differs."""
        self.refuse_foreign(page.path for page in pages)
        changed = [page for page in pages if not _holds(self._out / page.path, page.text)]
        staged: list[tuple[Path, Path]] = []
        try:
            _clear_leftovers({(self._out / page.path).parent for page in pages})
            for page in changed:
                target = self._out / page.path
                ready = target.with_name(f"{_STAGED}-{target.name}")
                staged.append((ready, target))
                _stage(ready, page.text)
            with uninterrupted():
                _rename_all(staged)
        except OSError as error:
            raise _in_words(error, self._out) from error
        finally:
            for ready, _ in staged:
                with suppress(OSError):
                    ready.unlink()
        kept = {page.path for page in changed}
        return Receipt("folder", tuple(p.path for p in changed), tuple(p.path for p in pages if p.path not in kept))


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C waits for the few milliseconds in which files get their names, so that all of them do."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []
    before = {
        number: signal.signal(number, lambda n, _: waiting.append(n)) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if waiting:
            signal.raise_signal(waiting[0])


def _clear_leftovers(folders: Iterable[Path]) -> None:
    """A run that was killed leaves what it had staged; the folder's lock says that nobody else is at it."""
    for folder in folders:
        for leftover in folder.glob(f"{_STAGED}-*"):
            leftover.unlink(missing_ok=True)


def _stage(ready: Path, text: str) -> None:
    ready.parent.mkdir(parents=True, exist_ok=True)
    with ready.open("wb") as file:
        file.write(text.encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())


def _rename_all(staged: Sequence[tuple[Path, Path]]) -> None:
    """Give every file its name; if one cannot have it, those before it get back what they held."""
    before: list[tuple[Path, bytes | None]] = []
    try:
        for ready, target in staged:
            before.append((target, target.read_bytes() if target.exists() else None))
            ready.replace(target)
    except OSError:
        for target, held in before[:-1]:
            if held is None:
                target.unlink(missing_ok=True)
            else:
                target.write_bytes(held)
        raise


def _is_ours(path: Path) -> bool:
    """Whether the file may be replaced: there is none, or it begins with our mark."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return head.startswith(OURS)


def _holds(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() == text.encode("utf-8")
    except OSError:
        return False


def _in_words(error: OSError, out: Path) -> WriteError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return WriteError(f"The disk is full: {out} was left as it was.", "Free some space and run again.")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return WriteError(
            f"{error.filename or out} may not be written.", "Check the permissions, or choose another `out`."
        )
    return WriteError(f"{out} could not be written: {error.strerror}.", "Nothing was published; run again.")


# --- The files of the folder that Daybreak wrote, and the names that git gives to their contents ---

_PAGES = (".md", ".json")
_CACHE = "daybreak-files.json"


class Found(Struct, frozen=True):
    """A file of ours; `path` is relative to the folder, with forward slashes."""

    path: str
    changed: int
    """Nanoseconds of its last change."""
    size: int


def own_files(out: Path, *, site: bool = False) -> list[Found]:
    """The index, the reports and, when asked for, the site; what somebody else put beside them is left out."""
    found = [file for file in _walk(out) if file.path.endswith(_PAGES) and _own_files_is_ours(out / file.path)]
    found += [
        file
        for file in _files(out, sorted(p.name for p in out.glob("README*.md")))
        if _own_files_is_ours(out / file.path)
    ]
    if site:
        found += _site(out)
    return sorted(found, key=lambda file: file.path)


def _walk(out: Path) -> Iterator[Found]:
    for place, folders, names in os.walk(out / "reports"):
        folders.sort()
        inside = Path(place).relative_to(out).as_posix()
        yield from _files(out, [f"{inside}/{name}" for name in sorted(names) if not name.startswith(".")])


def _files(out: Path, paths: list[str]) -> Iterator[Found]:
    for path in paths:
        target = out / path
        # A name that git's list of paths cannot carry is not one that we gave.
        if "\n" in path or '"' in path or target.is_symlink():
            continue
        with suppress(OSError):
            told = target.stat()
            if target.is_file():
                yield Found(path, told.st_mtime_ns, told.st_size)


def _site(out: Path) -> Iterator[Found]:
    """As the list beside the site has it."""
    name = "site/.daybreak-site.json"
    try:
        told = msgspec.json.decode((out / name).read_bytes())
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return
    pages = told.get("pages") if isinstance(told, dict) else None
    inside = [path for path in pages if ".." not in path.split("/")] if isinstance(pages, dict) else []
    yield from _files(out, [name, *(f"site/{path}" for path in sorted(inside) if not path.startswith("/"))])


def _own_files_is_ours(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(HEAD).startswith(OURS)
    except OSError:
        return False


class Blobs:
    """Names of contents, remembered by time and size: a year of reports is not read again for one new day."""

    def __init__(self, place: Path, form: str) -> None:
        self._path, self._form = place / _CACHE, form
        self._known: dict[str, tuple[int, int, str]] = {}
        self._new: dict[str, tuple[int, int, str]] = {}
        with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
            self._known = msgspec.json.decode(self._path.read_bytes(), type=dict[str, tuple[int, int, str]])

    def oid(self, out: Path, file: Found) -> str:
        """What git calls the file's content."""
        key = f"{self._form} {out / file.path}"
        known = self._known.get(key)
        if known is None or known[:2] != (file.changed, file.size):
            data = (out / file.path).read_bytes()
            digest = hashlib.new(self._form, b"blob %d\0" % len(data), usedforsecurity=False)
            digest.update(data)
            known = (file.changed, file.size, digest.hexdigest())
        self._new[key] = known
        return known[2]

    def save(self) -> None:
        """What was asked for is kept, the rest let go."""
        if self._new == self._known:
            return
        with suppress(OSError):  # without it the next run reads more
            staged = self._path.with_suffix(".new")
            staged.write_bytes(msgspec.json.encode(self._new))
            staged.replace(self._path)


# --- Where the links of a page lead when the page is read elsewhere: to where the folder was published, or nowhere ---


_ON_GITHUB = re.compile(
    r"(?:https?|ssh|git)://(?:[^/@]*@)?(?:www\.|ssh\.)?github\.com(?::\d+)?/(?P<name>[^/]+/[^/]+?)(?:\.git)?/?"
)
_BY_SSH = re.compile(r"(?:[^/@]+@)?github\.com:(?P<name>[^/]+/[^/]+?)(?:\.git)?/?")
_DAY = re.compile(r"reports/(?P<day>\d{4}-\d\d-\d\d)(?P<repo>/[\w.-]+?)?(?P<language>\.[a-z]{2})?\.md")
_SAFE = re.compile(r"https?://[^\s()<>\"'`\\|]+")


class Links(Struct, frozen=True):
    """Of a page in `reports/`."""

    main: str
    """Language of the main edition, whose files name none."""
    pages: str = ""
    """Address under which the folder's Markdown can be read, without a slash at the end."""
    site: str = ""
    """Address of the site."""
    silent: tuple[str, ...] = ()
    """Hosts of a GitHub that has no address for links without backlinks: what leads there is not linked."""

    def __call__(self, target: str) -> str | None:
        """The address in its new place; None: no link."""
        if "://" in target:
            return self._elsewhere(target)
        path, _, anchor = target.partition("#")
        whole = posixpath.normpath(posixpath.join("reports", path)) if path else ""
        # Headings of an issue have no anchors, and what lies outside the folder is not published.
        return None if not whole or whole.startswith(("..", "/")) or ":" in target else self.place(whole, anchor)

    def place(self, path: str, anchor: str = "") -> str | None:
        """Where a file of the folder can be read."""
        if self.pages:
            return f"{self.pages.rstrip('/')}/{path}" + (f"#{anchor}" if anchor else "")
        found = _DAY.fullmatch(path)
        if not self.site or not found:
            return None
        language = (found["language"] or f".{self.main}")[1:]
        within = f"#r-{found['repo'][1:]}" if found["repo"] else ""
        return f"{self.site.rstrip('/')}/{language}/days/{found['day']}.html{within}"

    def _elsewhere(self, target: str) -> str | None:
        if not _SAFE.fullmatch(target):
            return None
        try:
            parts = urlsplit(target)
            host = (parts.hostname or "").lower()
        except ValueError:
            return None
        if parts.username is not None or host in self.silent:
            return None
        if self.pages and target.startswith(f"{self.pages.rstrip('/')}/"):
            return target
        if host in ("github.com", "www.github.com"):
            return parts._replace(scheme="https", netloc="redirect.github.com").geturl()
        return target


def blob_address(address: str, branch: str, folder: str) -> str:
    """Where GitHub shows what was pushed to a repository of it; empty for any other place."""
    found = _ON_GITHUB.fullmatch(address) or _BY_SSH.fullmatch(address)
    inside = f"/{folder}" if folder else ""
    return f"https://github.com/{found['name']}/blob/{branch}{inside}" if found else ""
