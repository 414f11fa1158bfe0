"""Tool `get_change`: one change with its statements, findings, hunks and evidence, from its report or from the mirror."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from daybreak.core.errors import DaybreakError, GitError
from daybreak.core.model.day import File, Hunk, Link, Reason, in_language
from daybreak.serve.mcp import answers
from daybreak.serve.mcp.context import (
    MOST_DAYS,
    Desk,
    Told,
    Wanted,
    address,
    change_row,
    finding_row,
    plain_word,
    quoted,
    sentence_row,
)
from daybreak.serve.mcp.days import Room, item_row, link_row, start_of

if TYPE_CHECKING:
    from daybreak.core.model.changes import Repo
    from daybreak.core.model.report import Entry
    from daybreak.upgrade.name_history import Tracer

MOST = 3
"""Changes of one number that are given; a pull request that was merged by rebasing brings several."""
_HUNK, _BODY, _PATHS, _HUNKS, _OTHERS = 2_500, 1_500, 40, 8, 50


def get_change(
    desk: Desk, change: str, repo: str | None = None, language: str | None = None, cursor: str | None = None
) -> answers.Changes:
    """The change that a sha, a number or an address names."""
    wanted, lang = desk.wanted(change, repo), desk.language(language)
    told = desk.told(wanted)
    items = list(_items(desk, wanted)) if wanted.number is not None else []
    if wanted.sha is not None and len(told) > 1:
        shas = ", ".join(f"{one.repo.name}@{one.commit.sha[:12]}" for one in told[:5])
        raise DaybreakError(f"{wanted.sha} names {len(told)} changes.", f"Give more digits: {shas}.")
    if told:
        room, others = Room(), [f"{one.repo.name}@{one.commit.sha[:12]}" for one in told[MOST:]]
        found = [_of_report(desk, one, lang, room, cursor) for one in told[:MOST]]
        return _answer(found, items, others)
    entries = in_mirrors(desk, wanted)
    if not entries and not items:
        raise DaybreakError(
            f"{change.strip()[:80]!r} is in no reported day and in no mirror on disk.",
            "Check it, or find it with search; mirrors are brought up to date by `daybreak run`.",
        )
    room, others = Room(), [f"{at.name}@{entry.change.sha[:12]}" for entry, at in entries[MOST:]]
    return _answer([_of_mirror(entry, at, lang, room, cursor) for entry, at in entries[:MOST]], items, others)


def _answer(found: list[answers.Detail], items: list[dict[str, Any]], others: list[str]) -> answers.Changes:
    """With the names of those that are not given: a series that was merged as it is has a hundred commits."""
    answer: answers.Changes = {"found": found, "items": items}
    if others:
        answer["others"] = [*others[:_OTHERS], *([f"+{len(others) - _OTHERS}"] if len(others) > _OTHERS else [])]
    return answer


def _items(desk: Desk, wanted: Wanted) -> Iterator[dict[str, Any]]:
    """Issues and pull requests of that number, as the newest report tells them."""
    mark = re.compile(rf'"number":\s{{0,2}}{wanted.number}\b'.encode())
    seen: set[str] = set()
    for label in desk.labels()[:MOST_DAYS]:
        data = desk.archive.data(label)
        day = desk.archive.day(label) if data is not None and mark.search(data) else None
        for repo in day.repos if day else ():
            for item in (*repo.issues, *repo.pulls):
                if item.number == wanted.number and wanted.repo in (None, repo.name) and repo.name not in seen:
                    seen.add(repo.name)
                    yield item_row(repo.name, item) | {"date": label}


# --- from its report -------------------------------------------------------------------------------------------------


def _of_report(desk: Desk, told: Told, language: str, room: Room, cursor: str | None) -> answers.Detail:
    from daybreak.report.archive.addresses import change_path

    label, repo, commit = told
    row = change_row(repo, commit, language, label)
    row["untrusted"].pop("what", None)
    row["untrusted"] |= quoted(_BODY, body=commit.body) | quoted(200, components=", ".join(commit.components))
    row["untrusted"] |= quoted(80, released=commit.released, skipped=commit.skipped)
    row["committed_at"] = commit.committed_at.isoformat()
    links = _links(desk, told)
    name, start = start_of(cursor)

    def at(part: str) -> int:
        return start if name == part else 0

    detail: answers.Detail = {
        **row,  # type: ignore[typeddict-item]
        "sha": commit.sha,
        "source": "report",
        "page": change_path(language, repo.name, commit.sha),
        "files": commit.files_total,
        "added": commit.added,
        "deleted": commit.deleted,
        "reasons": [reason_row(reason, language) for reason in commit.importance.reasons],
        "statements": room.fill(
            "statements", commit.statements, lambda s: sentence_row(s, language, commit.sha), 40, at("statements")
        ),
        "facts": room.fill("facts", commit.findings, finding_row, 40, at("facts")),
        "paths": room.fill("paths", commit.files, path_row, _PATHS, at("paths")),
        "hunks": room.fill("hunks", commit.hunks, hunk_row, _HUNKS, at("hunks")),
        "omitted": room.omitted,
    }
    if links:
        detail["links"] = room.fill("links", links, lambda link: link_row(link, language), 10, at("links"))
    if story := plain_word(commit.story):
        detail["story"] = story
    return detail


def _links(desk: Desk, told: Told) -> list[Link]:
    """What its day links the change with."""
    day = desk.archive.day(told.label)
    every = (*(day.links if day else ()), *(told.repo.links or ()))
    return [link for link in every if any(told.commit.sha in name for name in (link.source, link.target))]


def reason_row(reason: Reason, language: str) -> dict[str, Any]:
    return {
        "code": plain_word(reason.code) or "other",
        "untrusted": quoted(200, text=in_language(reason.text, language)),
    }


def hunk_row(hunk: Hunk) -> dict[str, Any]:
    text = hunk.text if hunk.text is not None else "(it holds characters that cannot be shown safely)"
    return {"untrusted": {**quoted(300, path=hunk.path), **quoted(_HUNK, text=text)}}


def path_row(file: File) -> dict[str, Any]:
    texts = quoted(300, path=file.path, old_path=file.old_path, skipped=file.skipped)
    return {"status": file.status, "added": file.added, "deleted": file.deleted, "untrusted": texts}


# --- from a mirror ---------------------------------------------------------------------------------------------------


def tracer_of(desk: Desk, repo: Repo) -> Tracer:
    """On the mirror as it is on disk; raises GitError when there is none."""
    from daybreak.judge.grading import Job
    from daybreak.upgrade.name_history import opened

    settings = desk.settings
    job = Job(repo, settings.state, settings.environment, settings.config.reader, offline=True)
    return opened(job, False, lambda _: None)


def in_mirrors(desk: Desk, wanted: Wanted) -> list[tuple[Entry, Repo]]:
    """The change, read and graded anew; a repository without a mirror has nothing to say."""
    found: list[tuple[Entry, Repo]] = []
    with desk.alone():
        for repo in desk.settings.repos():
            if wanted.repo not in (None, repo.name):
                continue
            with suppress(GitError):
                tracer = tracer_of(desk, repo)
                shas = [wanted.sha] if wanted.sha else tracer.by_number(wanted.number or 0)
                found += [(entry, repo) for entry in tracer.entries(shas) if entry.change.skipped is None]
    return found


def _of_mirror(entry: Entry, repo: Repo, language: str, room: Room, cursor: str | None) -> answers.Detail:
    change = entry.change
    name, start = start_of(cursor)
    texts = quoted(300, subject=change.subject, author=change.author, released=entry.released)
    detail: answers.Detail = {
        "repo": change.repo,
        "sha": change.sha,
        "url": address(f"{repo.url}/commit/{change.sha}"),
        "committed_at": change.committed_at.isoformat(),
        "level": entry.importance.level,
        "kind": entry.kind,
        "breaking": entry.breaking,
        "untrusted": texts | quoted(_BODY, body=change.body),
        "source": "mirror",
        "files": change.files_total,
        "added": change.added,
        "deleted": change.deleted,
        "reasons": [
            {"code": reason.code, "untrusted": quoted(200, text=reason.text.get(language, ""))}
            for reason in entry.importance.reasons
        ],
        "statements": [],
        "facts": room.fill("facts", entry.reading.findings, fact_row, 40, start if name == "facts" else 0),
        "paths": room.fill("paths", change.files, _file_row, _PATHS, start if name == "paths" else 0),
        "hunks": [],
        "omitted": room.omitted,
    }
    if change.pr:
        detail["pr"] = change.pr
    return detail


def _file_row(file: Any) -> dict[str, Any]:
    """A file as git tells it just now."""
    texts = quoted(300, path=file.path, old_path=file.old_path)
    return {"status": file.status, "added": file.added, "deleted": file.deleted, "untrusted": texts}


def fact_row(finding: Any) -> answers.Finding:
    """A finding that was read just now: it has no id of a report."""
    texts = quoted(240, path=finding.path, symbol=finding.symbol, before=finding.before, after=finding.after)
    row: answers.Finding = {
        "kind": finding.kind,
        "line": finding.line,
        "breaking": finding.breaking,
        "untrusted": texts | quoted(240, takes_effect_with=finding.effective),
    }
    if finding.alias is not None:
        row["alias"] = finding.alias.status
    return row
