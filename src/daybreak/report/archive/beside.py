"""Roll-ups and upgrade reports that lie beside the reports of days: what can be read of them."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from daybreak.core.model.rollup import Rollup
from daybreak.store.report_files import ROLLUPS

Form = TypeVar("Form")


def stems(out: Path, folder: str) -> list[str]:
    """Names of the data that is there, without their ending."""
    return sorted(path.stem for path in (out / folder).glob("*.json"))


def data_of(out: Path, folder: str, stem: str) -> bytes:
    """Empty: there is none that can be read."""
    try:
        return (out / folder / f"{stem}.json").read_bytes()
    except OSError:
        return b""


def decoded(data: bytes, form: type[Form]) -> Form | None:
    """None: it is something else."""
    try:
        return msgspec.json.decode(data, type=form)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def rollup_of(out: Path, label: str) -> Rollup | None:
    """The roll-up of a week or a month; None: there is none that can be read."""
    return decoded(data_of(out, ROLLUPS, label), Rollup)
