"""Small builders: a commit from a digit and a subject, and the stories among some commits as digits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from daybreak.core.model.changes import Change
from daybreak.core.model.report import Story
from daybreak.judge.stories import stories
from read.made import change_of, patch_of, read_one

START = datetime(2026, 1, 19, 8, tzinfo=UTC)
DAY = 24 * 60


def commit(
    digit: str, subject: str, files: dict[str, str] | None = None, body: str = "", at: int = 0, **more: object
) -> Change:
    number = subject.rpartition("(#")[2].rstrip(")") if subject.endswith(")") else ""
    return change_of(
        files if files is not None else {f"engine/{digit}.py": patch_of("a = 1\n", f"a = {digit!r}\n")},
        subject=subject,
        body=body,
        sha=digit * 40,
        committed_at=START + timedelta(minutes=at),
        pr=int(number) if number.isdigit() else None,
        **more,
    )


def find(*changes: Change, recent: tuple[Change, ...] = ()) -> list[Story]:
    return list(stories(changes, {c.sha: read_one(c) for c in changes}, recent))


def told(*changes: Change, recent: tuple[Change, ...] = ()) -> list[tuple[str, str]]:
    """Kind and the digits of the commits of each story."""
    return [(s.kind, "".join(sha[0] for sha in s.commits)) for s in find(*changes, recent=recent)]


CORE = "engine/core.py"
