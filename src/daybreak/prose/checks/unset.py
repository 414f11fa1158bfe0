"""Whether a value that users have set is overwritten: an assignment that the diff adds under no condition."""

from __future__ import annotations

import re
from collections.abc import Sequence

from daybreak.core.plain_words import named
from daybreak.prose.checks.interface import Claim

_ONLY_UNSET = re.compile(
    r"\bonly (?:when|if) (?:it is |it's |they are |that is |the \w+ is )?(?:unset|not set|not already set)"
    r"|\bunless (?:it is |it's |they are )?(?:already )?set\b|(?:未|没有|没|尚未)(?:被)?(?:设置|指定|设定|给出)(?:该\w{0,4})?(?:时)?才|仅在(?:未|没有)(?:被)?(?:设置|指定)",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"^\s*(?:#|//|\*|/\*).*|\s#\s.*$")
_CONDITION = re.compile(r"\b(?:if|elif|else|unless|case|setdefault|getenv|get|or|not in|is None)\b|\?\?|:-|\?=|\|\|")


def overwritten(text: str, claim: Claim) -> str:
    """The name that is said to be set only where users have not, and that every added line sets outright."""
    if not _ONLY_UNSET.search(text):
        return ""
    for name in named(text):
        sets = re.compile(rf"(?<!\w){re.escape(name)}[\"']?\]?\s*=(?!=)")
        found = [_conditional(g.lines, at) for g in claim.cited if g.diff for at in _added(g.lines, sets)]
        if found and not any(found):
            return name
    return ""


def _added(lines: Sequence[str], sets: re.Pattern[str]) -> list[int]:
    return [at for at, line in enumerate(lines) if line[:1] == "+" and sets.search(_COMMENT.sub("", line[1:]))]


def _conditional(lines: Sequence[str], at: int) -> bool:
    """The line itself, or one above it that it stands under, asks for something."""
    code = _COMMENT.sub("", lines[at][1:])
    if _CONDITION.search(code):
        return True
    depth = len(code) - len(code.lstrip())
    for line in reversed(lines[:at]):
        if line.startswith("@@"):
            break
        above = _COMMENT.sub("", line[1:])
        if line[:1] == "-" or not above.strip() or len(above) - len(above.lstrip()) >= depth:
            continue
        depth = len(above) - len(above.lstrip())
        if _CONDITION.search(above):
            return True
    return False
