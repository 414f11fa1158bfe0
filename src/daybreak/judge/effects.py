"""What a finding does to a user, as a short reason."""

from __future__ import annotations

import re

from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Reason, Text
from daybreak.core.signatures import arguments
from daybreak.core.words import say
from daybreak.core.words.catalogue import REFERENCE, chosen, languages
from daybreak.core.words.grammar import joined, listing
from daybreak.core.words.inline import code
from daybreak.findings.kinds import kind_of
from daybreak.judge.phrases import is_hash, side

LONGEST_VALUE = 60
"""A longer value would bury the name it belongs to."""


def said_by(finding: Finding) -> Reason:
    """The finding as a reason: what is done to which name, with its old and new value where they are short."""
    return Reason(finding.kind, _operator(finding) or _valued(finding) or _plain(finding))


def _plain(finding: Finding) -> Text:
    kind = kind_of(finding.kind)
    row = kind.brief_read if side(finding) == "read" else kind.brief
    return _filled(row, {"{name}": finding.symbol})


def _valued(finding: Finding) -> Text | None:
    """Old and new value; nothing where there is no such pair, or one that a reader has nothing from."""
    kind = kind_of(finding.kind)
    row = kind.turn_read if side(finding) == "read" else kind.turn
    before, after = finding.before or "", _new(finding)
    if (
        row is None
        or not (_tells(before) or "{b}" not in chosen(row, REFERENCE))
        or not _tells(after)
        or before == after
    ):
        return None
    return _filled(row, {"{name}": finding.symbol, "{b}": before, "{a}": after})


def _filled(row: Text, places: dict[str, str]) -> Text:
    """Filled at once, so that braces inside filled words stay as they are."""
    return {language: _PLACE.sub(lambda m: code(places[m[0]]), chosen(row, language)) for language in languages()}


_PLACE = re.compile(r"\{(?:name|a|b)\}")


def _new(finding: Finding) -> str:
    """What it is now: of a thing with another name that name alone, of one that moved its new place."""
    before, after, symbol = finding.before or "", finding.after or "", finding.symbol
    if not before.endswith(f".{symbol}"):
        return after
    change = kind_of(finding.kind).change
    if change == "moved":
        return after.removesuffix(f".{symbol}")
    return after.rpartition(".")[2] if change == "renamed" else after


def _tells(value: str) -> bool:
    """Short, and no id of a commit elsewhere."""
    return 0 < len(value) <= LONGEST_VALUE and not is_hash(value) and "://" not in value


def _operator(finding: Finding) -> Text | None:
    """Parameters that an operator lost and won, where both schemas are known and name them."""
    if not kind_of(finding.kind).means("operator", "signature_changed"):
        return None
    was, now = (_parameters(schema or "") for schema in (finding.before, finding.after))
    if was is None or now is None:
        return None
    lost, come = [x for x in was if x not in now], [x for x in now if x not in was]
    if not lost and not come:
        return None
    gone = [say("judge.finding.arguments_gone", names=listing(lost, 3))] if lost else []
    new = [say("judge.finding.arguments_new", names=listing(come, 3))] if come else []
    return say("judge.finding.arguments", head=_plain(finding), parts=joined((*gone, *new), "comma"))


def _parameters(schema: str) -> list[str] | None:
    """Names of what stands in the first parentheses; None where they do not close or do not name each."""
    parts = [part.partition("=")[0].strip() for part in arguments(schema)]
    if not parts:
        return None
    found = [_parameter(part) for part in parts if part not in ("", "*")]
    return [name for name in found if name] if all(found) else None


_NAMED = re.compile(
    r"(\w{1,80})\s{0,4}:(?!:).{1,200}|([^:]{0,200}(?:::[^:]{0,200}){0,9}[\s&*])([A-Za-z_]\w{0,80})", re.DOTALL
)
"""`name: type`, or `type name`."""
_QUALIFIERS = frozenset({"const", "volatile", "struct", "class", "enum", "typename"})
"""Before a word, and nothing else, they make it a type: `const Tensor` has no name."""
_TYPES = _QUALIFIERS | frozenset("unsigned signed long short int char bool float double void auto __restrict__".split())  # noqa: SIM905  words read better than a list of strings


def _parameter(part: str) -> str | None:
    """Its name; None for a type without one, as C++ allows."""
    match = _NAMED.fullmatch(part)
    if match is None or match[1]:
        return match and match[1]
    unnamed = match[3] in _TYPES or _QUALIFIERS.issuperset(match[2].split())
    return None if unnamed else match[3]
