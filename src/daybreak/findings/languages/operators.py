"""Operators that C++ and Python register with torch, and functions that extensions export to Python.

A torch operator is called by others as `torch.ops.<library>.<name>`, also where the library's name starts with an
underscore (`_C`): its name and its arguments are a promise. Exports of TVM-FFI and pybind11 modules are called by the
project's own Python; they are told, but break only where a package hands them on as its functions (exports_reach.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from daybreak.core.model.findings import Alias
from daybreak.findings.blobs import Row, Surface
from daybreak.findings.languages.base import MAX_LINE, Fact, ReadFile, Whole, bracketed, keywords, literal, same_words
from daybreak.findings.paths import BEHIND, ships

if TYPE_CHECKING:
    from daybreak.findings.compare import FilePair

_CPP_HINT = re.compile(r"\.def\(|TORCH_LIBRARY|TVM_FFI_DLL_EXPORT|py::arg|pybind11::arg|^\s*\"")
_PY_HINT = re.compile(r"custom_op|\.define\(|op_name|op_func|^\s*(?:async )?def |^\s+\w+\s*:\s*[\w\"].*,\s*$")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*\"", re.DOTALL)
_LIBRARY = re.compile(
    r"\b(?:STABLE_)?TORCH_LIBRARY\w{0,40}\(\s*(\w+(?:\([^()]{0,80}\))?)\s*,\s*(?:\w+\s*,\s*)?(\w+)\s*\)"
    r"|\bPYBIND11_MODULE\("
)
_DEF = re.compile(r"\b(\w{1,40})\.def\(\s*((?:\"(?:[^\"\\\n]|\\.)*\"\s*)+)")
_EXPORT = re.compile(r"\bTVM_FFI_DLL_EXPORT_TYPED_FUNC\w{0,20}\(\s*(\w{1,160})\s*,")
_OTHER_NAME = re.compile(
    r"^\s{0,60}\w{1,40}\.attr\(\s{0,9}\"(\w{1,160})\"\s{0,9}\)\s{0,9}=\s{0,9}\w{1,40}\.attr\(\s{0,9}\"(\w{1,160})\""
)
_QUOTED = re.compile(r"\"(\w{1,160})")
_ARG = re.compile(r"(?:py|pybind11)::arg\(\s*\"(\w{1,120})\"\s*\)\s*(=?)")
_DIRECT = re.compile(r"\b(?:direct_register_custom_op|register_custom_op|custom_op)\(")
_DEFINE = re.compile(r"\b\w{1,40}\.define\(\s*((?:[\"'](?:[^\"'\\\n]|\\.)*[\"']\s*)+)")
_FUNCTION = re.compile(r"^[ \t]*(?:async )?def (\w{1,160})\(", re.MULTILINE)
_BINDINGS = re.compile(r"(?:bindings?|extension|registration)\w{0,40}\.(?:cpp|cc|cu)$")
_SEP = "\x1f"
MOST_FAILED = 50
"""Calls without an end in one file; more of them, and the file is no code."""


class Argument(NamedTuple):
    """One argument of an operator."""

    name: str
    kind: str
    default: bool


def touched(file: ReadFile) -> bool:
    """Some changed line may register an operator or belong to a registration."""
    if file.area in BEHIND or file.tool:
        return False
    if file.path.endswith((".py", ".pyi")):
        return any(x.sign != " " and _PY_HINT.search(x.text[:400]) for h in file.hunks for x in h.lines)
    if _BINDINGS.search(file.path[-200:]) and file.hunks:
        return True  # what it registers must be known even where only an `#if` around it changed
    return any(x.sign != " " and _CPP_HINT.search(x.text[:400]) for h in file.hunks for x in h.lines)


def surface(path: str, text: str) -> Surface:
    """Every operator the file registers, by `library::name`; overloads by platform keep their first schema."""
    if path.endswith((".py", ".pyi")):
        try:
            return Surface(_in_python(text))
        except ValueError:
            return Surface(broken=True)  # named as not understood: half of its operators would look removed
    clean = _COMMENT.sub(lambda m: m[0] if m[0][0] == '"' else re.sub(r"[^\n]", " ", m[0]), text)
    return Surface([*_in_cpp(clean), *_exports(clean)])


# --- reading -----------------------------------------------------------------------------------------------------


def _in_cpp(text: str) -> Iterator[Row]:
    libraries = [(m.start(), m[1] or "", m[1] is None) for m in _LIBRARY.finditer(text)]
    at, line, seen = -1, 1, 0
    for match in _DEF.finditer(text):
        while at + 1 < len(libraries) and libraries[at + 1][0] < match.start():
            at += 1
        library, pybind = libraries[at][1:] if at >= 0 else ("", not libraries)
        line += text.count("\n", seen, match.start())
        seen = match.start()
        schema = " ".join("".join(re.findall(r"\"((?:[^\"\\\n]|\\.)*)\"", match[2])).split())
        if not schema:
            continue
        form = "pybind" if pybind and "(" not in schema else "torch"
        behind = text[match.end() : match.end() + 4000].partition(".def(")[0]
        yield _operator(schema, library, line, form, behind)


def _operator(schema: str, library: str, line: int, form: str, behind: str) -> Row:
    name, _, rest = schema.partition("(")
    name = name.strip()
    if "::" in name:
        library, _, name = name.partition("::")
    details = {"form": form, "library": library, "name": name}
    if rest:
        arguments = _schema_arguments(rest)
        returns = rest.rpartition("->")[2].strip() if "->" in rest else ""
        details |= {
            "arguments": _packed(arguments),
            "known": "yes" if arguments is not None else "",
            "returns": returns,
        }
    elif form == "pybind" and (named := _named_arguments(behind)):
        details |= {"arguments": _packed(named), "known": "yes"}
        schema = f"{name}({', '.join(a.name + ('=' if a.default else '') for a in named)})"
    return Row("operator", name, line, schema, details)


def _schema_arguments(rest: str) -> list[Argument] | None:
    span = bracketed(rest)
    if span is None or not span.whole:
        return None
    out = []
    for part in span.parts:
        if part == "*":
            continue
        head, has, _ = part.partition("=")
        words = head.split()
        if len(words) >= 2:
            out.append(Argument(words[-1], " ".join(words[:-1]), bool(has)))
    return out


def _named_arguments(behind: str) -> list[Argument]:
    span = bracketed("," + behind.lstrip().lstrip(","))
    if span is None or not span.whole:
        return []
    found = (_ARG.match(part) for part in span.parts)
    return [Argument(m[1], "", bool(m[2])) for m in found if m]


def _packed(arguments: list[Argument] | None) -> str:
    return _SEP.join(f"{a.name}|{a.kind}|{int(a.default)}" for a in arguments or [])


def _unpacked(text: str) -> list[Argument]:
    parts = [p.split("|") for p in text.split(_SEP) if p]
    return [Argument(name, kind, default == "1") for name, kind, default in parts]


def _exports(text: str) -> Iterator[Row]:
    line, seen = 1, 0
    for match in _EXPORT.finditer(text):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        yield Row("operator", match[1], line, match[1], {"form": "export", "library": "", "name": match[1]})


def _direct(text: str) -> Iterator[re.Match[str]]:
    """Every call of `_DIRECT`: found by the word they share, which is much faster than looking for the pattern."""
    at = text.find("custom_op(")
    while at >= 0:
        starts = (at - len(lead) for lead in ("direct_register_", "register_", ""))
        found = next((m for start in starts if start >= 0 and (m := _DIRECT.match(text, start))), None)
        if found is not None:
            yield found
        at = text.find("custom_op(", at + 1)


def _in_python(text: str) -> Iterator[Row]:
    if "custom_op" not in text and ".define(" not in text:
        return
    functions: dict[str, int] | None = None
    line, seen, failed = 1, 0, 0
    for match in _direct(text):
        if text[max(0, match.start() - 4) : match.start()].endswith("def "):
            continue
        line += text.count("\n", seen, match.start())
        seen = match.start()
        span = bracketed(text[match.end() : match.end() + 6000])
        if span is None or not span.whole:
            failed += 1
            if failed > MOST_FAILED:
                raise ValueError("a file of open brackets")
            continue
        if functions is None:
            functions = {m[1]: m.end() for m in _FUNCTION.finditer(text)}
        end = match.end() + span.length
        decorates = text[max(0, match.start() - 200) : match.start()].rpartition("\n")[2].lstrip().startswith("@")
        decorated = _FUNCTION.search(text[end : end + 2000]) if decorates else None
        row = _python_operator(span.parts, functions, text, decorated, line)
        if row is not None:
            yield row
    for match in _DEFINE.finditer(text) if ".define(" in text else ():
        schema = " ".join("".join(re.findall(r"[\"']((?:[^\"'\\\n]|\\.)*)[\"']", match[1])).split())
        if "(" in schema:
            yield _operator(schema, "", text.count("\n", 0, match.start()) + 1, "torch", "")


def _python_operator(
    parts: Sequence[str], functions: dict[str, int], text: str, decorated: re.Match[str] | None, line: int
) -> Row | None:
    """An operator whose schema is the signature of the function that implements it."""
    named = keywords(parts)
    first = literal(parts[0]) if parts else None
    name = literal(named.get("op_name", "")) or literal(named.get("name", "")) or first
    function = named.get("op_func") or (parts[1] if len(parts) > 1 and first and "=" not in parts[1] else None)
    if decorated is not None:
        name, function = name or decorated[1], decorated[1]
    if not name or not re.fullmatch(r"[\w:.]+", name):
        return None
    library, _, short = name.rpartition("::")
    details = {"form": "python", "library": library, "name": short}
    shown = short
    at = functions.get(function or "")
    span = bracketed(text[at : at + 6000]) if at is not None else None
    if span is not None and span.whole:
        arguments = [_python_argument(p) for p in span.parts if p not in ("*", "/", "self")]
        details |= {"arguments": _packed(arguments), "known": "yes"}
        shown = f"{short}({', '.join(span.parts)})"
    return Row("operator", short, line, shown[:1200], details)


def _python_argument(part: str) -> Argument:
    name = re.match(r"\*{0,2}(\w*)", part)
    kind = re.sub(r"\s*=.*", "", part.partition(":")[2]).strip().replace("|", "/")
    return Argument(name[1] if name else part, kind, "=" in re.sub(r"\[.*?\]", "", part))


# --- comparing ---------------------------------------------------------------------------------------------------


def compare(pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:
    """Operators that came, went, took another name or other arguments; one that only moved gives nothing.

    What several platforms' files say alike is told once.
    """
    told: set[tuple[str, str, str | None]] = set()
    for fact in _compared(pairs, whole):
        key = (fact.kind, fact.symbol, fact.after)
        if key not in told:
            told.add(key)
            yield fact


def _compared(pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:
    everywhere_old = {row.name for pair in pairs for row in pair.old.values()}
    everywhere_new = {row.name for pair in pairs for row in pair.new.values()}
    for pair in pairs:
        for key, was in pair.old.items():
            now = pair.new.get(key)
            if now is not None:
                yield from _changed(pair.file, was, now)
    yield from _moved_and_changed(pairs)
    if not whole.complete:
        return
    lost = [(p.file, r) for p in pairs for r in p.old.values() if r.name not in everywhere_new]
    come = [(p.file, r) for p in pairs for r in p.new.values() if r.name not in everywhere_old]
    kept = _other_names(whole)
    instead = {was: now for pair in pairs for was, now in _written_instead(pair.file)}
    lost = [x for x in lost if x[1].name not in whole.added_words or x[1].name in kept or _renamed_to(x[1], come)]
    come = [x for x in come if x[1].name not in whole.removed_words or _renamed_to(x[1], lost)]
    yield from _came_and_went(lost, come, kept, instead)


def _written_instead(file: ReadFile) -> Iterator[tuple[str, str]]:
    """Names on lines that others took the place of: of the same function, or with a word more: `m.def("old_name", &old_name)`."""
    for hunk in file.hunks:
        runs = [(sign, [x.text[:MAX_LINE] for x in some]) for sign, some in groupby(hunk.lines, lambda x: x.sign)]
        for (gone, old), (come, new) in pairwise(runs):
            if (gone, come) != ("-", "+") or len(old) != len(new):
                continue
            for was, now in zip(old, new, strict=True):
                first, second = _QUOTED.search(was), _QUOTED.search(now)
                if first and second and _is_one(was, now, first[1], second[1]):
                    yield first[1], second[1]


def _is_one(was: str, now: str, first: str, second: str) -> bool:
    """Whatever else stood there, `fwd` on the line of `bwd` is another function."""
    if "&" in was and was.replace(f'"{first}"', "") == now.replace(f'"{second}"', ""):
        return True
    few, many = sorted((set(first.split("_")), set(second.split("_"))), key=len)
    return 1 < len(few) < len(many) and few < many and was.replace(first, "") == now.replace(second, "")


def _other_names(whole: Whole) -> dict[str, str]:
    """Names that a module gives to what it has under another one, and that one: `m.attr("old") = m.attr("new")`."""
    ours = [file for file in whole.files if file.area not in BEHIND]
    lines = (line for file in ours for hunk in file.hunks for line in hunk.lines if line.sign == "+")
    return {found[1]: found[2] for line in lines for found in _OTHER_NAME.finditer(line.text[:MAX_LINE])}


def _came_and_went(
    lost: list[tuple[ReadFile, Row]], come: list[tuple[ReadFile, Row]], kept: dict[str, str], instead: dict[str, str]
) -> Iterator[Fact]:
    taken: set[str] = set()
    for file, row in lost:
        stands = row.name in kept
        known = kept.get(row.name) or instead.get(row.name)
        after = next((r for _, r in come if r.name == known), None) or _renamed_to(row, come)
        breaks = (_breaks(file, row) or _is_called_by_library(file, row)) and not stands
        alias = Alias("kept", file.path) if stands else _none(breaks)
        if after is not None and (after.name == known or _renamed_to(after, lost) is row):
            taken.add(after.name)
            yield Fact("operator_renamed", file.path, after.line, row.name, row.name, after.name, breaks, alias)
            yield from _changed(file, row, replace(after, name=row.name)) if stands else ()
        elif not stands:
            yield Fact("operator_removed", file.path, row.line, row.name, row.text, None, breaks, alias)
    for file, row in come:
        if row.name not in taken:
            yield Fact("operator_added", file.path, row.line, row.name, None, row.text)


def _none(breaks: bool) -> Alias | None:
    return Alias("none") if breaks else None


def _renamed_to(row: Row, others: list[tuple[ReadFile, Row]]) -> Row | None:
    """The only other one with the same words in its name, or the same arguments where there are enough to tell."""
    if len(near := [r for _, r in others if same_words(r.name, row.name)]) == 1:
        return near[0]
    if len(_unpacked(row.details.get("arguments", ""))) < 2:
        return None
    same = [r for _, r in others if r.details.get("arguments") == row.details["arguments"]]
    return same[0] if len(same) == 1 else None


def _breaks(file: ReadFile, row: Row) -> bool:
    """Others call it: a torch operator that C++ registers."""
    return row.details["form"] == "torch" and not row.name.startswith("_") and file.path.endswith(_COMPILED)


_COMPILED = (".cpp", ".cc", ".cu", ".h", ".hpp", ".cuh", ".cxx")


def _is_called_by_library(file: ReadFile, row: Row) -> bool:
    """A torch operator that Python registers: as long as it is there whoever knows its library can call it."""
    return row.details["form"] == "python" and not row.name.startswith("_") and ships(file.path)


def _moved_and_changed(pairs: Sequence[FilePair]) -> Iterator[Fact]:
    """An operator that left one file and came in another, with other arguments."""
    left = {r.name: r for p in pairs for k, r in p.old.items() if k not in p.new}
    for pair in pairs:
        for key, now in pair.new.items():
            if key not in pair.old and now.name in left:
                yield from _changed(pair.file, left[now.name], now)


def _changed(file: ReadFile, was: Row, now: Row) -> Iterator[Fact]:
    if not (was.details.get("known") and now.details.get("known")):
        return
    before, after = _unpacked(was.details["arguments"]), _unpacked(now.details["arguments"])
    returns = was.details.get("returns") != now.details.get("returns")
    if [_plain(a) for a in before] == [_plain(a) for a in after] and not returns:
        return
    python = {was.details["form"], now.details["form"]} == {"python"} and not now.name.startswith("_")
    breaks = (_breaks(file, now) or python) and requires_more(before, after)
    yield Fact("operator_changed", file.path, now.line, now.name, was.text, now.text, breaks, _none(breaks))


def _plain(argument: Argument) -> tuple[str, str, bool]:
    """Without marks of aliasing, which callers do not see."""
    return argument.name, re.sub(r"!|\(\w+!?\)", "", argument.kind).replace("SymInt", "int"), argument.default


def _only_renames(before: Sequence[Argument], after: Sequence[Argument]) -> bool:
    """Same places and types throughout, and no argument that took the place of another."""
    was, now = {a.name for a in before}, {a.name for a in after}
    return len(before) == len(after) and all(
        _plain(a)[1:] == _plain(b)[1:] and (a.name == b.name or (a.name not in now and b.name not in was))
        for a, b in zip(before, after, strict=True)
    )


def requires_more(before: Sequence[Argument], after: Sequence[Argument]) -> bool:
    """A call that was right no longer is: an argument is gone, has another place, must now be given.

    Operators are called by position: other names for the same arguments in the same places break no such call.
    """
    if _only_renames(before, after):
        return False
    names = [a.name for a in after]
    if any(a.name not in names for a in before):
        return True
    known = {a.name: a for a in before}
    if any(a.name not in known and not a.default for a in after):
        return True
    if any(known[a.name].default and not a.default for a in after if a.name in known):
        return True
    kept = [n for n in names if n in known]
    return kept != [a.name for a in before] or names[: len(kept)] != kept
