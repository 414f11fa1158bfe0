"""Small builders: items of a forge, entries and sides from a few words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import replace

from daybreak.core.model.changes import Change, FileChange, Window
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.items import Activity, Issue, Pull, Release
from daybreak.core.model.links import CrossForge, RepoForge
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Importance
from daybreak.judge.links.across import across, numbers_of
from daybreak.judge.links.pins import Side
from daybreak.judge.links.repo_links import of_repository

START = datetime(2026, 7, 17, 8, tzinfo=UTC)
WINDOW = Window(START.replace(hour=0), START.replace(hour=0) + timedelta(days=1), "UTC", "2026-07-17")
REPO = "org/engine"


def change(digit: str, subject: str, body: str = "", repo: str = REPO, at: int = 0, **more: Any) -> Change:
    """A commit whose sha is one digit forty times, `at` minutes after the start."""
    moment = START + timedelta(minutes=at)
    return Change(repo, digit * 40, (), "Ada", moment, moment, subject, body, **more)


def entry(made: Change, *findings: Finding, released: str | None = None, files: tuple[str, ...] = ()) -> Entry:
    changed = replace(made, files=tuple(FileChange(p, "M") for p in files) or made.files, files_total=len(files) or 1)
    named = tuple(replace(f, id=f"{made.sha[:12]}/{n}") for n, f in enumerate(findings, 1))
    reading = Reading(made.sha, findings=named)
    return Entry(changed, reading, "other", Importance("medium", 0.5), released=released)


def finding(kind: str, symbol: str, before: str | None = None, after: str | None = None, path: str = "a.py") -> Finding:
    return Finding("", kind, path, 1, symbol, before, after)


def issue(number: int, title: str = "An issue", body: str = "", at: int = 0, **more: Any) -> Issue:
    moment = START + timedelta(minutes=at)
    return Issue(number, "", title, "bob", moment, "open", more.pop("happened", ("opened",)), body=body, **more)


def pull(number: int, title: str = "A pull request", body: str = "", state: Any = "merged", **more: Any) -> Pull:
    happened = more.pop("happened", ("merged",) if state == "merged" else ("opened",))
    return Pull(number, "", title, "bob", START, state, happened, body=body, **more)


def release(tag: str, at: int = 0, body: str = "", sha: str | None = None) -> Release:
    return Release(tag, "", tag, "bob", START + timedelta(minutes=at), body=body, sha=sha)


def side(*entries: Entry, repo: str = REPO, **more: Any) -> Side:
    items = {k: tuple(more.pop(k)) for k in ("issues", "pulls", "releases", "not_pulls") if k in more}
    return Side(Activity(repo, **items), entries, **more)


def read(one: Side, *others: Side) -> RepoForge:
    return of_repository(one, numbers_of((one, *others)))


def between(*sides: Side) -> CrossForge:
    return across(sides, numbers_of(sides), WINDOW)


def ends(forge: RepoForge | CrossForge, kind: str) -> list[tuple[str, str]]:
    """Source and target of the links of one kind, shas as one digit."""
    return [(_short(link.source), _short(link.target)) for link in forge.links if link.kind == kind]


def _short(name: str) -> str:
    return name[:8] if name.startswith("commit:") else name
