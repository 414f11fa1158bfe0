"""C, C++ and CUDA: functions and macros of installed headers, operators that bindings register.

Conservative on purpose: a function counts only when its whole parameter list is in the hunk before and after,
and only in headers that are meant to be included by others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.read.diff import DiffHunk, SideLine, side
from daybreak.read.languages.base import MAX_LINE, Fact, ReadFile, Whole, bracketed, joined, touched

_HEADER = re.compile(r"(?:^|/)include/.{1,300}\.(?:h|hpp|hh|cuh)$")
_OPERATOR = re.compile(r"\b(?:m|ops|lib|cpu_ops|rocm_ops|\w{1,20}_ops)\.def\(\s*\"((?:[^\"\\]|\\.){1,2000})\"")
_FUNCTION = re.compile(r"(?:[A-Za-z_][\w:<>,*&]{0,200}[ ]+){1,6}[*&]{0,2}([A-Za-z_]\w{1,120})\(")
_MACRO = re.compile(r"#\s{0,3}define ([A-Z][A-Z0-9_]{2,120})(\([^)]{0,200}\))?[ \t]*(.{0,300})")
_WORDS = frozenset({"if", "for", "while", "switch", "return", "sizeof", "else", "do", "case", "throw", "new", "using"})
_QUIET = frozenset({"test", "docs", "ci", "generated", "vendored"})


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """What happened to the C++ surface of a file."""
    if file.area in _QUIET or file.change.status in "AC":
        return
    header = bool(_HEADER.search(file.path[-400:]))
    binding = ".def(" in file.change.patch
    for hunk in file.hunks if header or binding else ():
        if binding:
            yield from _operators(file, hunk, whole)
        if header:
            yield from _macros(file, hunk, whole)
            yield from _functions(file, hunk)


def _operators(file: ReadFile, hunk: DiffHunk, whole: Whole) -> Iterator[Fact]:
    old, new = _schemas(side(hunk, "-")), _schemas(side(hunk, "+"))
    for name in old.keys() & new.keys():
        was, now = old[name][1], new[name][1]
        if was != now:
            breaks = _requires_more(was, now)
            yield Fact("operator_changed", file.path, new[name][0], name, was, now, breaks)
    for name, (line, schema, changed) in old.items():
        if changed and name not in new and whole.complete and not whole.stands(name):
            yield Fact("operator_removed", file.path, line, name, schema, None, True)


def _schemas(lines: list[SideLine]) -> dict[str, tuple[int, str, bool]]:
    """Operator name → line, schema, changed; adjacent string literals are joined as the compiler does."""
    out: dict[str, tuple[int, str, bool]] = {}
    for at, line in enumerate(lines):
        if ".def(" not in line.text or len(line.text) > MAX_LINE:
            continue
        text = re.sub(r"\"\s*\n\s*\"", "", joined(lines, at, 30))
        match = _OPERATOR.search(text)
        if match:
            schema = " ".join(match[1].split())
            name = schema.split("(")[0].strip()
            out[name] = (line.number, schema, touched(lines, at, match.end()))
    return out


def _requires_more(was: str, now: str) -> bool:
    """The new schema has an argument without default that the old one had not, or lost one."""
    if "(" not in was or "(" not in now:
        return False
    old, new = bracketed(was.split("(", 1)[1]), bracketed(now.split("(", 1)[1])
    if not (old and new and old.whole and new.whole):
        return False
    names = [
        {p.split("=")[0].split()[-1]: "=" in p for p in span.parts if p.split("=")[0].split()} for span in (old, new)
    ]
    return any(n not in names[0] and not default for n, default in names[1].items()) or bool(
        set(names[0]) - set(names[1])
    )


def _macros(file: ReadFile, hunk: DiffHunk, whole: Whole) -> Iterator[Fact]:
    found: dict[str, dict[str, tuple[int, str]]] = {"-": {}, "+": {}}
    for x in hunk.lines:
        match = _MACRO.match(x.text) if x.sign in "+-" and "define" in x.text[:12] else None
        if match and not x.text.rstrip().endswith("\\"):
            found[x.sign][match[1]] = (x.old or x.new, ((match[2] or "") + " " + match[3]).strip())
    for name in found["-"].keys() & found["+"].keys():
        (_, was), (line, now) = found["-"][name], found["+"][name]
        if was != now and was and now:
            yield Fact("macro_changed", file.path, line, name, was, now)
    for name, (line, _) in found["-"].items():
        if whole.complete and not whole.stands(name):
            yield Fact("macro_removed", file.path, line, name, name, None)


def _functions(file: ReadFile, hunk: DiffHunk) -> Iterator[Fact]:
    old, new = _signatures(side(hunk, "-")), _signatures(side(hunk, "+"))
    for name in old.keys() & new.keys():
        was, now = old[name], new[name]
        if was[1] != now[1] and (was[2] or now[2]):
            yield Fact("cpp_signature_changed", file.path, now[0], name, f"{name}({was[1]})", f"{name}({now[1]})")


def _signatures(lines: list[SideLine]) -> dict[str, tuple[int, str, bool]]:
    """Function name → line, parameters, changed; overloads within one hunk are left out."""
    out: dict[str, tuple[int, str, bool]] = {}
    twice = set()
    for at, line in enumerate(lines):
        text = line.text
        if "(" not in text or len(text) > 400 or (text[:1].isspace() and not text.startswith("  ")):
            continue
        if text.startswith("   ") or text.rstrip().endswith("\\") or "=" in text.split("(")[0]:
            continue
        match = _FUNCTION.match(text.strip())
        if match is None or match[1] in _WORDS or text.split()[0] in _WORDS:
            continue
        span = bracketed(joined(lines, at, 40).lstrip()[match.end() :])
        if span is None or not span.whole:
            continue
        if match[1] in out:
            twice.add(match[1])
        out[match[1]] = (line.number, ", ".join(span.parts), touched(lines, at, match.end() + span.length - 1))
    return {name: value for name, value in out.items() if name not in twice}
