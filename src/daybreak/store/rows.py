"""Values as columns: what no database can hold is left out, and times are text."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

Values = tuple[Any, ...]
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def storable(value: Any) -> Any:
    """The same without characters that databases refuse: NUL and halves of surrogate pairs."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    return tuple(map(storable, value)) if isinstance(value, tuple) else value


def iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def from_iso(text: str) -> datetime:
    return datetime.fromisoformat(text)
