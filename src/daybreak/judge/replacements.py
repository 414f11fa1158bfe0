"""Replacements of what goes: what the change's own texts name in its place, or what came where it stood.

Nobody is told to drop something where another thing took its place: values that were passed would be lost in silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Text
from daybreak.core.words import say
from daybreak.core.words.grammar import alike, joined, listing, quoted
from daybreak.findings.diff import DiffLine, hunks
from daybreak.findings.kinds import CAME, kind_of
from daybreak.judge.change_kinds import front, front_hunks
from daybreak.judge.dropped_branches import kept_value
from daybreak.judge.successors import asked_instead, imported_instead, successor
from daybreak.judge.telling_words import words

_ARGUMENTS = frozenset({"parameter", "internal_parameter"})
_FIELDS = frozenset({"field", "request_field", "internal_field"})
_SETTINGS = frozenset({"cli_flag", "env"})
_NAME = re.compile(r"[A-Za-z_][\w-]*\w")
_LEAF = re.compile(r"[\w-]+(?=\)?$)")
_INSTEAD = re.compile(
    r"\b[Uu]se\s((?:(?![.;]\s)[^“”]){2,100}?)\sinstead\b(?:\s\([^()“”]{1,100}\))?"
    r"|\b(?:in favou?r of|replaced by|superseded by)\s([`'\"]?[A-Za-z_-][\w.-]{2,80}\w[`'\"]?)"
)
_FAREWELL = re.compile(
    r"deprecat|\bremov|replac|no longer|supersed|in favou?r of|obsolete|legacy|renamed|unsupported|not supported|dropped",
    re.IGNORECASE,
)
_IDLE = re.compile(r"\b(?:has|have) no effect\b|\bno longer (?:needed|necessary|has any effect)\b|\bdoes nothing\b")
_TELLING = (
    "instead",
    "favor of",
    "favour of",
    "replaced by",
    "superseded by",
    "no effect",
    "no longer",
    "does nothing",
)
"""Words of `_INSTEAD` and `_IDLE`, one of which stands in any text that they match."""
_GOES = re.compile(r"\bremoved in (?:version )?(v?\d{1,4}(?:\.\d{1,4}){1,3})")
_MARKS = re.compile(r"^(?:#+|//+|/?\*+)\s?|^[a-zA-Z_]{0,20}\(?[rfbu]{0,2}[\"']{1,3}|[\"']{1,3}[\s,)]*$")
_DEFINES = re.compile(r"(?:async\s)?(?:def|class)\s|[A-Za-z_]\w*(?::[^=]{1,80}|\s)=\s")
"""Of another name; a keyword of a call has no blanks around its mark."""
_FIELD = re.compile(r"(?m)^([A-Za-z_]\w*)(?:\s?:[^=\n]{1,200})?\s=\s")
_DOTTED = re.compile(r"[A-Za-z_][\w.-]*\w")
_NO_TYPE = frozenset({"Optional", "Union", "None", "Annotated", "Any", "typing"})
_NEAR = 200
"""Characters between a name and what is said of it."""
_WIDEST = 400
_MOST = 2
"""Names whose replacements are quoted."""


def replaced(change: Change, findings: Sequence[Finding], used: Sequence[Finding]) -> Text | None:
    """How to follow what goes, or what is deprecated and does nothing by now; None where nothing took its place.

    `findings`: all of the change; `used`: those that are told, of one kind.
    """
    kind = kind_of(used[0].kind) if used else None
    if kind is None or any(
        (f.after and kind.change == "removed") or (f.alias and f.alias.status != "none") for f in used
    ):
        return None
    if kind.change == "deprecated":
        return _idle(change, used) or _of_other_class(findings, used)
    if kind.family == "module":  # words on its insides are not on the module
        return _import(change, used) if kind.change == "removed" else None
    return _by_text(change, findings, used) or _by_place(change, findings, used) if kind.change == "removed" else None


def _leaf(finding: Finding) -> str:
    found = _LEAF.search(finding.symbol)
    return found[0].lstrip("-") if found else finding.symbol


def witnesses(change: Change, findings: Sequence[Finding]) -> Iterator[str]:
    """What `replaced` may quote or name: what texts of the change say of names that go or do nothing, and what came."""
    if any(kind_of(f.kind).change in ("removed", "deprecated") for f in findings):
        yield from (name for f in findings if kind_of(f.kind).change in CAME for name in (_leaf(f), f.symbol))
        asked = (f for f in findings if kind_of(f.kind).change == "removed" and kind_of(f.kind).family in _ARGUMENTS)
        yield from filter(None, (kept_value(change, name) for name in dict.fromkeys(map(_leaf, asked))))
        settings = {_leaf(f) for f in findings if kind_of(f.kind).family in _SETTINGS and f.breaking}
        yield from filter(None, [asked_instead(change, settings)] if settings else ())
        yield from filter(None, (asked_instead(change, [name]) for name in settings))
        modules = [f.symbol for f in findings if kind_of(f.kind).means("module", "removed")]
        yield from filter(None, (imported_instead(change, [name]) for name in modules))
        yield from filter(None, (successor(change, [f]) for f in findings if f.breaking))
        for text in (text for sign in "+-" for text in _texts(change, sign)):
            for match in (*_INSTEAD.finditer(text), *_IDLE.finditer(text)):
                yield " ".join(text[match.start() : match.end() + _WIDEST].split())


# --- what texts say ---


def _texts(change: Change, sign: str) -> Iterator[str]:
    """Lines that went or came, run by run, as far as they are read; before each what stood above it."""
    for hunk in front_hunks(change, _tells):
        above = ""
        for own, some in groupby((line for line in hunk.lines if line.sign in (sign, " ")), _changed):
            lines = list(some)
            shown = lines if own else lines[-1:]
            plain = [_MARKS.sub("", _MARKS.sub("", line.text[:_WIDEST].strip())) for line in shown]
            if own:
                yield "\n".join((above, *plain))
            above = plain[-1]


def _tells(patch: str) -> bool:
    return any(word in patch for word in _TELLING)


def _changed(line: DiffLine) -> bool:
    return line.sign != " "


def _about(text: str, at: int, name: str, others: frozenset[str]) -> bool:
    """What stands there is said of this name: it is the last of these before it, and nothing else is defined between."""
    start = max(0, at - _NEAR)
    named = [match for match in _NAME.finditer(text, start, at) if match[0] in others]
    if not named:  # the words of a field may be many: the last thing that they stand below
        owners = list(_FIELD.finditer(text, 0, at))
        return bool(owners) and owners[-1][1] == name
    if named[-1][0] != name:
        return False
    return not any(_DEFINES.match(line) for line in text[named[-1].end() : at].split("\n")[1:])


def _is_farewell(match: re.Match[str]) -> bool:
    """It stands in words that bid something farewell; what a setting does instead of something else is its description."""
    text = match.string
    return _FAREWELL.search(text, max(0, match.start() - _NEAR), match.end() + _NEAR) is not None


def _by_text(change: Change, findings: Sequence[Finding], used: Sequence[Finding]) -> Text | None:
    """In the author's words; what they name must not go with it: then what came in the place of that is looked at."""
    gone = {_leaf(f): f for f in findings if kind_of(f.kind).change == "removed"}
    known, quotes = frozenset(gone), dict[str, str]()
    for sign in "+-":
        for text in _texts(change, sign):
            for match in filter(_is_farewell, _INSTEAD.finditer(text)):
                name = next((n for n in map(_leaf, used) if _about(text, match.start(), n, known)), None)
                if name is None or name in quotes:
                    continue
                named = {one for one in _DOTTED.findall(match[1] or match[2]) if one in known or _is_of(one, gone)}
                if named:
                    return _by_place(change, findings, [gone[one.rpartition(".")[2]] for one in sorted(named)])
                quotes[name] = " ".join(match[0].split())
    told = [(name, quotes[name]) for name in dict.fromkeys(map(_leaf, used)) if name in quotes][:_MOST]
    if not told:
        return None
    if len({_leaf(f) for f in used}) == 1 or (len(told) == _MOST and len({said for _, said in told}) == 1):
        return say("judge.action.author", quote=alike(quoted(told[0][1])))
    return joined(
        (say("judge.finding.by_text", name=name, quote=alike(quoted(said))) for name, said in told), "semicolon"
    )


def _is_of(dotted: str, gone: Mapping[str, Finding]) -> bool:
    """A name with its owner is one of those that go; the same name of another owner may be what takes their place."""
    owner, _, leaf = dotted.rpartition(".")
    return bool(owner) and leaf in gone and gone[leaf].symbol.endswith(dotted)


def _idle(change: Change, used: Sequence[Finding]) -> Text | None:
    """What is deprecated and does nothing by now is deleted, not replaced."""
    names = frozenset(map(_leaf, used))
    for text in _texts(change, "+"):
        for match in _IDLE.finditer(text):
            if len(names) == 1 and _about(text, match.start(), min(names), names):
                goes = _GOES.search(" ".join(text[match.end() : match.end() + _WIDEST].split()))
                return say("judge.finding.idle_until", version=goes[1]) if goes else say("judge.finding.idle")
    return None


def _of_other_class(findings: Sequence[Finding], used: Sequence[Finding]) -> Text | None:
    """The method of the same name that another class, which plug-ins derive from, has from now on."""
    came = [f for f in findings if kind_of(f.kind).means("extension_method", "added") and f.symbol != used[0].symbol]
    same = [f for f in came if _leaf(f).strip("_") == _leaf(used[0]).strip("_")]
    alone = len(same) == len(used) == 1 and "." in used[0].symbol
    return say("judge.finding.implement_instead", names=listing([same[0].symbol])) if alone else None


# --- what came in its place ---


def _by_place(change: Change, findings: Sequence[Finding], used: Sequence[Finding]) -> Text | None:
    family = kind_of(used[0].kind).family
    if family in _SETTINGS or family == "extension_method":
        return _of_setting(change, findings, used) if family in _SETTINGS else _implement(findings, used)
    if family not in _ARGUMENTS | _FIELDS:
        return None
    pairs = [(one, _beside(findings, one)) for one in used]
    if not any(came for _, came in pairs):
        return _branch(change, used) if family in _ARGUMENTS else None
    heirs = [_heir(one, came) for one, came in pairs]
    if None in heirs:
        names = listing((_leaf(f) for _, came in pairs for f in came), 3)
        return say("judge.finding.see_whether", names=names, n=len(names.words), gone=len(set(map(_leaf, used))))
    names = listing((_leaf(f) for f in heirs if f is not None), 3)
    if family in _ARGUMENTS:
        return say("judge.finding.pass_instead", names=names)
    return say("judge.finding.set_instead", names=names)


def _implement(findings: Sequence[Finding], used: Sequence[Finding]) -> Text | None:
    names = listing((_leaf(f) for one in used for f in _asked_in_place(findings, one)), 3)
    return say("judge.finding.implement_instead", names=names) if names.words else None


def _asked_in_place(findings: Sequence[Finding], gone: Finding) -> list[Finding]:
    """The one method that a class asks of its implementers from now on, where it asked for one other until now."""
    owner = gone.symbol.rpartition(".")[0]
    same = [f for f in findings if kind_of(f.kind).family == "extension_method" and f.path == gone.path and f.breaking]
    same = [f for f in same if f.symbol.rpartition(".")[0] == owner]
    came = [f for f in same if kind_of(f.kind).change in CAME]
    went = [f for f in same if kind_of(f.kind).change == "removed"]
    return came if len(came) == len(went) == 1 else []


def _of_setting(change: Change, findings: Sequence[Finding], used: Sequence[Finding]) -> Text | None:
    """What came beside an option or a variable, or what conditions that asked for it ask for from now on."""
    gone = len(set(map(_leaf, used)))
    if pairs := _at_use(change, findings, used):
        told = [say("judge.finding.read_for", new=listing([new]), old=listing([old])) for old, new in pairs.items()]
        return say("judge.finding.read_instead", pairs=joined(told, "comma"), gone=gone)
    names = listing((f.symbol for f in _of_hunk(change, findings, used)), 3)
    if names.words and gone == 1:  # of several, nobody knows which it is for
        return say("judge.finding.remove_and_see", names=names, n=len(names.words), gone=gone)
    asked = asked_instead(change, set(map(_leaf, used)))
    return say("judge.finding.asked_instead", name=asked, gone=gone) if asked else None


def _import(change: Change, used: Sequence[Finding]) -> Text | None:
    source = imported_instead(change, [f.symbol for f in used])
    return say("judge.finding.import_instead", name=source) if source else None


def _branch(change: Change, used: Sequence[Finding]) -> Text | None:
    """Of a parameter that chose what runs: who passes what the code still does drops it, for all others nothing is left."""
    kept = [value for name in dict.fromkeys(map(_leaf, used)) if (value := kept_value(change, name)) is not None]
    if not kept:
        return None
    value = kept[0] if len(kept) == 1 else ""
    return say("judge.finding.only_default", value=value) if value else say("judge.finding.no_branch")


def _beside(findings: Sequence[Finding], gone: Finding) -> list[Finding]:
    """What came in the same signature or class, like it by a word of its name or by its type."""
    kind, name = kind_of(gone.kind), _leaf(gone)
    owner = gone.symbol[: gone.symbol.rfind(name)]
    return [
        f
        for f in findings
        if kind_of(f.kind).family == kind.family
        and kind_of(f.kind).change in CAME
        and f.path == gone.path
        and f.symbol[: f.symbol.rfind(_leaf(f))] == owner
        and (words(_leaf(f)) & words(name) or _is_of_type(gone.before or "", f.after or ""))
    ]


def _is_of_type(was: str, now: str) -> bool:
    """As far as both say their type, one takes something that the other took."""
    old, new = map(_types, (was, now))
    return not old or not new or not old.isdisjoint(new)


def _types(declared: str) -> frozenset[str]:
    """`x: Optional[int] = None` → int; without a type, that of a plain default."""
    left, _, given = declared.partition("=")
    if named := frozenset(_NAME.findall(left.partition(":")[2])) - _NO_TYPE:
        return named
    value = given.strip()
    text = frozenset({"str"}) if value[:1] in ("'", '"') else frozenset[str]()
    return (
        frozenset({"bool"})
        if value in ("True", "False")
        else frozenset({"int", "float"})
        if value[:1].isdigit()
        else text
    )


def _heir(gone: Finding, came: Sequence[Finding]) -> Finding | None:
    """The one that came, or of several the only one with a word of the old name."""
    like = [f for f in came if words(_leaf(f)) & words(_leaf(gone))]
    return like[0] if len(like) == 1 else came[0] if len(came) == 1 else None


def _at_use(change: Change, findings: Sequence[Finding], used: Sequence[Finding]) -> dict[str, str]:
    """Each option or variable that went → the one that came and is read where it was read; nothing unless each has one."""
    new = {
        _as_read(f): f.symbol
        for f in findings
        if kind_of(f.kind).family in _SETTINGS and kind_of(f.kind).change in CAME
    }
    gone = {_as_read(f): f.symbol for f in used}
    heirs: dict[str, set[str]] = {name: set() for name in gone}
    for hunk in front_hunks(change) if new else ():
        was, now = (
            {n for line in hunk.lines if line.sign == sign for n in _NAME.findall(line.text[:_WIDEST])} for sign in "-+"
        )
        declared = any(_DECLARED.match(line.text[:_WIDEST]) for line in hunk.lines if line.sign == "-")
        for name in gone.keys() & was if not declared else ():
            heirs[name] |= new.keys() & now
    return (
        {gone[name]: new[min(some)] for name, some in heirs.items()} if all(len(s) == 1 for s in heirs.values()) else {}
    )


_DECLARED = re.compile(r"\s{0,16}(?:[A-Z][A-Z0-9_]{2,80}|[\"']--[\w-]{2,80}[\"'])\s?(?:=|:|,)")
"""Where a variable or an option is declared, one stands beside the other by chance."""


def _as_read(finding: Finding) -> str:
    """The name by which code reads it."""
    return _leaf(finding).replace("-", "_")


def _of_hunk(change: Change, findings: Sequence[Finding], used: Sequence[Finding]) -> Iterator[Finding]:
    """Options and variables that came in the hunk in which these went."""
    new = [f for f in findings if kind_of(f.kind).family in _SETTINGS and kind_of(f.kind).change in CAME]
    gone = frozenset(map(_leaf, used))
    for file in front(change) if new else ():
        for hunk in hunks(file.patch or ""):
            was, now = (
                {n for line in hunk.lines if line.sign == sign for n in _NAME.findall(line.text[:_WIDEST])}
                for sign in "-+"
            )
            if gone & was:
                yield from (f for f in new if f.path == file.path and _leaf(f) in now)
