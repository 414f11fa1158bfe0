"""Comments over numbers: they say why it is that one, and seldom what a change is for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.core.model.changes import Change
from daybreak.findings import diff


def over_numbers(change: Change) -> Iterator[tuple[str, int]]:
    """Files and lines of comments right over a new line that gives a number to what had none until now."""
    for file in change.files:
        for hunk in diff.hunks(file.patch) if _NUMBER.search(file.patch) else ():
            had = {found[1] for line in diff.side(hunk, "-") if (found := _NUMBER.search(line.text[:_LONGEST]))}
            below = False
            for line in reversed(diff.side(hunk, "+")):
                text = line.text[:_LONGEST].strip()
                if not text.startswith(("#", "//")):
                    below = line.changed and (found := _NUMBER.search(text)) is not None and found[1] not in had
                elif below:
                    yield file.path, line.number


_NUMBER = re.compile(r"(?<!\w)(\w{1,80}) ?= ?\(?-?\d[\w.]{0,20}(?: ?[-*/+),;]|$)", re.MULTILINE)
_LONGEST = 200
