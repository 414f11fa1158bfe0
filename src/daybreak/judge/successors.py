"""Successors of names that go: what a change itself writes where it took the old name away.

First what its own calls became, line for line, tests among them. Without such calls only a public name that the change
defines and that alone stands wherever the old one stood; where it is called, with most of the old arguments. Several that
came together are a new way to do it, and none of them takes the old one's place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import groupby

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Text
from daybreak.core.words import say
from daybreak.core.words.grammar import listing
from daybreak.findings.diff import DiffHunk, hunks
from daybreak.findings.kinds import kind_of
from daybreak.judge.change_kinds import front_hunks, is_front

_DEFINES = re.compile(r"(?m)^\s{0,4}(?:(?:async|pub|export)\s){0,2}(?:def|class|fn|func|struct)\s+([A-Za-z_]\w{2,100})")
_NAME = re.compile(r"[A-Za-z_]\w{2,100}")
_WORD = re.compile(r"[A-Za-z_]\w*")
_TAKEN = re.compile(r"(?m)^\s*(?:(?:from\s.{1,200}\s)?import\s.*|\w+(?:\sas\s\w+)?,?)$")
"""Lines that only take names from elsewhere."""
_WIDEST = 400


def successor(change: Change, findings: Sequence[Finding]) -> str | None:
    """The name that stands where these names stood, where it is the same for each of them; None where they have none, or
    have it as a value already.
    """
    if not findings or any(kind_of(f.kind).change != "removed" for f in findings):
        return None
    if titled := _by_title(change, {_LAST.findall(f.symbol)[-1] for f in findings if _LAST.search(f.symbol)}):
        return titled
    if any(f.after for f in findings):
        return None
    if len(findings) == 1 and kind_of(findings[0].kind).family == "cli_flag":
        return _turned(change, findings[0])
    if kind_of(findings[0].kind).family not in _NAMED or (findings[0].alias and findings[0].alias.where):
        return None
    gone = frozenset(f.symbol.rpartition(".")[2] for f in findings)
    heirs = (_heir(change, name, gone) for name in sorted(gone))
    first = next(heirs)
    return first if first is not None and all(heir == first for heir in heirs) else None


def _by_title(change: Change, gone: Collection[str]) -> str | None:
    """The name that the title of a change says they have from now on, where its lines show that name."""
    found = _RENAMES.search(change.subject[:_WIDEST])
    told = found is not None and {found[1]} == set(gone) and found[1] != found[2]
    came = found and re.compile(rf"(?m)^\+.{{0,400}}\b{re.escape(found[2])}\b")
    return found[2] if found and told and came and any(came.search(file.patch) for file in change.files) else None


_LAST = re.compile(r"\w+")
_RENAMES = re.compile(r"\brenam\w{1,4} [`'\"]?(\w{3,80})[`'\"]? (?:to|into|as|->|→) [`'\"]?(\w{3,80})", re.IGNORECASE)


def _turned(change: Change, gone: Finding) -> str | None:
    """The form that keeps what a switch did which was off: one of the same words but the first came there that is on."""
    name = gone.symbol.removeprefix("--").replace("-", "_")
    patch = next((file.patch for file in change.files if file.path == gone.path), "")
    was, now = ({m[1]: m[2] for m in _SWITCH.finditer(patch) if m[0][0] == sign} for sign in "-+")
    words = name.partition("_")[2]
    heirs = [one for one, on in now.items() if on == "True" and one not in was and one.partition("_")[2] == words]
    return f"--no-{heirs[0].replace('_', '-')}" if words and was.get(name) == "False" and len(heirs) == 1 else None


_SWITCH = re.compile(r"(?m)^[-+][ \t]{1,16}(\w{1,80}): bool = (True|False)$")


def _heir(change: Change, name: str, gone: Collection[str]) -> str | None:
    """What stands where one name stood, of several that go together."""
    called = _called_instead(change, name)
    if called:
        other = called.most_common(1)[0][0]
        return other if len(called) == 1 and other not in gone else None  # the same name elsewhere is no other name
    pairs = list(_places(change))
    made = {name for _, new in pairs for name in _DEFINES.findall(new) if not name.startswith("_")}.difference(gone)
    used = [(_TAKEN.sub("", old), _TAKEN.sub("", new)) for old, new in pairs if not _DEFINES.search(old)]
    places = [(old, new) for old, new in used if name in _NAME.findall(old)]
    found = {one for _, new in places for one in made.intersection(_NAME.findall(new))}
    heir = found.pop() if len(found) == 1 else None
    return heir if heir and all(_is_called_alike(old, new, name, heir) for old, new in places) else None


def _is_called_alike(old: str, new: str, gone: str, name: str) -> bool:
    """Half of what the old name was given, or more, is given to this one; so it is where nothing is called."""
    was, now = (set[str]().union(*_arguments(text, one)) for text, one in ((old, gone), (new, name)))
    return name not in _NAME.findall(new) or 2 * len(was & now) >= len(was)


def _arguments(text: str, name: str) -> Iterator[set[str]]:
    """Words of what is given to each call of a name."""
    call = re.compile(rf"(?<![\w.]){re.escape(name)}\(")
    for at in call.finditer(text):
        depth, end = 1, at.end()
        while end < len(text) and depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield set(_WORD.findall(text[at.end() : end]))


def _called_instead(change: Change, gone: str) -> Counter[str]:
    """What stands on lines that are the same but for a call of the name, or what is given to the same variable there; none of
    what only insiders may call. Tests are asked where no source calls it.
    """
    call = re.compile(rf"(?<![\w.])(?<!def )(?<!class ){re.escape(gone)}\((\))?")
    found = Counter[str]()
    for file in sorted(change.files, key=lambda file: not is_front(file.path)):
        if found and not is_front(file.path):
            break
        for hunk in hunks(file.patch) if file.patch and call.search(file.patch) else ():
            places = [(old, new, call.search(old)) for old, new in _lines_in_place(hunk)]
            found.update(name for old, new, at in places if at and (name := _in_place(old, new, at)))
            found.update(_given_instead(hunk, gone))
    return found


def _in_place(old: str, new: str, at: re.Match[str]) -> str | None:
    """What is called there, or read where nothing was given to the call."""
    called, rest = old[at.end() :], old[at.start() :].partition("(")[2]
    if new.startswith(old[: at.start()]) and new.endswith(rest):
        middle = new[at.start() : len(new) - len(rest)]
        if _CALLS.fullmatch(middle):
            return middle[:-1]
    if at[1] and new.startswith(old[: at.start()]) and new.endswith(called):
        middle = new[at.start() : len(new) - len(called)]
        return middle if _READS.fullmatch(middle) else None
    return None


def _given_instead(hunk: DiffHunk, gone: str) -> Iterator[str]:
    """What makes the same attribute now, where each side of a hunk gives it something once."""
    given = {sign: [m for x in hunk.lines if x.sign == sign and (m := _GIVES.match(x.text[:_WIDEST]))] for sign in "-+"}
    lefts = {sign: Counter(m[1] for m in found) for sign, found in given.items()}
    for was in given["-"]:
        if was[2] == gone and lefts["-"][was[1]] == lefts["+"][was[1]] == 1:
            yield from (now[2] for now in given["+"] if now[1] == was[1] and _CALLS.fullmatch(f"{now[2]}("))


_GIVES = re.compile(r"\s*(self\.\w{1,80}) = ([\w.]{1,120})\(")


def asked_instead(change: Change, settings: Collection[str]) -> str | None:
    """What conditions ask of the same settings object where they asked for one that goes: `args.fake` is `args.backend ==
    "fake"` there. None where that is not the same at each place.
    """
    names = "|".join(re.escape(name.lstrip("-").replace("-", "_")) for name in sorted(settings))
    ask = re.compile(rf"(?<![\w.])((?:\w{{1,80}}\.){{1,6}})(?:{names})\b(?!\s{{0,4}}[=(])")
    found = set[str]()
    for hunk in front_hunks(change):
        for old, new in _lines_in_place(hunk):
            at = ask.search(old)
            rest = old[at.end() :] if at else ""
            if at and new.startswith(old[: at.end(1)]) and new.endswith(rest):
                found.add(new[at.end(1) : len(new) - len(rest)])
    asked = found.pop() if len(found) == 1 else ""
    return asked if _QUESTION.fullmatch(asked) else None


_QUESTION = re.compile(r"[A-Za-z_]\w{2,80}(?: (?:==|!=|in|is|is not) (?:\"[\w.-]{1,60}\"|'[\w.-]{1,60}'|[\w.]{1,60}))?")
_READS = re.compile(r"(?!self\.|cls\.)[A-Za-z]\w{0,80}(?:\.[A-Za-z]\w{0,80}){1,4}")
_CALLS = re.compile(r"(?!self\.|cls\.|super\b)[A-Za-z]\w*(?:\.[A-Za-z]\w*){0,4}\(")


def imported_instead(change: Change, modules: Sequence[str]) -> str | None:
    """Where the change itself takes from now on what it took from modules that go; None where that is not one place."""
    found = Counter[str]()
    for old, new in _places(change, lambda patch: "\n+" in patch and any(one in patch for one in modules)):
        if "import" not in old or "import" not in new:
            continue
        was = [(m[1], set(_NAME.findall(m[2]))) for m in _TAKES.finditer(old) if _is_in(m[1], modules)]
        now = [(m[1], set(_NAME.findall(m[2]))) for m in _TAKES.finditer(new) if not _is_in(m[1], modules)]
        found.update(source for source, names in now for _, gone in was if names & gone)
    return min(found) if len(found) == 1 else None


_TAKES = re.compile(r"\bfrom\s+([A-Za-z_][\w.]{0,200})\s+import\s+(\([^()]{1,2000}|[^\n(]{1,400})")


def _is_in(name: str, modules: Sequence[str]) -> bool:
    return any(name == one or name.startswith(f"{one}.") for one in modules)


def as_argument(change: Change, findings: Sequence[Finding]) -> Text | None:
    """How to follow fields that go, where the change hands each over as an argument of the same name from now on."""
    if not findings or any(not kind_of(f.kind).means("internal_field", "removed") for f in findings):
        return None
    names = dict.fromkeys(f.symbol.rpartition(".")[2] for f in findings)
    places = list(_places(change))
    old, new = (Counter(_KEYWORD.findall("\n".join(place[side] for place in places))) for side in (0, 1))
    handed = all(new[name] > old[name] for name in names)
    return say("judge.finding.as_argument", names=listing(names, 3)) if handed else None


_KEYWORD = re.compile(r"(?<![\w.])([A-Za-z_]\w{2,100})=(?!=)")


def brings(change: Change) -> frozenset[str]:
    """Names that a change itself defines: what it takes away elsewhere under one of these moved."""
    added = (line.text[:_WIDEST] for hunk in front_hunks(change) for line in hunk.lines if line.sign == "+")
    return frozenset(found[1] for text in added if (found := _DEFINES.match(text)))


def asks_for_own(finding: Finding, change: Change) -> bool:
    """A condition that holds under one more, which asks for what the change itself brings: nobody had that before."""
    if kind_of(finding.kind).family != "predicate":
        return False
    was, now = (frozenset(_NAME.findall((side or "")[:2000])) for side in (finding.before, finding.after))
    return not brings(change).isdisjoint(now - was)


_NAMED = frozenset({"function", "class", "export"})


def _lines_in_place(hunk: DiffHunk) -> Iterator[tuple[str, str]]:
    """Line for line, where as many came as went."""
    for changed, lines in groupby(hunk.lines, lambda line: line.sign != " "):
        both = [(line.sign, line.text[:_WIDEST]) for line in lines] if changed else []
        old, new = ([text for sign, text in both if sign == one] for one in "-+")
        if len(old) == len(new):
            yield from zip(old, new, strict=True)


def _places(change: Change, naming: Callable[[str], object] = bool) -> Iterator[tuple[str, str]]:
    """What stood at a place and what stands there now, place by place; `naming`: of which patches."""
    for hunk in front_hunks(change, naming):
        for changed, lines in groupby(hunk.lines, lambda line: line.sign != " "):
            if changed:
                both = [(line.sign, line.text[:_WIDEST]) for line in lines]
                yield tuple("\n".join(text for sign, text in both if sign == one) for one in "-+")  # type: ignore[misc]
