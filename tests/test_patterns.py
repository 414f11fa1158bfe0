"""Patterns mean the same in every Python we run on."""

from __future__ import annotations

import re
from pathlib import Path

import daybreak

ROOT = Path(daybreak.__file__).parent
_POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{\d*,?\d*\})\+|\(\?>")


def test_no_group_is_possessive() -> None:
    """Before Python 3.11.5, a possessive group that holds a choice matches less than it should, without a word."""
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted(ROOT.rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if _POSSESSIVE_GROUP.search(line) and re.search(r"re\.|r\"|r'|\|", line)
    ]
    assert found == []
