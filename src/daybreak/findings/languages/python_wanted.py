"""Python files whose functions are worth comparing: their changed lines ask, raise, return, look something up or write a setting."""

from __future__ import annotations

import re

from daybreak.findings.languages.base import ReadFile
from daybreak.findings.paths import BEHIND

_TELLS = re.compile(
    r"^[-+].*\b(?:if|elif|and|or|not|assert|raise|return|get|pop|getattr|[lr]?strip|create_error_response|send_multipart|struct|status_code|HTTPStatus|is_\w+|_?(?:validate|verify|check|reject|ensure|forbid|raise)_\w+|\w*trust_\w+|dataclass|ConfigDict)\b",
    re.MULTILINE,
)
_CHOOSES = re.compile(
    r"^[-+](?:[ \t]+\w+ = [\"'][\w-]{1,40}[\"'][ \t]*$|.{0,200}default_?\w*[ \t]?=[ \t]?[\"'\dTF])|^-[ \t]*except\b"
    r"|^\+.{0,200}\bconfig\.\w{1,60}\[[\"'\w]|^\+    [a-z]\w{0,60}: [\w\"']|^\+[ \t]+del[ a]"
    r"|^[-+][ \t]{1,24}(?:\w{1,60}\.)?[A-Z][A-Z0-9_]{2,60},[ \t]*$"
    r"|^[-+](?:[ \t]{1,12}[\"'][\w./-]{1,60}[\"'](?::?,?[ \t]*(?:#|$)|:[ \t]*[(\"'\w.]{0,90}[A-Z])|_?[A-Z][A-Z0-9_]{2,80}\b[^=\n]{0,80}= ?\w{0,9}[(\[{])",
    re.MULTILINE,
)
"""A value of the program's own: a text that a local name is given, or one that a call is handed as a default; an error that
is no longer caught; a name, or a member of an enum, in a list that stands on its own line, or a constant of a module that is a list.
"""
_SETS = re.compile(r"^[-+][ \t]+[\w.]*(?:args|config|self)\.\w+ = [\"'\dTF]", re.MULTILINE)
_SETTLES = re.compile(r"^[-+][ \t]+(?:\w+\.)*\w*(?:args|config)(?:\.\w+)+ = [\"'\dTF]", re.MULTILINE)


def wants_source(file: ReadFile) -> bool:
    """A Python file of the project whose changed lines ask, raise, return, look something up or write a setting."""
    if not is_source(file):
        return False
    patch = file.change.patch
    told = _TELLS.search(patch) or _CHOOSES.search(patch) or not _given(patch, "-") <= _given(patch, "+")
    return file.change.status in "AC" or bool(told or (_SETS if file.public else _SETTLES).search(patch))


_GIVES = re.compile(r"^([-+])[ \t]+self\.(\w+)[ \t]*(?::|=(?!=))", re.MULTILINE)


def _given(patch: str, sign: str) -> set[str]:
    """What lines of one sign give their object: what no other line gives it may still be asked for somewhere."""
    return {name for side, name in _GIVES.findall(patch) if side == sign}


def is_source(file: ReadFile) -> bool:
    change = file.change
    if not change.path.endswith((".py", ".pyi")) or file.area in BEHIND:
        return False
    return bool(file.hunks) and not change.symlink and not change.submodule
