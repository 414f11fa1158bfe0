"""Whether a change breaks or will break existing use, and what shows it.

A breaking finding is enough. Beside that, what a message announces counts only together with code that bears it out:
a deprecation with the lines that warn or go, a removal with the name that is gone, a new default with the code that
sets it. Words alone never make a break.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import chain

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.statements import Reason, Text
from daybreak.core.text import arguments
from daybreak.core.words import say
from daybreak.core.words.grammar import code, joined, listing
from daybreak.core.words.phrases import REFERENCE, chosen, languages
from daybreak.findings.kinds import kind_of
from daybreak.judge.change_kinds import bare, front, is_front, is_quiet, lines
from daybreak.judge.phrases import is_hash, side

# --- What a finding does to a user, as a short reason ---


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


MAX_REASONS = 3
_I = re.IGNORECASE

# --- what a subject announces --------------------------------------------------------------------------------------
_ENDS = re.compile(
    r"\bdeprecat\w{0,5}\b|\b(?-i:BREAKING)\b|\bbreaking change|\bbackwards?[- ]incompatib\w{0,5}"
    r"|\b(?:drop|remov|end)(?:s|e|es|ed|ing|ping|ped)? (?:of )?support\b|\bno longer supports?\b|\bsunset\b",
    _I,
)
_REMOVES = re.compile(
    r"\b(?:remov(?:e|es|ed|ing|al)|delet(?:e|es|ed)|drop(?:s|ped)?|renam(?:e|es|ed|ing)|replac(?:e|es|ed|ing)|retire[sd]?)\b",
    _I,
)
_UNUSED = re.compile(r"\b(?:unused|dead|redundant|duplicated?|leftover|stale|unnecessary)\b", _I)
"""What nobody used goes without harm; a finding that proves otherwise counts by itself."""
_SETS_DEFAULT = re.compile(
    r"\b(?:by default|default (?:of|to|value|on|off|from)|set default|(?:change|switch|set|make|flip|as)\w{0,3}"
    r"(?: the)?(?: \S{1,40}){0,6} default)\b|^defaults?(?: \S{1,40}){1,6} to\b",
    _I,
)
_OTHER_DEFAULT = re.compile(r"\bdefault[- ](?:stream|dict|factory|kwargs|args?)\b|\bfix\w{0,3}\b.{0,60}\bdefault", _I)
_REFUSES = re.compile(
    r"\b(?:incompatib\w{0,5}|disallow\w{0,3}|forbid\w{0,5}|reject(?:s|ed|ing)?|prohibit\w{0,3}|no longer)\b", _I
)
_ACCEPTS = re.compile(
    r"\b(?:instead of|stop\w{0,4}|no longer|without|don't|do not|does not|not|avoid\w{0,3}|never|wrong\w{0,2}|incorrect\w{0,2}|false\w{0,2}"
    r"|spurious\w{0,2}|over-?eager\w{0,2})(?: \w{1,20}){0,2} (?:reject|refus|forbid|disallow|prohibit)\w{0,4}\b"
    r"|\b(?:reject|refus)\w{0,3} (?:sampl|valid\b|token)",
    _I,
)
"""The same words, said of what is let in."""
_OTHERS_END = re.compile(
    r"\b(?:fix|silenc|suppress|avoid|resolv|address|hid|quiet|eliminat)\w{0,4}\b.{0,60}\bdeprecat\w{0,5}"
    r"(?: \w{1,20})? (?:warnings?|usages?|calls?|apis?)\b"
    r"|\b(?:replac|migrat|switch|mov)\w{0,5} (?:\w{1,12} ){0,3}deprecated\b",
    _I,
)
"""Another project's end is dealt with; nothing of this one goes."""
_NAME = re.compile(
    r"`([^`\n]{2,80})`|(?<![\w-])(--[\w-]{2,60})|\b(\w{1,40}(?:[_:]\w{1,40}){1,8})\b"
    r"|\b([A-Z][a-z]{1,30}(?:[A-Z0-9]\w{0,30}){1,4})\b"
)

# --- what code bears out -------------------------------------------------------------------------------------------
_WARNS = re.compile(
    r"\bdeprecated\b.{0,200}(?:will be removed|instead|removed in|use )|will be (?:removed|dropped) (?:in|from) (?:the )?(?:\w{1,20} )?(?:v?\d|future)"
    r"|DeprecationWarning|FutureWarning|@deprecated\b|deprecated=True",
    _I,
)
_RAISES = re.compile(r"^\s{0,60}raise \w{1,60}(?:Error|Exception)\b|\b[A-Z]{2,20}_CHECK\w{0,10}\(")
_IMPORT = re.compile(r"^\s{0,40}(?:import|from)\s{1,4}([A-Za-z]\w{2,40})\b")
_ENTRY = re.compile(r"^\s{0,40}[\"']([\w.:/-]{2,60})[\"'](?::\s{0,4}[\w.\"']{1,80})?,?\s{0,10}$")
_LITERAL = re.compile(r"[\w.\"'+-]{1,80}")
_VERSION = re.compile(r"(?<![\d.])(\d{1,6}(?:\.\d{1,6})?)")
_SHIPPED = re.compile(
    r"(?:^|/)(?:requirements[\w.-]{0,40}\.(?:txt|in)|requirements/(?!\w{0,20}(?:test|dev|lint|docs|nightly))[\w.-]{1,60}\.(?:txt|in)"
    r"|pyproject\w{0,30}\.toml|setup\.py|CMakeLists\.txt|[\w.-]{0,20}Dockerfile|versions\.json)$"
)
"""Files that say what a user gets installed."""

_FRAMEWORKS = frozenset({"torch", "transformers", "numpy", "cuda", "rocm", "triton", "pydantic"})
_NEEDED = frozenset({"python_required", "toolchain_required"})
_TAKEN = frozenset({"dependency", "pin"})


def is_breaking(change: Change, reading: Reading) -> tuple[bool, tuple[Reason, ...]]:
    """Whether existing use breaks, and the reasons in words, the surest first; asked twice of a change in turn."""
    global _last  # noqa: PLW0603
    last = _last
    if last is not None and last[0] is change and last[1] is reading:
        return last[2]
    found = _found(change, reading)
    _last = (change, reading, found)
    return found


_last: tuple[Change, Reading, tuple[bool, tuple[Reason, ...]]] | None = None


def _found(change: Change, reading: Reading) -> tuple[bool, tuple[Reason, ...]]:
    if change.skipped is not None or change.empty or is_quiet(change, reading):
        return False, ()
    seen: dict[str, Reason] = {}
    for reason in chain(_proven(reading), _announced(change, reading), _moved(reading)):
        seen.setdefault(chosen(reason.text, REFERENCE), reason)
        if len(seen) == MAX_REASONS:
            break
    return bool(seen), tuple(seen.values())


def _proven(reading: Reading) -> Iterator[Reason]:
    for finding in reading.findings:
        if finding.breaking:
            yield said_by(finding)


def _announced(change: Change, reading: Reading) -> Iterator[Reason]:
    """What the subject announces and the code bears out."""
    told = bare(change.subject)
    warning = _new_warning(change)
    ends = _ENDS.search(change.subject[:400]) and not _OTHERS_END.search(change.subject[:400])
    if ends and (warning or _loses(change)):
        yield Reason("deprecates", say("judge.breaking.ends", title=told))
    elif warning:
        yield Reason("deprecates", say("judge.breaking.warns", words=warning))
    if _REMOVES.search(told) and not _UNUSED.search(told):
        yield from (said_by(f) for f in reading.findings if _takes_name(f))
        for name in _gone(change, told):
            yield Reason("name_gone", say("judge.breaking.name_gone", name=name))
    if _SETS_DEFAULT.search(told) and not _OTHER_DEFAULT.search(told) and front(change):
        yield Reason("default_behaviour", say("judge.breaking.default", title=told))
    if _REFUSES.search(told) and not _ACCEPTS.search(told) and any(map(_RAISES.search, lines(change, "+"))):
        yield Reason("refuses", say("judge.breaking.refuses", title=told))


def _new_warning(change: Change) -> str:
    """A line that tells users of an end, when there are more such lines than before; fewer is the end itself."""
    if not any(_may_warn(file.patch) for file in change.files):
        return ""
    won, lost = (
        [line.strip() for line in lines(change, sign) if _may_warn(line) and _WARNS.search(line)] for sign in "+-"
    )
    return won[0] if len(won) > len(lost) else ""


def _may_warn(text: str) -> bool:
    """A quick look, so that few patches are searched line by line, and few lines of those."""
    if not text.isascii():
        return True
    low = text.lower()
    return "deprecat" in low or "will be " in low or "futurewarning" in low


def _loses(change: Change) -> bool:
    """The change takes code away."""
    return any(line.strip() and not line.lstrip().startswith(("#", "//")) for line in lines(change, "-"))


def _takes_name(finding: Finding) -> bool:
    """A name is taken away that is not private; alone it may be internal, with the title's word it is meant."""
    kind = kind_of(finding.kind)
    nameless = "nameless" in kind.traits and kind.surface != "hardware"
    if nameless or kind.change not in ("removed", "renamed"):
        return False
    kept = finding.alias is not None and finding.alias.status != "none"
    return not kept and is_front(finding.path) and not finding.symbol.rsplit(".", 1)[-1].startswith("_")


def _gone(change: Change, subject: str) -> Iterator[str]:
    """Names of the subject, libraries, and entries of lists of names, that the code had before and has no more."""
    kept, lost = "\n".join(lines(change, "+")), tuple(lines(change, "-"))
    for match in _NAME.finditer(subject):
        name = next(group for group in match.groups() if group)
        word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
        if _offered(name, lost) and any(map(word.search, lost)) and not word.search(kept):
            yield name
    letters = re.sub(r"[\W_]", "", subject.lower())
    for line in lost:
        library = _IMPORT.match(line)
        if library and _swapped(library[1], subject, kept):
            yield library[1]
        entry = _ENTRY.match(line)
        if entry and re.sub(r"[\W_]", "", entry[1].lower()) in letters and f'"{entry[1]}"' not in kept:
            yield entry[1]


def _offered(name: str, lost: tuple[str, ...]) -> bool:
    """The name stood where users find it: a flag, a variable, a metric, a field, or something declared."""
    if name.startswith("_"):
        return False
    plain = re.escape(name.lstrip("-").replace("-", "_"))
    declared = re.compile(
        rf"[\"'](?:--)?{plain}[\"']|^\s{{0,8}}(?:def|class)\s{{1,4}}{plain}\b|^\s{{0,8}}{plain}\s{{0,4}}:\s"
    )
    return name.startswith("--") or name.isupper() or any(map(declared.search, lost))


def _swapped(library: str, subject: str, kept: str) -> bool:
    """A library that the subject names is no longer imported here."""
    if library in sys.stdlib_module_names or not re.search(rf"(?<!\w){library}(?!\w)", subject):
        return False
    return re.search(rf"^\s{{0,40}}(?:import|from)\s{{1,4}}{library}\b", kept, re.MULTILINE) is None


def _moved(reading: Reading) -> Iterator[Reason]:
    """Defaults of settings, and what must be installed, that are other than before without a word of the author."""
    for finding in reading.findings:
        kind, shipped = kind_of(finding.kind), _SHIPPED.search(finding.path[-200:]) is not None
        setting = kind.change == "default_changed" and kind.mark == "breaks"
        default = setting and is_front(finding.path) and _plain_values(finding)
        gone = shipped and kind.means("dependency", "removed")
        if default or gone or (shipped and _requires_more(finding)):
            yield said_by(finding)


def _plain_values(finding: Finding) -> bool:
    """Both defaults are literals: what stands behind an expression may be the same value."""
    sides = (finding.before, finding.after)
    return all(side is not None and side != "None" and _LITERAL.fullmatch(side) for side in sides)


def _requires_more(finding: Finding) -> bool:
    """Another version of a framework by more than a patch, or a higher least version of a tool."""
    old, new = (_VERSION.findall(side or "") for side in (finding.before, finding.after))
    if not old or not new:
        return False
    kind = kind_of(finding.kind)
    if kind.family in _NEEDED:
        return _number(min(old, key=_number)) < _number(min(new, key=_number))
    name = finding.symbol.rsplit("/", 1)[-1].lower().removesuffix("_version")
    return kind.family in _TAKEN and kind.change == "changed" and name in _FRAMEWORKS and set(old) != set(new)


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
