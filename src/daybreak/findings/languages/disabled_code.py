"""Code switched off or on again: what stood there and ran no longer does, though it is still there to read.

Looks for an unconditional `return`, `raise` or `continue` before live code of the same block, `if False`, `#if 0`,
a switch that became the constant `False` and that an `if` of the same function or file asks, and code turned into a
comment. In all of them the code that no longer runs must have stood on the other side: dead code that comes new switches
nothing off, and a function that a compiler is told to leave alone runs all the same. Nor does a way out that only ends new code: the function was written anew, and what stands
behind was left over. A flag that nothing here is seen to hang on is told as a flag, not as code that was switched.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from daybreak.findings.diff import DiffHunk, DiffLine, SideLine, side
from daybreak.findings.languages.base import MAX_LINE, Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import (
    PER_FILE,
    contrast,
    following,
    fresh,
    indent,
    one_line,
    place,
    preceding,
    quiet,
    quoted,
    squeezed,
    statement,
    unwrapped,
)
from daybreak.findings.languages.python_functions import sources

_PYTHON = re.compile(r"\.pyi?$")
_LEAVE = re.compile(r"(\s+)(return\b|continue$|break$|raise\b)")
_LEAVE_C = re.compile(r"(\s+)(?:return\b[^;]{0,80}|continue|break);\s*(?://.*)?$")
_HANDS_OVER = re.compile(r"(?:^|[:){]|\belse\b)\s*(raise|throw|return)\b\s*(?=[^\s;])(.*)")
_GIVEN = re.compile(
    r"\s*(?:[\w:<>*&]+ ){0,4}([A-Za-z_]\w*(?:, ?[A-Za-z_]\w*)*)\s*(?::[^=]{1,80})?[-+*/|&]?=(?!=)\s*(.*)"
)
_FILLER = re.compile(
    r"(?:\w+(?:\.|::))*(?:new_)?(?:empty|zeros|ones|full)(?:_like)?\(|(?:None|[Tt]rue|[Ff]alse|nullptr|[-\d.]+|\[\]|\{\})\s*;?$"
)
"""A value that nobody had to compute: a function that no longer does its work returns such."""
_NOTHING = ("None", "nullptr")
_ASIDE = re.compile(r"(?:^|\s)(?:#|//).*")
_OWN_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_NO_STATEMENT = re.compile(
    r"\s*(?:else\b|elif\b|except\b|finally\b|case\b|def\b|class\b|async def\b|@|[)\]}\"'+*/,.|&]|and\b|or\b|if .*[^:]$)"
)
_CODE = re.compile(
    r"\s*(?:(?:return|raise|if|for|while|with|assert|await|yield|del|try)\b|[A-Za-z_][\w.\[\]\"'-]*\s*(?:\(|[-+*/|&]?=(?!=)|,|:)|\()"
)
_CODE_C = re.compile(
    r"\s*(?:(?:return|if|for|while|switch|auto|const)\b|[A-Za-z_][\w.:<>\[\]*&,\s-]*(?:\(|[-+*/|&]?=(?!=)|;|\{))"
)
_NEVER = re.compile(
    r"\s*(?:el)?if\s+(?:False|0|None|\(\)|\[\])\s*(?::|and\b)|\s*while\s+(?:False|0)\s*:"
    r"|\s*(?:async )?for\s+\w+\s+in\s+(?:\(\)|\[\]|\{\}|range\(0\))\s*:"
)
_NEVER_C = re.compile(r"\s*#\s*if\s+0\s*(?://.*|/\*.*)?$|\s*(?:else\s+)?if\s*\(\s*(?:false|0)\s*(?:\)|&&)")
# an annotated name is a field with a default: that is another finding
_SWITCH = re.compile(r"(\s*)((?:self\.)?_?[A-Za-z]\w*)\s*=\s*(.+?)\s*(?:#.*)?$")
_ABOUT = re.compile(
    r"(?:^|\.|_)(?:use|enable|enabled|support|supports|supported|has|can|is|should|allow|fuse|fused)(?:_|$)",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"(\s*)(?:#|//) ?(?=\S)(.*)$")
_TALK = re.compile(
    r"(?:[\w.]*log(?:ger)?\b|print\b|import\b|from\b|(?:static_|_Static_)?assert\b|TODO|FIXME|NOTE|\"|'|@)"
)


_HINT = re.compile(
    r"\s*(?:return\b|continue$|break$|raise\b|(?:el)?if (?:False|0|None|\(\)|\[\])|while (?:False|0)"
    r"|(?:async )?for \w+ in (?:\(\)|\[\]|\{\}|range\(0\))|#)"
)
_HINT_C = re.compile(r"\s*(?:return\b|continue;|break;|#\s*if 0|(?:else )?if ?\( ?(?:false|0)|//)")


class _Dead(NamedTuple):
    line: int
    place: str
    how: str
    what: str
    """The first line that does not run."""
    flag: str = ""
    """The flag itself, where no code is seen that hangs on it alone."""


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Code that no longer runs, and code that runs again."""
    if quiet(file):
        return
    counted = Counter[str]()
    for hunk in file.hunks:
        found = [
            (kind, dead)
            for kind, sign in (("switched_off", "+"), ("switched_on", "-"))
            for dead in _dead(hunk, sign, file, whole)
        ]
        if len({kind for kind, _ in found}) > 1:
            continue  # one form of a dead end for another
        for kind, dead in found:
            counted[kind] += 1
            sides = (dead.what, dead.how) if kind == "switched_off" else (dead.how, dead.what)
            if counted[kind] <= PER_FILE:
                name = "flag_changed" if dead.flag else kind
                yield Fact(name, file.path, dead.line, dead.flag or dead.place, *contrast(*sides))


def _dead(hunk: DiffHunk, sign: str, file: ReadFile, whole: Whole) -> Iterator[_Dead]:
    python = bool(_PYTHON.search(file.path))
    hint = _HINT if python else _HINT_C
    if not any(x.sign == sign and (hint.match(x.text) or "= False" in x.text) for x in hunk.lines):
        return
    lines, other = (side(hunk, "+"), side(hunk, "-")) if sign == "+" else (side(hunk, "-"), side(hunk, "+"))
    at_all = [
        at
        for at, x in enumerate(lines)
        if x.changed and len(x.text) < MAX_LINE and (hint.match(x.text) or "= False" in x.text)
    ]
    if not at_all:
        return
    texts = quoted(lines) if python else frozenset()
    stood = {squeezed(x.text) for x in other}
    for at in at_all:
        if at in texts:
            continue
        found = _left(lines, at, stood, python) or _never(lines, at, stood, python)
        if found and not fresh(lines, at):
            yield _Dead(lines[at].number, place(lines, at, hunk, file), *found)
    if python:
        yield from _constants(lines, other, hunk, file, whole)
    yield from _commented(hunk, sign, file, texts, lines)


# --- an early way out --------------------------------------------------------------------------------------------


def _left(lines: Sequence[SideLine], at: int, stood: set[str], python: bool) -> tuple[str, str] | None:
    """A way out with live code behind it in the same block."""
    match = (_LEAVE if python else _LEAVE_C).match(lines[at].text)
    if match is None:
        return None
    if python:
        text, behind = statement(lines, at)
        if not text or text.rstrip().endswith("\\"):
            return None
    else:
        text, behind = lines[at].text, at + 1
    n = _next_code(lines, behind, python)
    if n is None or indent(lines[n].text) != indent(lines[at].text) or squeezed(lines[n].text) not in stood:
        return None
    live = lines[n].text
    if (
        _NO_STATEMENT.match(live)
        or not (_CODE if python else _CODE_C).match(live)
        or not _starts_here(lines, at, python)
        or _ends_rewrite(lines, at, live)
    ):
        return None
    whole = statement(lines, n)[0] if python else live
    return one_line(text), one_line(whole or live.rstrip() + ("…)" if live.rstrip().endswith("(") else ""))


def _next_code(lines: Sequence[SideLine], at: int, python: bool) -> int | None:
    if python:
        return following(lines, at)
    for n in range(at, min(at + 6, len(lines))):
        bare = lines[n].text.strip()
        if bare and not bare.startswith(("//", "/*", "*")):
            return None if bare.startswith(("}", "#", "case ", "default:")) or re.match(r"\w+:$", bare) else n
    return None


def _starts_here(lines: Sequence[SideLine], at: int, python: bool) -> bool:
    """The line is a statement of its own: the one before it has ended, and is not an `if` that it belongs to."""
    n = preceding(lines, at) if python else next((m for m in range(at - 1, -1, -1) if lines[m].text.strip()), None)
    if n is None:
        return False
    above = lines[n].text.rstrip()
    if python:
        bare = above.split("  #", maxsplit=1)[0].rstrip()
        return indent(above) >= indent(lines[at].text) or bare.endswith(":")
    return above.endswith((";", "}", "*/", "{")) or above.lstrip().startswith("//")


def _ends_rewrite(lines: Sequence[SideLine], at: int, behind: str) -> bool:
    """The way out ends code that came with it, or hands over in another form what was computed above it.

    Right before it, at its depth, new code returns a value on a condition or computes what it returns; or the value
    was computed there before, and all that is left out is another `return`. A bare `return` is not the end of such
    code: it does nothing in place of what stands behind it.
    """
    handed = _HANDS_OVER.match(_bare(lines[at].text))
    if handed is None:
        return False
    if _other_value(handed, _HANDS_OVER.match(_bare(behind))):
        return True
    own, new = indent(lines[at].text), True
    for x in reversed(lines[max(0, at - 40) : at]):
        text = _bare(x.text[:MAX_LINE])
        if not text.strip():
            continue
        if indent(text) < own:
            break
        new = new and x.changed
        value = _HANDS_OVER.search(text)
        if new and value and value[1] == "return" and value[2].rstrip("; ") not in _NOTHING:
            return True
        if indent(text) == own and (new or behind.lstrip().startswith("return")) and _computes(text, handed[2]):
            return True
    return False


def _other_value(handed: re.Match[str], behind: re.Match[str] | None) -> bool:
    """One value returned in place of another, where the other took no work; a constant in place of a value is a switch."""
    if behind is None or handed[1] != "return" or behind[1] != "return" or "(" in behind[2]:
        return False
    return not _FILLER.match(handed[2]) or bool(_FILLER.match(behind[2]))


def _computes(text: str, value: str) -> bool:
    """The line gives a name of the value something that had to be computed."""
    given = _GIVEN.match(text)
    if given is None or _FILLER.match(given[2]):
        return False
    return bool(set(_OWN_NAME.findall(given[1])) & set(_OWN_NAME.findall(value)))


def _bare(text: str) -> str:
    """The line without its comment."""
    return _ASIDE.sub("", text).rstrip()


# --- conditions that never hold ----------------------------------------------------------------------------------


def _never(lines: Sequence[SideLine], at: int, stood: set[str], python: bool) -> tuple[str, str] | None:
    """`if False` or `#if 0` around code that ran before."""
    if not (_NEVER if python else _NEVER_C).match(lines[at].text):
        return None
    n = (
        following(lines, at + 1)
        if python
        else next((m for m in range(at + 1, len(lines)) if lines[m].text.strip()), None)
    )
    if n is None or squeezed(lines[n].text) not in stood:
        return None
    return one_line(lines[at].text), one_line(lines[n].text)


def _constants(
    lines: Sequence[SideLine], other: Sequence[SideLine], hunk: DiffHunk, file: ReadFile, whole: Whole
) -> Iterator[_Dead]:
    """A switch that is now `False` whatever happens, and was not."""
    if not any("False" in x.text for x in lines if x.changed):
        return
    was: dict[tuple[str, int], list[str]] = {}
    for x in other:
        match = _SWITCH.match(x.text) if x.changed and len(x.text) < MAX_LINE else None
        if match:
            was.setdefault((match[2], len(match[1])), []).append(unwrapped(match[3]))
    names = [m[2] for x in lines if len(x.text) < MAX_LINE and (m := _SWITCH.match(x.text))]
    for at, x in enumerate(lines):
        match = _SWITCH.match(x.text) if x.changed and "False" in x.text and len(x.text) < MAX_LINE else None
        if (
            match is None
            or unwrapped(match[3]) != "False"
            or names.count(match[2]) != 1
            or x.text.rstrip().endswith(",")
        ):
            continue
        before = was.get((match[2], len(match[1])), [])
        switch = match[2].isupper() or bool(_ABOUT.search(match[2]))
        if len(before) == 1 and switch and _ran(before[0]) and not fresh(lines, at):
            yield _flag(_Dead(x.number, place(lines, at, hunk, file), "False", before[0], match[2]), file, whole)


def _flag(dead: _Dead, file: ReadFile, whole: Whole) -> _Dead:
    """A switch with the code that hangs on it, where an `if` in its reach asks for it; else as a flag alone."""
    plain = "." not in dead.flag
    pattern = re.compile(rf"\s*(?:el)?if (?:not )?{re.escape(dead.flag)}\b(?: and\b.*)?:?\s*$")
    known = sources(whole).functions(file, "+").values()
    everywhere = dead.place == file.path.rsplit("/", 1)[-1]
    own = [one for one in known if everywhere or any(_sets(line, dead.flag) for line in one.text.split("\n"))]
    seen = (line for one in own for line in one.text.split("\n")) if plain else iter(())
    if any(pattern.match(line[:MAX_LINE]) for line in seen):
        return dead._replace(flag="", how=f"{dead.flag} = {dead.how}", what=f"{dead.flag} = {dead.what}")
    owner = "" if everywhere else f"{dead.place}."
    return dead._replace(flag=owner + dead.flag.removeprefix("self."))


def _sets(line: str, name: str) -> bool:
    match = _SWITCH.match(line[:MAX_LINE])
    return match is not None and match[2] == name


def _ran(value: str) -> bool:
    """The value could be true."""
    return value not in ("False", "None") and value[-1] not in "([{,\\" and not value.endswith((" and", " or"))


# --- code turned into comments -----------------------------------------------------------------------------------


def _commented(
    hunk: DiffHunk, sign: str, file: ReadFile, texts: frozenset[int], lines: Sequence[SideLine]
) -> Iterator[_Dead]:
    """A run of lines that became comments, nothing else put in their place."""
    for run in _runs(hunk):
        hidden = [x for x in run if x.sign == sign and x.text.strip()]
        plain = [x for x in run if x.sign not in (sign, " ") and x.text.strip()]
        if not hidden or not plain or len(run) > 60:
            continue
        bare = [m[2] if (m := _COMMENT.match(x.text)) else None for x in hidden]
        wanted = [squeezed(x.text) for x in plain]
        if None in bare or not _within(wanted, [squeezed(b) for b in bare if b]):
            continue
        first = next(x for x in plain if x.text.strip())
        text = first.text.strip()
        at = next((n for n, x in enumerate(lines) if x.changed and x.number == (hidden[0].new or hidden[0].old)), None)
        if at is None or at in texts or _TALK.match(text) or _COMMENT.match(first.text) or not _whole_code(text, file):
            continue
        number = hidden[0].new or hidden[0].old
        yield _Dead(number, place(lines, at, hunk, file), one_line(hidden[0].text), one_line(text))


def _within(wanted: Sequence[str], there: Sequence[str]) -> bool:
    """All lines stand among the comments, in their order; a line of explanation may stand between them."""
    rest = iter(there)
    return all(any(w == t for t in rest) for w in wanted)


def _whole_code(text: str, file: ReadFile) -> bool:
    pattern = _CODE if _PYTHON.search(file.path) else _CODE_C
    return bool(pattern.match(text)) and not _NO_STATEMENT.match(text) and not text.endswith(",")


def _runs(hunk: DiffHunk) -> Iterator[list[DiffLine]]:
    """Neighbouring changed lines."""
    run: list[DiffLine] = []
    for x in hunk.lines:
        if x.sign == " ":
            if run:
                yield run
            run = []
        else:
            run.append(x)
    if run:
        yield run
