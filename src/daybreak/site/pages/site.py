"""The whole site: one page when it is asked for, or all of them as files, of which only those that changed are written."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from itertools import product
from pathlib import Path, PurePosixPath

from msgspec import Struct

from daybreak.core.config import Settings
from daybreak.core.errors import NotOursError, WriteError
from daybreak.core.model.day import Day
from daybreak.report.archive import addresses
from daybreak.report.archive.beside import data_of, rollup_of
from daybreak.report.archive.interface import Archive
from daybreak.site.feed_formats import ATOM_MEDIA_TYPE as ATOM_TYPE
from daybreak.site.feed_formats import JSON_MEDIA_TYPE as JSON_TYPE
from daybreak.site.feed_formats import Feed, atom, json_feed
from daybreak.site.feeds import FeedMaker, installation
from daybreak.site.pages import SECTIONS, Asset, Ground, Section
from daybreak.site.pages.kept_summaries import Summaries
from daybreak.site.pages.rollups import told_in_feed
from daybreak.site.pages.summaries import DaySummary, RepoSummary
from daybreak.site.pages.templates import look_digest
from daybreak.store.report_files import ROLLUPS

# --- Writes a site into a folder: only what changed, each file at once, and never over a file that another wrote ---
# What was written stands in a list beside the pages (`.daybreak-site.json`: path -> digest of what the page depends on).
# A file that is not on it is somebody else's. The list is written before the first page and after the last one, so that
# a build that was killed knows its own files when it is started again.


MANIFEST = ".daybreak-site.json"
SCHEMA = "daybreak.site/1"
_STAGED = ".daybreak-staged"
_UNFINISHED = ""
"""Digest of a page that was about to be written: ours, and to be made again."""

_DIGITS = 10
"""Of a digest that the list has: it tells what changed, of as many files as a year has."""

Wanted = tuple[str, str, Callable[[str], Asset | None]]
"""Path, digest of what the page depends on, who makes it."""


class Built(Struct, frozen=True):
    """What a build did."""

    written: tuple[str, ...]
    kept: int
    removed: tuple[str, ...]


def write_site(out: Path, wanted: Iterable[Wanted]) -> Built:
    """Make `out` hold exactly the wanted pages; raises NotOursError before anything is written."""
    pages = {path: (digest[:_DIGITS], make) for path, digest, make in wanted}
    try:
        return _write(out, pages)
    except OSError as error:
        raise _in_words(error, out) from error


def _write(out: Path, pages: Mapping[str, tuple[str, Callable[[str], Asset | None]]]) -> Built:
    before = _manifest(out)
    due = [p for p, (digest, _) in pages.items() if before.get(p) != digest or not (out / p).is_file()]
    gone = [p for p in before if p not in pages]
    _refuse_foreign(out, (p for p in due if p not in before))
    if not due and not gone:
        return Built((), len(pages), ())
    _save(out, {**before, **dict.fromkeys(due, _UNFINISHED)})
    written = [p for p in due if _put(out, p, pages[p][1])]
    removed = [p for p in gone if _remove(out, p)]
    lost = set(due).difference(written)
    _save(out, {p: digest for p, (digest, _) in pages.items() if p not in lost})
    return Built(tuple(written), len(pages) - len(due), tuple(removed))


def _refuse_foreign(out: Path, paths: Iterable[str]) -> None:
    for path in paths:
        target = out / path
        if os.path.lexists(target):
            raise NotOursError(
                f"{target} was not written by Daybreak and is left alone.",
                "Choose an empty folder with --out, or move the file away.",
            )


def _put(out: Path, path: str, make: Callable[[str], Asset | None]) -> bool:
    """A page that stays the same is not written again: who copies the site elsewhere copies less."""
    asset = make(path)
    target = out / path
    if asset is None:  # the day went away while the site was built
        target.unlink(missing_ok=True)
        return False
    with suppress(OSError):
        if target.read_bytes() == asset.body:
            return True
    target.parent.mkdir(parents=True, exist_ok=True)
    _replace(target, asset.body)
    return True


def _replace(target: Path, body: bytes) -> None:
    staged = target.with_name(f"{_STAGED}-{target.name}")
    try:
        staged.write_bytes(body)
        staged.replace(target)
    finally:
        staged.unlink(missing_ok=True)


def _remove(out: Path, path: str) -> bool:
    """Together with the folders that this leaves empty."""
    try:
        (out / path).unlink()
    except OSError:
        return False
    for parent in PurePosixPath(path).parents:
        if str(parent) == ".":
            break
        with suppress(OSError):
            (out / parent).rmdir()
    return True


def _manifest(out: Path) -> dict[str, str]:
    """What is ours here; nothing where there is no list or none that can be read."""
    try:
        told = json.loads((out / MANIFEST).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except ValueError:
        return {}
    pages = told.get("pages") if isinstance(told, dict) and told.get("schema") == SCHEMA else None
    if not isinstance(pages, dict):
        return {}
    return {path: digest for path, digest in pages.items() if isinstance(digest, str) and _inside(path)}


def _inside(path: str) -> bool:
    """Whether a path of the list stays in the folder: the list may have been changed by anyone."""
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and ".." not in parts and "\\" not in path and "\0" not in path


def _save(out: Path, pages: Mapping[str, str]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    told = {"schema": SCHEMA, "pages": dict(sorted(pages.items()))}
    _replace(out / MANIFEST, (json.dumps(told, indent=0) + "\n").encode())


def _in_words(error: OSError, out: Path) -> WriteError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return WriteError(f"The disk is full: the site in {out} is not whole.", "Free some space and run again.")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return WriteError(
            f"{error.filename or out} may not be written.", "Check the permissions, or choose another --out."
        )
    tip = "Run again; what was written stays." if out.is_dir() else "Choose another place with --out."
    return WriteError(f"{out} could not be written: {error.strerror}.", tip)


_LATELY = 3
"""Days that a build holds as values: pages of a day are made one after the other."""


class Site:
    """All families of pages over one archive."""

    def __init__(self, archive: Archive, settings: Settings) -> None:
        self._archive, self._settings = archive, settings
        self._ground = Ground(archive, settings, look_digest())
        self._sections = [_section(target)(self._ground) for target in SECTIONS.values()]

    def keys(self) -> Iterator[tuple[str, str]]:
        """Every path of the site with the digest of what its page depends on."""
        for section in self._sections:
            yield from section.keys()

    def page(self, path: str) -> Asset | None:
        """Made now; None: there is no such page."""
        for section in self._sections:
            asset = section.page(path)
            if asset is not None:
                return asset
        return None

    def feed(self, path: str, base: str) -> Asset | None:
        """As `page`, with absolute links: feeds are read elsewhere."""
        found = (section.page(path, base) for section in self._sections if isinstance(section, FeedFiles))
        return next(found, None)

    def unreadable(self) -> list[str]:
        """Days whose report cannot be read; each has a page that says so."""
        return [one.label for one in Summaries.of(self._ground).days() if one.unreadable]

    def build(self, out: Path) -> Built:
        """The site as files: what did not change is not made, and nothing is touched that another wrote."""
        still = Site(_Still(self._archive), self._settings)
        return write_site(out, still.wanted())

    def wanted(self) -> Iterator[Wanted]:
        """Every path with its digest and with who makes it."""
        for section in self._sections:
            for path, digest in section.keys():  # noqa: SIM118  no dict
                yield path, digest, section.page


def _section(target: str) -> Callable[[Ground], Section]:
    module, _, name = target.partition(":")
    found: Callable[[Ground], Section] = getattr(import_module(module), name)
    return found


class _Still:
    """An archive that is asked once which days there are: a build sees one state, and asks little."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._digests = archive.digests()
        self._lately: dict[str, Day | None] = {}

    def labels(self) -> list[str]:
        return list(self._digests)

    def digest(self, label: str) -> str | None:
        return self._digests.get(label)

    def digests(self) -> dict[str, str]:
        return self._digests

    def day(self, label: str) -> Day | None:
        if label not in self._digests:
            return None
        if label not in self._lately:
            self._lately = {**dict(list(self._lately.items())[-_LATELY:]), label: self._archive.day(label)}
        return self._lately[label]

    def data(self, label: str) -> bytes | None:
        return self._archive.data(label) if label in self._digests else None


# --- The feeds as files of the site ---

FORMS = ("xml", "json")


class FeedFiles:
    """Overall, per repository and for breaking changes only, in each language and both formats."""

    def __init__(self, ground: Ground) -> None:
        self._ground, self._summaries = ground, Summaries.of(ground)
        self._maker = FeedMaker(
            ground.archive, addresses, installation(ground.settings), ground.settings.config.title or ""
        )
        self._base = ground.settings.config.publish.site_url

    def keys(self) -> Iterable[tuple[str, str]]:
        """A feed changes with the days that it has an entry of, and with no other."""
        digests, days = self._maker.days(), {one.label: one for one in self._summaries.days()}
        looked_at = {label: days[label] for label in digests if label in days}
        overall, spans = self._digest(digests, looked_at), self._spans_digest()
        broken = (label for label, day in looked_at.items() if _breaks(day))
        breaking = self._digest(digests, broken)
        of_repo = {
            name: self._digest(digests, (label for label, day in looked_at.items() if _told(day.repo(name))))
            for name in self._repos(days.values())
        }
        for language, form in product(self._ground.languages, FORMS):
            if spans:
                yield addresses.rollup_feed_path(language, form), spans
            yield addresses.feed_path(language, form), overall
            yield addresses.breaking_feed_path(language, form), breaking
            for name, digest in of_repo.items():
                yield addresses.repo_feed_path(language, name, form), digest

    def page(self, path: str, base: str = "") -> Asset | None:
        """`base`: where the site is as far as its reader knows it; what the config says of it goes before."""
        for language, form in product(self._ground.languages, FORMS):
            feed = self._feed(language, form, path)
            if feed is not None and form == "xml":
                return Asset(path, atom(feed, self._base or base), ATOM_TYPE)
            if feed is not None:
                return Asset(path, json_feed(feed, self._base or base), JSON_TYPE)
        return None

    def _feed(self, language: str, form: str, path: str) -> Feed | None:
        home = addresses.home_path(language)
        if path == addresses.feed_path(language, form):
            return self._maker.overall(language, path, home)
        if path == addresses.breaking_feed_path(language, form):
            return self._maker.breaking(language, path, home)
        if path == addresses.rollup_feed_path(language, form):
            found = [rollup_of(self._ground.settings.out, label) for label in told_in_feed(self._ground)]
            spans = [one for one in found if one is not None]
            return self._maker.rollups(language, path, addresses.calendar_path(language), spans) if spans else None
        if not (path.startswith(f"{language}/feeds/") and path.endswith(f".{form}")):
            return None
        for name in self._repos(self._summaries.days()):
            if path == addresses.repo_feed_path(language, name, form):
                return self._maker.of_repo(language, name, path, addresses.repo_path(language, name))
        return None

    def _spans_digest(self) -> str:
        """Empty: no week or month was rolled up."""
        out = self._ground.settings.out
        labels = [label for label in told_in_feed(self._ground) if rollup_of(out, label) is not None]
        data = b"".join(data_of(out, ROLLUPS, label) for label in labels)
        own = "\0".join((self._ground.look, self._base, installation(self._ground.settings)))
        return hashlib.sha256(own.encode() + data).hexdigest() if labels else ""

    def _digest(self, digests: dict[str, str], labels: Iterable[str]) -> str:
        depends = [
            self._ground.look,
            self._base,
            installation(self._ground.settings),
            *(f"{label} {digests[label]}" for label in labels),
        ]
        return hashlib.sha256("\n".join(depends).encode()).hexdigest()

    @staticmethod
    def _repos(days: Iterable[DaySummary]) -> list[str]:
        return sorted({repo.name for day in days for repo in day.repos})


def _breaks(day: DaySummary) -> bool:
    return any(one.breaking and not one.filtered for repo in day.repos for one in repo.changes)


def _told(repo: RepoSummary | None) -> bool:
    return repo is not None and bool(
        repo.changes
        or repo.releases
        or repo.issues_opened
        or repo.issues_closed
        or repo.pulls_opened
        or repo.pulls_merged
    )
