"""Roll-ups and upgrade reports that lie beside the reports of days: what can be read of them, and what heads a roll-up."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from daybreak.core.model.rollup import Line, Rollup, by_change
from daybreak.core.words.brief import brief_line, unplaced_line
from daybreak.core.words.phrases import chosen, tag_name
from daybreak.findings.kinds import kind_of
from daybreak.store.report_files import ROLLUPS

Form = TypeVar("Form")
_NOWHERE = 1000
"""Place of what no first screen has."""
_WORDS = 20
"""Of a headline."""


def stems(out: Path, folder: str) -> list[str]:
    """Names of the data that is there, without their ending."""
    return sorted({path.stem for place in _places(folder) for path in (out / place).glob("*.json")})


def data_of(out: Path, folder: str, stem: str) -> bytes:
    """Empty: there is none that can be read."""
    for place in _places(folder):
        with suppress(OSError):
            return (out / place / f"{stem}.json").read_bytes()
    return b""


def _places(folder: str) -> tuple[str, ...]:
    """Where it is looked for: roll-ups of days that are gone may lie where earlier versions wrote them."""
    return (folder, f"{folder}/rollup") if folder == ROLLUPS else (folder,)


def decoded(data: bytes, form: type[Form]) -> Form | None:
    """None: it is something else."""
    try:
        return msgspec.json.decode(data, type=form)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def rollup_of(out: Path, label: str) -> Rollup | None:
    """The roll-up of a week or a month; None: there is none that can be read."""
    return decoded(data_of(out, ROLLUPS, label), Rollup)


def tag_of(line: Line) -> str:
    """Another default breaks whoever left it alone: it is told as what it is, as on the page of its day."""
    kind = kind_of(line.kind) if line.tag == "breaks" and line.kind else None
    if kind is None:
        return line.tag
    return kind.broken_as


def leading(fixes: Sequence[Line], breaks: Sequence[Line]) -> Line | None:
    """What heads a roll-up: of what was mended, what stood first on its day; where nothing was, the gravest break."""
    mended = [lot[0] for lot in by_change(fixes) if lot[0].text]
    first = min(mended, key=lambda line: _NOWHERE if line.rank is None else line.rank, default=None)
    return first or next((line for line in breaks if line.text), None)


def headline_of(line: Line, language: str) -> str:
    """As the headline of a day: tag, repository, and what happened."""
    tag = tag_of(line)
    said = brief_line(unplaced_line(chosen(line.text, language)), _WORDS)
    return " · ".join([*([tag_name(language, tag)] if tag else []), line.repo.rpartition("/")[2], said])
