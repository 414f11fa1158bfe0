"""Python: functions, classes, signatures, fields with defaults, deprecations.

Only what stands at the top of a module or directly in a class is read, and only public names: the enclosing class
is known from the hunk itself or from the line git prints behind `@@`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from daybreak.read.diff import DiffHunk, SideLine, side
from daybreak.read.languages.base import MAX_LINE, Fact, ReadFile, Whole, bracketed, joined, logical, touched

_DEF = re.compile(r"(    )?(?:async )?def ([A-Za-z_]\w{0,120})(?:\[[^\]]{0,80}\])?\(")
_CLASS = re.compile(r"class ([A-Za-z_]\w{0,120})")
_TOP = re.compile(r"[A-Za-z_]")
_FIELD = re.compile(
    r"    ([a-z]\w{0,80})\s{0,4}:\s{0,4}"
    r"(?=(?:[A-Z]\w{0,60}|int|str|bool|float|bytes|list|dict|tuple|set|frozenset|type|object|torch)"
    r"(?:\s{0,4}(?:$|[\[=|#])|\.\w)|\")"
)
_SPECIAL = ("*", "/", "self", "cls")
_OVERLOAD = ("@overload", "@typing.overload", "@triton.jit", "@property", "@functools.singledispatch")
_QUIET = frozenset({"test", "docs", "ci", "generated", "vendored"})
_SURFACE = ("Args", "Config", "Request", "Response", "Params", "Protocol")
_DEPRECATION = re.compile(
    r"^\s*@(?:typing_extensions\.|warnings\.)?deprecated\(|\b(?:Pending)?DeprecationWarning\b|\bdeprecated=True\b"
    r"|\baction=\"?Deprecated\w{0,40}"
)
_QUOTED = re.compile(r"[`'\"](--?[A-Za-z][\w-]{2,80}|[A-Za-z_][\w.]{2,80})[`'\"]")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its name with stars, and its default's text."""

    name: str
    default: str | None

    @property
    def required(self) -> bool:
        return self.default is None and not self.name.startswith("*") and self.name not in ("self", "cls", "/")


@dataclass(frozen=True, slots=True)
class Definition:
    """A function or method as it stands on one side of a hunk."""

    name: str
    line: int
    parameters: tuple[Parameter, ...]
    whole: bool
    changed: bool
    text: str


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """What happened to the names that a file defines."""
    if file.area in _QUIET or file.change.status in "AC":
        return
    for hunk in file.hunks:
        before, after = side(hunk, "-"), side(hunk, "+")
        yield from _signatures(file, _definitions(before, hunk), _definitions(after, hunk))
        yield from _fields(file, before, after, hunk, whole)
        yield from _deprecations(file, hunk, after)
        yield from _removals(file, hunk, whole)


# --- removals ----------------------------------------------------------------------------------------------------


def _removals(file: ReadFile, hunk: DiffHunk, whole: Whole) -> Iterator[Fact]:
    """Top-level public names that leave, unless the commit shows the name again on any added line."""
    if not whole.complete:
        return
    for at, x in enumerate(hunk.lines):
        if x.sign != "-" or not x.text.startswith(("def ", "class ", "async def ")):
            continue
        match = _DEF.match(x.text) or _CLASS.match(x.text)
        name = match[match.lastindex or 1] if match else "_"
        if name.startswith("_") or name in ("main", "test") or name in whole.added_words or whole.stands(name):
            continue
        kind = "class_removed" if x.text.startswith("class ") else "function_removed"
        yield Fact(kind, file.path, x.old, name, x.text.strip()[:200], None, _exported(file, hunk, at))


def _exported(file: ReadFile, hunk: DiffHunk, at: int) -> bool:
    """Users import the name; where a project marks its public functions with a decorator, the mark must be there."""
    if not file.library:
        return False
    if not file.path.startswith("flashinfer/") or file.path.endswith("__init__.py"):
        return True
    return any(x.text.startswith("@") and "api" in x.text for x in hunk.lines[max(0, at - 4) : at])


# --- signatures --------------------------------------------------------------------------------------------------


def _definitions(lines: Sequence[SideLine], hunk: DiffHunk) -> dict[str, Definition]:
    """Public functions of the module and public methods of known public classes; a name met twice is left out."""
    out: dict[str, Definition] = {}
    twice: set[str] = set()
    for at, line, owner in _with_owner(lines, hunk):
        match = _DEF.match(line.text) if "def " in line.text[:14] else None
        if match is None or (match[1] and owner is None) or len(line.text) > MAX_LINE:
            continue
        if (match[2].startswith("_") and match[2] != "__init__") or (owner is not None and owner.startswith("_")):
            continue
        name = f"{owner}.{match[2]}" if match[1] else match[2]
        if (at and lines[at - 1].text.strip().startswith(_OVERLOAD)) or name in out:
            twice.add(name)
        span = bracketed(joined(lines, at)[match.end() :])
        if span is None:
            continue
        changed = touched(lines, at, match.end() + span.length - 1)
        out[name] = Definition(
            name, line.number, tuple(map(_parameter, span.parts)), span.whole, changed, ", ".join(span.parts)
        )
    return {name: d for name, d in out.items() if name not in twice}


def _with_owner(lines: Sequence[SideLine], hunk: DiffHunk) -> Iterator[tuple[int, SideLine, str | None]]:
    """Each line with the class that holds it, None when that is no class or not known."""
    top = _CLASS.match(hunk.context)
    owner = top[1] if top else None
    for at, line in enumerate(lines):
        if _TOP.match(line.text):
            top = _CLASS.match(line.text)
            owner = top[1] if top else None
        yield at, line, owner


def _parameter(part: str) -> Parameter:
    name = re.match(r"\*{0,2}\w*|/", part)
    head, default = _split_default(part)
    del head
    return Parameter(name[0] if name else part, default)


def _split_default(part: str) -> tuple[str, str | None]:
    """`x: int = 3` → (`x: int`, `3`); the equals sign inside brackets of an annotation does not count."""
    depth = 0
    for at, char in enumerate(part):
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "=" and depth == 0 and part[at + 1 : at + 2] != "=" and part[at - 1 : at] not in tuple("=!<>"):
            return part[:at].strip(), part[at + 1 :].strip()
    return part.strip(), None


def _signatures(file: ReadFile, before: dict[str, Definition], after: dict[str, Definition]) -> Iterator[Fact]:
    for name in before.keys() & after.keys():
        old, new = before[name], after[name]
        if not (old.whole and new.whole and (old.changed or new.changed)) or old.text == new.text:
            continue
        yield from _parameters(file, old, new)


def _parameters(file: ReadFile, old: Definition, new: Definition) -> Iterator[Fact]:
    was = {p.name: p for p in old.parameters}
    now = {p.name: p for p in new.parameters}
    for name in was.keys() & now.keys():
        first, second = was[name].default, now[name].default
        symbol = f"{new.name}({name})"
        if first is not None and second is not None and first != second:
            yield Fact("parameter_default_changed", file.path, new.line, symbol, first, second)
        elif first is not None and second is None and now[name].required and file.public:
            yield Fact("parameter_required_added", file.path, new.line, symbol, f"{name}={first}", name, file.library)
    if file.public:
        lost = [p for p in old.parameters if p.name not in now and not p.name.startswith(_SPECIAL)]
        come = [p for p in new.parameters if p.name not in was and not p.name.startswith(_SPECIAL)]
        yield from _came_and_went(file, new, lost, come)


def _came_and_went(file: ReadFile, new: Definition, lost: list[Parameter], come: list[Parameter]) -> Iterator[Fact]:
    """Parameters that only one side has; one for one is a rename, which positional callers do not notice."""
    if len(lost) == len(come) == 1:
        was, now = lost[0].name, come[0].name
        yield Fact("parameter_renamed", file.path, new.line, f"{new.name}({was})", was, now)
        return
    takes_any = any(p.name.startswith("**") for p in new.parameters)
    for p in lost:
        breaks = file.library and not p.name.startswith("_") and not takes_any
        yield Fact("parameter_removed", file.path, new.line, f"{new.name}({p.name})", p.name, None, breaks)
    for p in come:
        kind = "parameter_required_added" if p.required else "parameter_added"
        shown = p.name if p.default is None else f"{p.name}={p.default}"
        breaks = file.library and p.required
        yield Fact(kind, file.path, new.line, f"{new.name}({p.name})", None, shown, breaks)


# --- fields ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Field:
    line: int
    default: str | None
    changed: bool


def _fields(
    file: ReadFile, before: Sequence[SideLine], after: Sequence[SideLine], hunk: DiffHunk, whole: Whole
) -> Iterator[Fact]:
    """Class-level fields with defaults: settings, request fields, arguments that projects declare as dataclasses."""
    if not file.public:
        return
    old, new = _field_table(before, hunk), _field_table(after, hunk)
    for name in old.keys() & new.keys():
        was, now = old[name], new[name]
        if was.default and now.default and was.default != now.default:
            yield Fact("field_default_changed", file.path, now.line, name, was.default, now.default)
    for name, gone in old.items():
        short = name.split(".")[-1]
        flag = "--" + short.replace("_", "-")
        if gone.changed and name not in new and whole.complete and not (whole.stands(short) or whole.stands(flag)):
            yield Fact("field_removed", file.path, gone.line, name, name, None, name.split(".")[0].endswith(_SURFACE))


def _field_table(lines: Sequence[SideLine], hunk: DiffHunk) -> dict[str, _Field]:
    """`Class.field` → its default; a field is read to the end of its annotation's brackets."""
    out: dict[str, _Field] = {}
    seen_def = False
    for at, line, owner in _with_owner(lines, hunk):
        seen_def = (seen_def or line.text.startswith(("    def ", "    async def "))) and not _TOP.match(line.text)
        match = _FIELD.match(line.text) if owner and not owner.startswith("_") and not seen_def else None
        if match is None or len(line.text) > MAX_LINE:
            continue
        name = f"{owner}.{match[1]}"
        default = _split_default(" ".join(logical(lines, at).split()))[1]
        out[name] = _Field(line.number, default, line.changed)
    return out


# --- deprecations ------------------------------------------------------------------------------------------------


def _deprecations(file: ReadFile, hunk: DiffHunk, after: Sequence[SideLine]) -> Iterator[Fact]:
    """A deprecation mark that comes; hunks that also take one away only move or reword it."""
    if any(x.sign == "-" and _DEPRECATION.search(x.text[:400]) for x in hunk.lines):
        return
    for at, line in enumerate(after):
        if not line.changed or not _DEPRECATION.search(line.text[:400]) or "import " in line.text:
            continue
        if "ignore" in line.text or "filterwarnings" in line.text or "except" in line.text or "raises" in line.text:
            continue
        symbol = _deprecated_name(after, at)
        if symbol:
            yield Fact("deprecated", file.path, line.number, symbol, None, symbol)
        return


def _deprecated_name(lines: Sequence[SideLine], at: int) -> str | None:
    """The name that a deprecation mark is about: the definition under a decorator, else a name its text quotes."""
    if lines[at].text.lstrip().startswith("@"):
        heads = (re.match(r"\s*(?:async def|def|class) ([A-Za-z_]\w{0,120})", x.text) for x in lines[at + 1 : at + 8])
        return next((m[1] for m in heads if m), None)
    for line in _nearest(lines, at):
        match = _QUOTED.search(line.text[:400])
        if match and not match[1].endswith("Warning"):
            return match[1]
    return None


def _nearest(lines: Sequence[SideLine], at: int) -> Iterable[SideLine]:
    return [x for x in lines[max(0, at - 3) : at + 1][::-1] if x.changed and "deprecat" in x.text.lower()]
