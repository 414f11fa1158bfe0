"""The line that the index shows of a reported day, from its value or from the few fields of its JSON that it needs."""

from __future__ import annotations

import msgspec

from daybreak.core.day_json import view
from daybreak.core.model.day import Day, in_language
from daybreak.core.text import valid_text
from daybreak.report.render.interface import DayLine


def day_line(day: Day) -> DayLine:
    """What the index says of this report."""
    changes = [c for repo in day.repos for c in repo.commits if not c.filtered]
    levels = [c.importance.level for c in changes]
    return DayLine(
        label=day.window.label,
        commits=sum(len(repo.commits) for repo in day.repos),
        high=levels.count("high"),
        medium=levels.count("medium"),
        low=levels.count("low"),
        breaking=sum(c.breaking for c in changes),
        skipped=len(day.coverage.skipped),
        headline=valid_text(_headline(day)),
    )


def day_line_from_json(data: bytes) -> DayLine:
    """The index line of a stored report; `ValueError` when the bytes are not one."""
    try:
        return day_line(_VIEW(data))
    except msgspec.MsgspecError as error:
        raise ValueError(f"not a daybreak report: {error}") from error


def _headline(day: Day) -> str:
    main = next(iter(day.languages), "")
    texts = (*(action.gravest for action in day.actions), *(one.text for one in day.summary))
    return next((said for said in (in_language(text, main) for text in texts) if said), "")


_VIEW = view(
    "window.label",
    "languages",
    "coverage.skipped",
    "repos.commits.importance.level",
    "repos.commits.breaking",
    "repos.commits.filtered",
    "actions",
    "summary.text",
)
