"""Notes that later reports add to a day's pages: from when to when the branch was broken by a change told there.

A note goes into the finished page between its head and its body, by the same function whether the page is rendered
anew or was written days ago: so both ways give the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.core.model.report import Note
from daybreak.core.words.phrases import phrases
from daybreak.report.render.addresses import commit_link

MARK = "> 📌 "
_SHOWN = "%Y-%m-%d %H:%M"


def with_notes(page: str, notes: Sequence[Note], language: str, ending: str, up: str = "") -> str:
    """The page with these notes and no others; `ending` is the edition's, `up` leads to the day pages."""
    lines = [line for line in page.split("\n") if not line.startswith(MARK)]
    head = next((i for i, line in enumerate(lines) if line.startswith("> ")), None)
    if head is None:
        return page
    after = head + 3  # the head, a blank line, the line of links
    if lines[after : after + 2] == ["", ""]:
        del lines[after]  # the blank line that stood before a note
    told = [_line(note, language, ending, up) for note in sorted(notes, key=_order)]
    if told:
        lines[after:after] = ["", *told]
    return "\n".join(lines)


def _order(note: Note) -> tuple[str, str, str]:
    return note.label, note.repo.name, note.fault


def _line(note: Note, language: str, ending: str, up: str) -> str:
    return MARK + phrases(language, "report")(
        "note.broken",
        report=f"[{note.label}]({up}{note.label}{ending})",
        fault=commit_link(note.repo, note.fault),
        repair=commit_link(note.repo, note.repair),
        start=note.start.strftime(_SHOWN),
        end=note.end.strftime(_SHOWN),
    )
