"""Comments on how a change works inside, which seldom say what it is for: over a number why it is that one, and on the
variables that came with it.
"""

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


def own_names(change: Change) -> frozenset[str]:
    """Variables of several words that new lines set, and that no line which stood there has."""
    came, stood = set[str](), set[str]()
    for file in change.files:
        for hunk in diff.hunks(file.patch) if _SET.search(file.patch) else ():
            for line in hunk.lines:
                text = line.text[:_LONGEST]
                if line.sign != "+":
                    stood |= names(text)
                elif found := _SET.match(f"+{text}"):
                    came.add(found[1])
    return frozenset(came - stood)


def names(text: str) -> frozenset[str]:
    """Names of several words that a text has."""
    return frozenset(_NAME.findall(text))


_SET = re.compile(r"^\+[ \t]{1,80}([a-z]\w{0,80}_\w{1,80}) ?=(?!=)", re.MULTILINE)
_NAME = re.compile(r"\b[a-z]\w{0,80}_\w{1,80}\b")
