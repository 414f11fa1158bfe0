"""The files of the folder that Daybreak wrote, and the names that git gives to their contents."""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from daybreak.deliver.publish.folder import HEAD, OURS

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
    found = [file for file in _walk(out, "reports") if file.path.endswith(_PAGES) and _is_ours(out / file.path)]
    found += [file for file in _files(out, ["README.md"]) if _is_ours(out / file.path)]
    if site:
        found += _site(out)
    return sorted(found, key=lambda file: file.path)


def _walk(out: Path, folder: str) -> Iterator[Found]:
    for place, folders, names in os.walk(out / folder):
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


def _is_ours(path: Path) -> bool:
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
