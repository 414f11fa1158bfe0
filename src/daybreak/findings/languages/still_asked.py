"""Methods that go from a class while its new code still asks objects for them: who defines the old one is served on."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from daybreak.core.model.findings import Alias
from daybreak.findings.kinds import kind_of
from daybreak.findings.languages.base import MAX_LINE, Fact, ReadFile, Whole

_ASKED = re.compile(r"\b(?:getattr|hasattr)\(\s{0,200}([\w.]{1,80}),\s{0,200}[\"'](\w{1,120})[\"']")
_DEF = re.compile(r"^\s{0,80}(?:async )?def (\w{1,120})\(", re.MULTILINE)
_WARNED = re.compile(r"\bdeprecat", re.IGNORECASE)


def with_old_ones(facts: Iterable[Fact], whole: Whole) -> set[Fact]:
    """The same facts; a method that new lines ask an object for is kept, and the one that asks for it not demanded."""
    found = set(facts)
    gone = {fact.symbol.rpartition(".")[2] for fact in found if _is_gone(fact)}
    texts = {file.path: _added(file) for file in whole.files} if gone else {}
    for path, text in texts.items():
        warned = bool(_WARNED.search(text))
        asked = [one for one in _ASKED.finditer(text) if one[2] in gone and (warned or one[1] == "self")]
        names = {one[2] for one in asked}
        asking = {_around(text, one.start()) for one in asked}
        for fact in list(found) if asked else ():
            last = fact.symbol.rpartition(".")[2]
            if _is_gone(fact) and last in names and (warned or fact.path == path):
                found.remove(fact)
                found.add(replace(fact, breaking=False, alias=Alias("deprecated" if warned else "kept", path)))
            elif fact.breaking and fact.path == path and kind_of(fact.kind).change == "added" and last in asking:
                found.remove(fact)
                found.add(replace(fact, breaking=False))
    return found


def _is_gone(fact: Fact) -> bool:
    """A method that went without another name for it."""
    none = fact.alias is not None and fact.alias.status == "none"
    return none and "." in fact.symbol and kind_of(fact.kind).change == "removed"


def _added(file: ReadFile) -> str:
    return "\n".join(line.text[:MAX_LINE] for hunk in file.hunks for line in hunk.lines if line.sign == "+")


def _around(text: str, at: int) -> str:
    """The function that the place stands in."""
    return next((match[1] for match in reversed([*_DEF.finditer(text, 0, at)])), "")
