"""Functions of a script that hand their own arguments on to a watched program: `serve() { vllm serve "$@"; }`."""

from __future__ import annotations

import re

from daybreak.core.wanted_names import Wanted
from daybreak.upgrade.downstream.commands import program_at
from daybreak.upgrade.downstream.shell_words import commands

_HEAD = re.compile(
    r"^[ \t]{0,40}(?:function[ \t]{1,9})?([A-Za-z_][\w-]{0,60})[ \t]{0,9}(?:\([ \t]{0,9}\))[ \t\n]{0,9}\{", re.MULTILINE
)
_BODY_MOST = 4_000
"""Characters of a function that are looked at."""
_MOST = 200
"""Functions of a file that are looked at."""
_ALL = frozenset({"$@", "$*", "${@}", "${*}"})


def handing_on(text: str, wanted: Wanted) -> dict[str, str]:
    """Function -> the watched program that gets its arguments."""
    found: dict[str, str] = {}
    if not any(mark in text for mark in _ALL):
        return found
    for count, match in enumerate(_HEAD.finditer(text)):
        if count == _MOST:
            break
        end = text.find("\n}", match.end(), match.end() + _BODY_MOST)
        if end < 0:
            end = text.find("}", match.end(), match.end() + _BODY_MOST)
        for command in commands(text[match.end() : end]) if end > 0 else ():
            words = command.words
            if not any(word.text in _ALL for word in words):
                continue
            known = next((one for at in range(min(len(words), 20)) if (one := program_at(words, at, wanted))), None)
            if known:
                found[match[1]] = known[0]
    return found
