"""Hardware architectures that a build or a dispatch table names: `sm_90a`, `compute_120`, `9.0;10.0a`, `gfx942`.

A file's lists are read by name and, in CMake, by the branch that sets them: what one branch still holds, another may have
lost. They are compared as sets, so a list that was reordered gives nothing; where the branches themselves are other ones,
an architecture is gone only when none of them holds it. What one kernel's list lost and another list still has is built
for all the same: that is told of the list, and of nobody's hardware.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from daybreak.core.model.findings import Alias
from daybreak.findings.blobs import Row, Surface
from daybreak.findings.languages.base import Fact, ReadFile, Whole, bracketed
from daybreak.findings.languages.python_public import private, read_at_all
from daybreak.findings.paths import BEHIND

if TYPE_CHECKING:
    from daybreak.findings.compare import FilePair

_HINT = re.compile(
    r"\b(?:sm_?\d{2,3}|compute_\d{2,3}|gfx\d{3,4}|\d{1,2}\.\d[af]?\b)|ARCH|capabilit|major_versions", re.IGNORECASE
)
_SETTING = re.compile(
    r"^[ \t]*(?:(?:set|list)\s*\(\s*(?:APPEND\s+)?|cuda_archs_loose_intersection\s*\(\s*|(?:ARG|ENV|export)\s+)?"
    r"(\w{0,60}(?:ARCHS?|ARCH_LIST|ARCHITECTURES|AMDGPU_TARGETS?|GPU_TARGETS))\b[ \t]*=?[ \t]*(?!\$)"
    r"(\"[^\"\n]{0,400}\"|'[^'\n]{0,400}'|[0-9a-z][\w.;+ ]{0,300})",
    re.MULTILINE,
)
_PYTHON_LIST = re.compile(
    r"((?:supported_(?:compute_capability|major_versions|archs?|sms?|capabilities)|SUPPORTED_(?:CC|ARCHS?|SMS?|CAPABILITIES)))"
    r"[ \t]*(?::[^=\n]{0,80})?(?:=|\()[ \t]*(?:frozenset\(|set\(|tuple\()?([\[({])"
)
_PREFIX = re.compile(r"\w{0,60}$")
_PYTHON_HINT = re.compile(
    r"\bsm_?\d{2,3}|compute_|gfx\d{3}|capabilit|major_versions|SUPPORTED|^\s*[\d\s,\[\]()]{2,80}$", re.IGNORECASE
)
_GENCODE = re.compile(r"arch=compute_(\d{2,3}[af]?)\b")
_REMARK = re.compile(
    r"^[ \t]*(?:#(?!\s{0,20}(?:if|el|endif|define|include|undef|pragma|error))|//)[^\n]*", re.MULTILINE
)
"""A line of remarks alone: an example in it builds nothing."""
_DOTTED = re.compile(r"\b(\d{1,2})\.(\d)([af]?)(?:\+PTX)?(?![\w.])")
_NAMED = re.compile(r"\b(?:sm_?|compute_)(\d{2,3}[af]?)\b", re.IGNORECASE)
_AMD = re.compile(r"\b(gfx\d{2,3}[0-9a-f])\b")
_NUMBER = re.compile(r"\b(\d{2,3})[af]?\b")
_WHOLE_PROJECT = re.compile(r"^(?:CUDA|HIP|ROCM)_SUPPORTED_ARCHS$")
_BEHIND = re.compile(r"^(?:docker/|\.)|dockerfile", re.IGNORECASE)


def touched(file: ReadFile) -> bool:
    """Some changed line names an architecture or a list of them."""
    if file.area in BEHIND or file.tool:
        return False
    hint = _PYTHON_HINT if file.path.endswith((".py", ".pyi")) else _HINT
    return any(x.sign != " " and hint.search(x.text[:600]) for h in file.hunks for x in h.lines)


def surface(path: str, text: str) -> Surface:
    """Each list of architectures by name; lists of one name are one row that holds them all."""
    lists: dict[str, tuple[int, set[str]]] = {}
    python = path.endswith((".py", ".pyi"))
    text = _REMARK.sub(lambda found: " " * len(found[0]), text)
    for name, offset, found in (
        (*_python_lists(text), *_gencode(text)) if python else (*_settings(text), *_gencode(text))
    ):
        if not found:
            continue
        _, archs = lists.setdefault(name, (text.count("\n", 0, offset) + 1 if len(lists) < 400 else 1, set()))
        archs |= found
    return Surface(
        Row("arch", name, line, ";".join(sorted(archs, key=_rank)), {}) for name, (line, archs) in lists.items()
    )


def _settings(text: str) -> Iterator[tuple[str, int, set[str]]]:
    branches: list[str] = []
    branching = _BRANCH.finditer(text)
    ahead = next(branching, None)
    for match in _SETTING.finditer(text):
        while ahead is not None and ahead.start() < match.start():
            _step(branches, ahead)
            ahead = next(branching, None)
        value = match[2].strip("\"'")
        yield match[1] + (f" ({branches[-1]})" if branches and branches[-1] else ""), match.start(), named(value)


_BRANCH = re.compile(
    r"^[ \t]*(if|elseif|else|endif)[ \t]*\(((?:[^()]|\([^()]{0,200}\)){0,400})\)", re.MULTILINE | re.IGNORECASE
)
_VERSION = re.compile(r"(\w*VERSION\w*)\s+VERSION_(GREATER|LESS|EQUAL)(_EQUAL)?\s+\"?([\w.]+)")
_SIGNS = {"GREATER": ">", "LESS": "<", "EQUAL": "="}


def _step(branches: list[str], branch: re.Match[str]) -> None:
    """Enters or leaves a branch of CMake; of its condition the last version that it asks for is its name."""
    word = branch[1].lower()
    asked = _VERSION.findall(branch[2])
    name = ""
    if asked:
        what, sign, equal, version = asked[-1]
        name = f"{what} {_SIGNS[sign]}{'=' if equal or sign == 'EQUAL' else ''} {version}"
    if word == "if":
        branches.append(name)
    elif branches and word == "endif":
        branches.pop()
    elif branches:
        branches[-1] = name if word == "elseif" else branches[-1] and f"not {branches[-1]}"


def _gencode(text: str) -> Iterator[tuple[str, int, set[str]]]:
    found = list(_GENCODE.finditer(text))
    if found:
        yield "gencode", found[0].start(), {f"sm_{m[1]}" for m in found}


def _python_lists(text: str) -> Iterator[tuple[str, int, set[str]]]:
    if "supported_" not in text and "SUPPORTED_" not in text:
        return
    failed = 0
    for match in _listed(text):
        span = bracketed(text[match.end() : match.end() + 1500])
        if span is None or not span.whole:
            failed += 1
            if failed > 50:  # no code looks like this
                return
            continue
        inside = ", ".join(span.parts)
        name = _decorated(text, match, match.end() + span.length) or _prefixed(text, match)
        if "major" in match[1]:
            yield name, match.start(), {f"sm_{n}x" for n in re.findall(r"\b(\d{1,2})\b", inside)}
        else:
            yield name, match.start(), named(inside) | {f"sm_{n}" for n in _NUMBER.findall(inside)}


def _listed(text: str) -> Iterator[re.Match[str]]:
    """What the pattern finds, tried only where one of its two words stands."""
    end = 0
    for at in sorted(m for word in ("supported_", "SUPPORTED_") for m in _places(text, word)):
        if at >= end and (match := _PYTHON_LIST.match(text, at)) is not None:
            end = match.end()
            yield match


def _places(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))


_CLASS = re.compile(r"^class (\w{1,120})", re.MULTILINE)


def _prefixed(text: str, match: re.Match[str]) -> str:
    """The list's whole name: `_TOPK_SUPPORTED_CC`."""
    before = _PREFIX.search(text[max(0, match.start() - 60) : match.start()])
    return (before[0] if before else "") + match[1]


def _decorated(text: str, match: re.Match[str], end: int) -> str | None:
    """The function under a decorator that holds the list; of a constructor its class."""
    if not text[max(0, match.start() - 200) : match.start(1)].rpartition("\n")[2].strip().startswith("@"):
        return None
    found = re.search(r"^[ \t]*(?:def|class) (\w{1,120})", text[end : end + 1500], re.MULTILINE)
    if found and found[1] == "__init__":
        return next(iter(_CLASS.findall(text[: match.start()])[-1:]), None)
    return found[1] if found else None


def named(text: str) -> set[str]:
    """The architectures a text names, in one spelling: `sm_90a`, `gfx942`."""
    dotted = {f"sm_{major}{minor}{tail}" for major, minor, tail in _DOTTED.findall(text)}
    return dotted | {f"sm_{n.lower()}" for n in _NAMED.findall(text)} | set(_AMD.findall(text))


def _rank(arch: str) -> tuple[int, str]:
    digits = re.search(r"\d+", arch)
    return (int(digits[0]) if digits else 0, arch)


def compare(pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:
    """Architectures that a list of the same name and branch gained or lost; new and dropped lists are other things."""
    del whole
    known = tuple(
        {family(a) for pair in pairs for row in _sides(pair)[at][0].values() for a in _of(row)} for at in (0, 1)
    )
    for pair in pairs:
        alone = [_united(row for key, row in side.items() if key not in other) for side, other in _sides(pair)]
        same = ((pair.old[key], now) for key, now in pair.new.items() if key in pair.old)
        left = ((alone[0][name], now) for name, now in alone[1].items() if name in alone[0])
        for was, now in (*same, *left):
            if was.text != now.text:
                yield from _differences(pair.file, was, now, *known)


def _sides(pair: FilePair) -> tuple[tuple[Surface, Surface], tuple[Surface, Surface]]:
    return (pair.old, pair.new), (pair.new, pair.old)


def _united(rows: Iterable[Row]) -> dict[str, Row]:
    """Lists whose branch the other side does not have, by their bare name."""
    out: dict[str, Row] = {}
    for row in rows:
        name = row.name.partition(" (")[0]
        known = set(out[name].text.split(";")) if name in out else set()
        text = ";".join(sorted(known | set(row.text.split(";")), key=_rank))
        out[name] = Row("arch", name, row.line, text, {})
    return out


def _differences(file: ReadFile, was: Row, now: Row, before: set[str], after: set[str]) -> Iterator[Fact]:
    """One finding for what came and one for what went, however many they are, and one for what only this list has otherwise."""
    bare, _, branch = now.name.partition(" (")
    shown, where = (f"{was.name}={was.text}", f"{now.name}={now.text}"), f" ({branch}" if branch else ""
    come, lost = _missing(now, was, covers=False), _missing(was, now, covers=True)
    if not _WHOLE_PROJECT.match(bare):  # the project builds nothing for what its own list lacks
        kept = [a for a in (*come, *lost) if family(a) in (before if a in come else after)]
        come, lost = ([a for a in some if a not in kept] for some in (come, lost))
        if kept:
            tighter = _is_called(file, bare) and set(_of(now)) < set(_of(was))
            kind = "arch_list_narrowed" if tighter else "arch_list_changed"
            yield Fact(kind, file.path, now.line, now.name, was.text, now.text, tighter)
    if come:
        yield Fact("arch_added", file.path, now.line, ", ".join(come) + where, *shown)
    if lost:
        breaks = bool(_WHOLE_PROJECT.match(bare)) and not _BEHIND.search(file.path)
        alias = Alias("none") if breaks else None
        yield Fact("arch_removed", file.path, now.line, ", ".join(lost) + where, *shown, breaks, alias)


def _is_called(file: ReadFile, name: str) -> bool:
    """The list stands on a function that users call, and is not one that several share."""
    return read_at_all(file) and not private(name) and "supported" not in name.lower()


def _missing(here: Row, there: Row, covers: bool) -> list[str]:
    """Architectures of one list that the other does not build for."""
    families, other = {family(a) for a in _of(there)}, _of(there)
    return [a for a in _of(here) if family(a) not in families and not (covers and _base(a) in other)]


def _of(row: Row) -> list[str]:
    return row.text.split(";")


def family(arch: str) -> str:
    """`sm_90a` and `sm_90` build for the same chips; `sm_100f` is the family of them."""
    return arch.rstrip("af") if arch.startswith("sm_") else arch


def held(path: str, text: str) -> set[str]:
    """The families that the lists of a file name."""
    return {family(a) for row in surface(path, text).values() for a in _of(row)}


def spellings(arch: str) -> tuple[str, ...]:
    """How a list may write it: `sm_120a` is `12.0`, `compute_120` or a bare number; a whole generation has its own lists."""
    digits = family(arch).removeprefix("sm_")
    if digits.endswith("x"):
        return ("major_versions",)
    return (digits, f"{digits[:-1]}.{digits[-1:]}") if arch.startswith("sm_") else (arch,)


def of_list(fact: Fact) -> Fact:
    """What a fact about an architecture says of the list alone."""
    name, _, was = (fact.before or "").rpartition("=")
    now = (fact.after or "").rpartition("=")[2]
    return Fact("arch_list_changed", fact.path, fact.line, name, was, now)


def _base(arch: str) -> str:
    """From Blackwell on code for the first of a generation runs on all of it: `sm_120` on `sm_121`."""
    return f"{family(arch)[:-1]}0" if re.fullmatch(r"sm_1\d\d[af]?", arch) else ""
