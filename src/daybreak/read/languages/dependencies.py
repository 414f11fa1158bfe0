"""Pins: requirements, pyproject and setup.py, Dockerfile arguments, CMake tags, the project's own version.

A pin is compared with itself inside one file; a line that only moved or changed its comment gives nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.read.languages.base import MAX_LINE, Fact, ReadFile, Whole

_PACKAGE = r"([A-Za-z][\w.-]{0,80})(\[[\w,. -]{1,80}\])?\s{0,3}((?:[=<>!~]=|[<>])\s{0,3}[\w.*+!-]{1,60}(?:\s{0,2},\s{0,2}[=<>!~]{1,2}\s{0,3}[\w.*+!-]{1,60}){0,4})"
_REQUIREMENT = re.compile(rf"^\s{{0,8}}{_PACKAGE}")
_QUOTED = re.compile(rf"[\"']{_PACKAGE}\s{{0,3}}(?:;[^\"']{{0,200}})?[\"']")
_ARGUMENT = re.compile(
    r"^\s{0,8}(?:ARG|ENV)\s+([A-Z][A-Z0-9_]{0,60}(?:VERSION|_VER|_TAG|_BRANCH|_COMMIT|_REF|_SHA|_HASH))\s{0,2}[= ]\s{0,2}(\S{1,120})"
)
_BASE = re.compile(r"^\s{0,8}FROM\s+(?:--platform=\S{1,60}\s+)?([\w./-]{1,160}):([\w.-]{1,120})")
_TAG = re.compile(r"^\s{0,20}GIT_TAG\s+(\S{1,120})")
_REPOSITORY = re.compile(r"GIT_REPOSITORY\s+\S{0,200}?([\w.-]{1,80}?)(?:\.git)?\s*$")
_VERSION = re.compile(r"^version\s{0,3}=\s{0,3}\"([\w.+-]{1,60})\"")
_PYTHON = re.compile(r"^requires-python\s{0,3}=\s{0,3}[\"']([^\"']{1,60})[\"']")
_PLAIN_VERSION = re.compile(r"^v?(\d{1,6}(?:\.\w{1,12}){1,5})\s*$")
_QUIET = frozenset({"test", "docs", "ci", "generated", "vendored", "lock"})

_Pins = dict[tuple[str, str], tuple[int, str]]


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Pins that came, went or changed."""
    del whole
    if file.area in _QUIET:
        return
    old, new = _pins(file, "-"), _pins(file, "+")
    for key, (line, now) in new.items():
        kind, name = key
        if key not in old:
            if kind == "dependency":
                yield Fact("dependency_added", file.path, line, name, None, now)
        elif old[key][1] != now:
            yield Fact(f"{kind}_changed", file.path, line, name, old[key][1], now)
    for (kind, name), (line, was) in old.items():
        if kind == "dependency" and (kind, name) not in new and not _seen_again(file, name):
            yield Fact("dependency_removed", file.path, line, name, was, None)


def _seen_again(file: ReadFile, name: str) -> bool:
    """The package still stands in what the file's diff shows (an extra marker, an unpinned line)."""
    lowered = name.lower()
    return any(x.sign != "-" and lowered in x.text.lower() for h in file.hunks for x in h.lines)


def _pins(file: ReadFile, sign: str) -> _Pins:
    """(kind, name) → line and value on the lines of one sign; a name met twice with two values is left out."""
    out: _Pins = {}
    twice: set[tuple[str, str]] = set()
    for hunk in file.hunks:
        tag_of = ""
        for x in hunk.lines:
            if len(x.text) > MAX_LINE:
                continue
            repository = _REPOSITORY.search(x.text[:400]) if "GIT_REPOSITORY" in x.text else None
            tag_of = repository[1] if repository else tag_of
            if x.sign != sign:
                continue
            for kind, name, value in _on_line(file.path, x.text, tag_of):
                if out.get((kind, name), (0, value))[1] != value:
                    twice.add((kind, name))
                out[(kind, name)] = (x.old or x.new, value)
    return {key: value for key, value in out.items() if key not in twice}


def _on_line(path: str, text: str, tag_of: str) -> Iterator[tuple[str, str, str]]:
    name = path.rsplit("/", 1)[-1].lower()
    if "dockerfile" in name:
        if match := _ARGUMENT.match(text):
            yield "pin", match[1], match[2]
        elif match := _BASE.match(text):
            yield "image", match[1], match[2]
    elif name.endswith(".cmake") or name == "cmakelists.txt":
        if tag_of and (match := _TAG.match(text)):
            yield "source", tag_of, match[1]
    elif name in ("version.txt", ".python-version"):
        if match := _PLAIN_VERSION.match(text):
            yield "version", path, match[1]
    elif name.endswith(".toml") or name == "setup.py":
        yield from _in_project(path, text)
    elif name.endswith((".txt", ".in")) and (match := _REQUIREMENT.match(text)):
        yield "dependency", match[1], "".join(match[3].split())


def _in_project(path: str, text: str) -> Iterator[tuple[str, str, str]]:
    if text.lstrip().startswith("#"):
        return
    if match := _VERSION.match(text):
        yield "version", path, match[1]
    elif match := _PYTHON.match(text):
        yield "python_required", path, match[1]
    else:
        for match in _QUOTED.finditer(text[:600]):
            yield "dependency", match[1], "".join(match[3].split())
