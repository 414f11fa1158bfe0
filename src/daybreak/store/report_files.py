"""Memory in the folder of reports: what each written DATE.json says, for which inputs it was written, and whose watchlist."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import Struct

from daybreak.core.checkpoint import Broken, Recorded
from daybreak.core.config import Settings
from daybreak.core.day_json import known, view
from daybreak.core.errors import ConfigError, DaybreakError
from daybreak.core.model.day import Day, RepoDay
from daybreak.core.model.report import Page
from daybreak.core.windows import last_day
from daybreak.store import Store

ROLLUPS = "reports"
"""Weeks (`2026-W29.json`) and months (`2026-07.json`), beside the days."""
RANGES = "reports/range"
"""Upgrade reports, beside the days."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d\.json")


_VIEW = view(
    "schema",
    "window",
    "languages",
    "tool.version",
    "coverage.skipped.what",
    "repos.name",
    "repos.branch",
    "repos.head",
    *(f"repos.{place}.{field}" for place in ("commits", "late") for field in ("sha", "committed_at", "released")),
    "repos.rewritten",
    "repos.completed",
    "repos.stories.commits",
    "repos.stories.broken",
    "repos.stories.earlier",
    "revised",
)
"""Only the fields that memory needs."""


def is_told(out: Path, month: str) -> bool:
    """Whether the page of a month is its roll-up, or the run of its last day makes it that."""
    return any((out / "reports" / f"{name}.json").is_file() for name in (month, last_day(month)))


def index_file(language: str, languages: Sequence[str]) -> str:
    """`README.md` in the main language, `README.en.md` and so on in the others."""
    return f"README{ending_of(language, languages)}"


def ending_of(language: str, languages: Sequence[str]) -> str:
    """`.md` in the main language, `.en.md` and so on in the others."""
    return ".md" if language == languages[0] else f".{language}.md"


class ReportFiles:
    """The `reports/` folder as memory."""

    def __init__(self, out: Path) -> None:
        self._folder = out / "reports"
        self._load = lru_cache(maxsize=64)(self._read)

    def labels(self) -> list[str]:
        """Days with a report, oldest first."""
        if not self._folder.is_dir():
            return []
        return sorted(p.name.removesuffix(".json") for p in self._folder.iterdir() if _DAY.fullmatch(p.name))

    def path(self, label: str) -> Path:
        return self._folder / f"{label}.json"

    def data(self, label: str) -> bytes:
        """The day's JSON, which was looked through."""
        self._load(label)
        return self.path(label).read_bytes()

    def digest(self, label: str) -> str:
        return hashlib.sha256(self.path(label).read_bytes()).hexdigest()

    def day(self, label: str, repo: str) -> Recorded | None:
        return self._record(label, repo) if self.path(label).is_file() else None

    def earlier(self, label: str, repo: str) -> Iterator[Recorded]:
        return self._records((day for day in reversed(self.labels()) if day < label), repo)

    def later(self, label: str, repo: str) -> Iterator[Recorded]:
        return self._records((day for day in self.labels() if day > label), repo)

    def repositories(self, label: str) -> list[str]:
        """Names of the repositories that the day was reported with."""
        return [repo.name for repo in self._load(label).repos] if self.path(label).is_file() else []

    def main_language(self) -> str | None:
        """Language of the main edition, as the newest report has it."""
        newest = self.labels()[-1:]
        return next(iter(self._load(newest[0]).languages), None) if newest else None

    def forget(self) -> None:
        """Read that day anew next time: it was just written."""
        self._load.cache_clear()

    def whole(self, label: str) -> bool:
        """A closed day that was reported with nothing skipped."""
        return whole(self._load(label))

    def _records(self, labels: Iterator[str], repo: str) -> Iterator[Recorded]:
        for label in labels:
            record = self._record(label, repo)
            if record is not None:
                yield record

    def _record(self, label: str, name: str) -> Recorded | None:
        return recorded(self._load(label), label, name)

    def _read(self, label: str) -> Day:
        path = self.path(label)
        try:
            report = decode_report(path.read_bytes())
            if report.window.label != label:
                raise msgspec.ValidationError(f"it is of {report.window.label!r}")
            return report
        except (msgspec.DecodeError, UnicodeDecodeError, OSError) as error:
            raise unreadable(str(path), error) from error


def decode_report(data: bytes) -> Day:
    """What memory needs of a written DATE.json; raises what msgspec raises when it is none."""
    return known(_VIEW(data))


def unreadable(what: str, error: Exception) -> DaybreakError:
    return DaybreakError(
        f"{what} cannot be read as a report ({type(error).__name__}).",
        "It is the memory of that day: restore it, or move it away to have the day reported anew.",
    )


def whole(report: Day) -> bool:
    """A closed day that was reported with nothing skipped."""
    return not report.window.open and not report.coverage.skipped


def recorded(report: Day, label: str, name: str) -> Recorded | None:
    """One repository's part of a report, as memory speaks of it."""
    repo = next((r for r in report.repos if r.name == name), None)
    if repo is None:
        return None
    faults = [s for s in report.coverage.skipped if s.what == name or s.what.startswith(name + " ")]
    commits = {c.sha for c in (*repo.commits, *repo.late)}
    return Recorded(
        label=label,
        since=report.window.since,
        until=report.window.until,
        open=report.window.open,
        complete=not faults,
        branch=repo.branch,
        head=repo.head,
        commits=tuple(c.sha for c in repo.commits),
        late=tuple(c.sha for c in repo.late),
        released={c.sha: c.released for c in (*repo.commits, *repo.late) if c.released},
        rewritten=repo.rewritten,
        revised=tuple(sha for sha in report.revised if sha in commits),
        skipped=tuple(s.what for s in faults),
        completed=repo.completed,
        broken=tuple(_broken(repo)),
    )


def _broken(repo: RepoDay) -> Iterator[Broken]:
    """Spans that began on an earlier day; the repair is the commit made when the span ended."""
    made = {commit.sha: commit.committed_at for commit in (*repo.commits, *repo.late)}
    for story in repo.stories:
        if story.broken and story.broken.shown and story.commits and story.commits[0] in story.earlier:
            times = {**made, **story.earlier}
            repair = next((sha for sha in story.commits if times.get(sha) == story.broken.end), story.commits[-1])
            yield Broken(story.commits[0], repair, story.broken.start, story.broken.end)


# --- Notes of what was written for which inputs: a run with nothing new has nothing to do, and without them only more ---


class _Record(Struct):
    fingerprint: str
    files: dict[str, str]


def fingerprint(*parts: bytes | str) -> str:
    """One name for all that decides a report besides git itself."""
    digest = hashlib.sha256()
    for part in parts:
        data = os.fsencode(part) if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


class Published:
    """Small notes in the state folder: which files a set of inputs led to."""

    def __init__(self, state: Path, out: Path) -> None:
        self._folder, self._out = state / "published", out

    def holds(self, name: str, inputs: str) -> bool:
        """The same inputs led to just the files that are there now."""
        record = self._read(name)
        return (
            record is not None
            and record.fingerprint == inputs
            and all(_digest(self._out / path) == digest for path, digest in record.files.items())
        )

    def _read(self, name: str) -> _Record | None:
        try:
            return msgspec.json.decode((self._folder / f"{name}.json").read_bytes(), type=_Record)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None

    def remember(self, name: str, inputs: str, pages: Iterable[Page]) -> None:
        self._write(name, _Record(inputs, digests(pages)))

    def amend(self, pages: Iterable[Page]) -> None:
        """Pages of days before got a note: they are still just what was written."""
        now = digests(pages)
        for label in sorted(set(map(_day, now))):
            record = self._read(label)
            if record is not None:
                files = {path: now.get(path, digest) for path, digest in record.files.items()}
                self._write(label, _Record(record.fingerprint, files))

    def _write(self, name: str, record: _Record) -> None:
        staged = self._folder / f"{name}.new"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            staged.write_bytes(msgspec.json.encode(record))
            staged.replace(self._folder / f"{name}.json")
        except OSError:
            # The pages are published; without this note the next run only has more to do.
            with suppress(OSError):
                staged.unlink(missing_ok=True)


def digests(pages: Iterable[Page]) -> dict[str, str]:
    """Path -> SHA-256."""
    return {page.path: hashlib.sha256(page.text.encode("utf-8", "surrogateescape")).hexdigest() for page in pages}


def _day(path: str) -> str:
    """The day of `reports/DAY.md` or `reports/DAY/NAME.md`."""
    return path.split("/")[1][:10]


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


# --- Whether a store is that of a config: days are named by their date, so two watchlists in one store would mix ---

COMPARED = 60
"""Newest reports of the folder among which one of the store is looked for."""
_ODD = (DaybreakError, msgspec.MsgspecError, ValueError, TypeError)
"""What damage in a row looks like; `status` and `doctor` tell of it."""


def refuse_other(store: Store, settings: Settings) -> None:
    """Raise when the newest report in the store is of another watchlist, and none of `out` is in the store.

    A watchlist that only grew or only shrank is the same one; a folder whose reports are in the store is its own.
    """
    watched = {repo.name.lower(): repo.name for repo in settings.config.repo}
    told = _newest(store)
    missing = [name for key, name in told.items() if key not in watched]
    shrank = watched.keys() <= told.keys()
    if not missing or shrank or _has_its_own(store, settings):
        return
    raise ConfigError(
        f"The store holds the reports of another watchlist: {missing[0]} is not in this one.",
        "Name a `store` of its own in daybreak.toml: days are named by their date, and would replace each other.",
    )


def _newest(store: Store) -> dict[str, str]:
    """Repositories of the newest report; none of one that cannot be read, which others tell of."""
    with suppress(*_ODD):
        if labels := store.labels():
            return {name.lower(): name for name in store.repositories(labels[-1])}
    return {}


def _has_its_own(store: Store, settings: Settings) -> bool:
    files = ReportFiles(settings.out)
    with suppress(OSError, *_ODD):
        known = store.report_digests()
        return any(known.get(label) == files.digest(label) for label in reversed(files.labels()[-COMPARED:]))
    return False
