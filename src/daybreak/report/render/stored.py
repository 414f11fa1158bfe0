"""One written `DATE.json` back to the line that the index shows of it.

The index is rebuilt from these files alone; only the few fields it needs are decoded, the rest is skipped over.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from daybreak.report.render.interface import DayLine

_Text = dict[str, str]


class _Window(msgspec.Struct):
    label: str


class _Importance(msgspec.Struct):
    level: Literal["high", "medium", "low"]


class _Commit(msgspec.Struct):
    importance: _Importance
    breaking: bool = False
    filtered: bool = False


class _Repo(msgspec.Struct):
    commits: list[_Commit] = []


class _Said(msgspec.Struct):
    text: _Text = {}

    def of(self, language: str) -> str:
        return self.text.get(language) or next(iter(self.text.values()), "")


class _Skipped(msgspec.Struct):
    what: str = ""


class _Coverage(msgspec.Struct):
    skipped: list[_Skipped] = []


class _Action(_Said):
    lead: _Text | None = None
    parts: list[_Said] = []

    def headline(self, language: str) -> str:
        """As `Action.headline` of the report that wrote it."""
        if not self.parts or self.lead is None:
            return self.of(language)
        return self.parts[0].of(language) + ("" if language == "zh" else " ") + _Said(self.lead).of(language)


class _Day(msgspec.Struct):
    window: _Window
    repos: list[_Repo] = []
    coverage: _Coverage = msgspec.field(default_factory=_Coverage)
    actions: list[_Action] = []
    summary: list[_Said] = []
    languages: list[str] = []


def day_line_from_json(data: bytes) -> DayLine:
    """The index line of a stored report; `ValueError` when the bytes are not one."""
    try:
        day = _DECODER.decode(data)
    except msgspec.MsgspecError as error:
        raise ValueError(f"not a daybreak report: {error}") from error
    told = [c for repo in day.repos for c in repo.commits if not c.filtered]
    levels = [c.importance.level for c in told]
    return DayLine(
        label=day.window.label,
        commits=sum(len(repo.commits) for repo in day.repos),
        high=levels.count("high"),
        medium=levels.count("medium"),
        low=levels.count("low"),
        breaking=sum(c.breaking for c in told),
        skipped=len(day.coverage.skipped),
        headline=_headline(day),
    )


def _headline(day: _Day) -> str:
    main = day.languages[0] if day.languages else ""
    acted = (action.headline(main) for action in day.actions)
    return next((said for said in (*acted, *(one.of(main) for one in day.summary)) if said), "")


_DECODER = msgspec.json.Decoder(_Day)
