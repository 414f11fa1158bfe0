"""A copy of a report with each false claim marked where it stands."""

from __future__ import annotations

import re

from daybreak.verify.values import Alarm, Verified

MARKER = "<!-- daybreak verify: marked copy -->"
OPEN, CLOSE = "⟦✗ ", "⟧"
_UNSAFE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_MARKUP = re.compile(r"([\\`*_{}\[\]<>|#~])")
_LONGEST = 200


def annotated(text: str, verified: Verified) -> str:
    """The report's text, with a mark behind each false claim; what others wrote cannot become markup in a mark."""
    rows = text.replace("\r\n", "\n").split("\n")
    by_line: dict[int, list[Alarm]] = {}
    for alarm in verified.alarms:
        by_line.setdefault(alarm.line, []).append(alarm)
    for number, alarms in by_line.items():
        if 1 <= number <= len(rows):
            rows[number - 1] = _marked(rows[number - 1], alarms)
    number = len(verified.alarms)
    told = f"<!-- {number} false {'claim' if number == 1 else 'claims'}, each marked {OPEN.strip()}…{CLOSE} -->"
    return "\n".join([MARKER, told, "", *rows])


def _marked(row: str, alarms: list[Alarm]) -> str:
    end = _last(row)
    places = sorted(((a.end if 0 < a.end <= len(row) else end, a) for a in alarms), key=lambda p: (-p[0], p[1].kind))
    marks: dict[int, list[str]] = {}
    for at, alarm in places:
        marks.setdefault(at, []).append(f"{OPEN}{alarm.kind}: {_words(alarm.why)}{CLOSE}")
    for at, some in marks.items():
        row = f"{row[:at]} {' '.join(reversed(some))}{row[at:]}"
    return row


def _last(row: str) -> int:
    """The end of the words; in a row of a table, before its last bar."""
    end = len(row.rstrip())
    if row.lstrip().startswith("|") and row.rstrip().endswith("|"):
        end = len(row.rstrip()[:-1].rstrip())
    return end


def _words(why: str) -> str:
    plain = _UNSAFE.sub("", why)
    cut = plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 1]}…"
    return _MARKUP.sub(r"\\\1", cut).replace("⟧", ")").replace("@", "@\u2060").replace("://", ":\u2060//")
