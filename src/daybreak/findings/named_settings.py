"""Settings that the changed lines of a change name: what a flag does may change where neither it nor its default does."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from daybreak.findings.diff import DiffHunk

MOST = 60
"""Names of one change: one that names more is a move of files, and tells of none of them."""
_NAMED = re.compile(
    r"(?<![\w-])(--[a-z][a-z0-9]{1,40}-[a-z0-9-]{1,60})"
    r"|\b([A-Z][A-Z0-9]{1,30}_[A-Z0-9_]{2,60})\b"
    r"|(?:args|config|options|settings)\.([a-z][a-z0-9]{0,40}_[a-z0-9_]{1,60})\b"
)
"""An option, a variable, and what a program reads of those that it was given."""


def named_settings(hunks: Iterable[DiffHunk]) -> tuple[str, ...]:
    """In the order of the lines; lines around a change do not count."""
    lines = (line.text for hunk in hunks for line in hunk.lines if line.sign in "+-")
    found = (next(filter(None, names)) for line in lines for names in _NAMED.findall(line))
    return tuple(islice(dict.fromkeys(found), MOST))
