"""What files of dependencies and builds say: requirements, pyproject, setup.py, Dockerfiles, CMake, versions; manifests stand beside.

Each form gives rows; `dependencies` compares them. Every form is read line by line or with the standard library.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Any

from daybreak.findings.languages.base import MAX_LINE, bracketed, literal
from daybreak.findings.languages.manifests import Pin, cargo, go_mod, line_of, package_json, table_of
from daybreak.findings.paths import Manifest, manifest

_SPECIFIER = r"(?:[=<>!~]=|[<>])=?\s{0,3}[\w.*+!-]{1,60}"
REQUIREMENT = re.compile(
    rf"\s{{0,8}}([A-Za-z][\w.-]{{0,80}})\s?(\[[\w,. -]{{1,80}}\])?\s{{0,3}}({_SPECIFIER}(?:\s{{0,2}},\s{{0,2}}{_SPECIFIER}){{0,40}})?"
    r"\s{0,3}(?:@\s{0,3}(\S{1,300}))?\s{0,3}(?=;|#|$)"
)
_QUOTED = re.compile(r"\"([^\"\n]{1,300})\"|'([^'\n]{1,300})'")
_ARGUMENT = re.compile(
    r"^[ \t]{0,8}(?:ARG|ENV)[ \t]+([A-Z][A-Z0-9_]{0,60}(?:VERSION|_VER|_TAG|_BRANCH|_COMMIT|_REF|_SHA|_HASH))[ \t]{0,2}[= ]"
    r"[ \t]{0,2}[\"']?([^\s\"'$]{1,120})",
    re.MULTILINE,
)
_BASE = re.compile(r"^[ \t]{0,8}FROM[ \t]+(?:--platform=\S{1,60}[ \t]+)?([\w./-]{1,160}):([\w.-]{1,120})", re.MULTILINE)
_SOURCE = re.compile(
    r"GIT_REPOSITORY\s+\"?[^\s\"]{0,300}?([\w.-]{1,80}?)(?:\.git)?\"?\s(?:[^()]{0,400}?\s)?GIT_TAG\s+\"?([^\s\")]{1,120})"
)
_REVISION = re.compile(
    r"^[ \t]*set\s*\(\s*(\w{2,60}_(?:REVISION|TAG|COMMIT|SHA))\s+\"?([\w.+-]{1,120})\"?", re.MULTILINE
)
_CMAKE_LEAST = re.compile(r"^[ \t]*cmake_minimum_required\s*\(\s*VERSION\s+([\d.]{1,20})", re.MULTILINE | re.IGNORECASE)
_CMAKE_SET = re.compile(
    r"^[ \t]*set\s*\(\s*((?:TORCH|PYTHON|CUDA|ROCM|HIP)_SUPPORTED_VERSIONS?(?:_\w{1,20})?)\s+([\"\d. ]{1,200})\)",
    re.MULTILINE,
)
_CMAKE_FIND = re.compile(
    r"^[ \t]*find_package\s*\(\s*(CUDA|CUDAToolkit|Python3?|Torch|HIP)\s+([\d.]{1,20})\b", re.MULTILINE
)
_VERSION_FILE = re.compile(r"^v?(\d{1,6}(?:\.\w{1,24}){1,5})\s*$", re.MULTILINE)
_VERSION_PY = re.compile(r"^__version__\s*=\s*[\"']([\w.+!-]{1,60})[\"']", re.MULTILINE)
_EXTRAS = re.compile(r"\bextras_require\s*=\s*\{")
_LONGEST_EXTRAS = 6000
_PYTHON_LEAST = re.compile(r"\bpython_requires\s*=\s*[\"']([^\"'\n]{1,60})[\"']")
_NOT_FOR_USERS = re.compile(r"test|dev|docs?$|lint|build|bench|ci$|nightly", re.IGNORECASE)


def pins(path: str, text: str) -> Iterator[Pin]:
    """Everything the file pins; nothing for a file of another kind."""
    form = manifest(path)
    if form is not None:
        yield from _FORMS[form](text)


def normal(name: str) -> str:
    """A package's name as installers compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def requirement(text: str) -> tuple[str, str] | None:
    """`torch[x] >= 2.9 ; marker` → (`torch`, `>=2.9`); a package without a version is any (`*`)."""
    match = REQUIREMENT.match(text[:MAX_LINE])
    if match is None:
        return None
    extras = "".join((match[2] or "").split())
    value = "".join((match[3] or "").split()) or (f"@{match[4]}" if match[4] else "*")
    return match[1], f"{extras} {value}".strip()


def _requirements(text: str) -> Iterator[Pin]:
    for number, line in enumerate(text.split("\n"), 1):
        found = requirement(line) if line[:1] not in ("#", "-", "") else None
        if found:
            yield Pin("dependency", found[0], found[1], number)


def _listed(text: str, values: Any, scope: str) -> Iterator[Pin]:
    for value in values if isinstance(values, list) else ():
        found = requirement(value) if isinstance(value, str) else None
        if found:
            yield Pin("dependency", found[0], found[1], line_of(text, value), scope)


def _pyproject(text: str) -> Iterator[Pin]:
    data = tomllib.loads(text)
    project = table_of(data, "project")
    lists = {"": project.get("dependencies"), "build": table_of(data, "build-system").get("requires")}
    for extra, values in table_of(project, "optional-dependencies").items():
        if not _NOT_FOR_USERS.search(extra):
            yield Pin("extra", extra, extra, line_of(text, extra), "")
            lists[f"[{extra}]"] = values
    own = normal(name) if isinstance(name := project.get("name"), str) else ""
    for scope, values in lists.items():  # `own[extra]` is a list of the same file
        yield from (pin for pin in _listed(text, values, scope) if normal(pin.name) != own)
    if isinstance(version := project.get("version"), str):
        yield Pin("version", "", version, line_of(text, f'"{version}"'))
    if isinstance(least := project.get("requires-python"), str):
        yield Pin("python_required", "", least, line_of(text, "requires-python"))


def _setup(text: str) -> Iterator[Pin]:
    extras = list(_extras(text))
    for _, extra in extras:
        if not _NOT_FOR_USERS.search(extra):
            yield Pin("extra", extra, extra, line_of(text, f'"{extra}"'))
    place = 0
    for number, line in enumerate(text.split("\n"), 1):
        start, place = place, place + len(line) + 1
        if line.lstrip().startswith("#") or len(line) > MAX_LINE or not re.search(r"[=<>~]=|>", line):
            continue
        for quoted in _QUOTED.finditer(line):
            found = requirement(quoted[1] or quoted[2])
            at = bisect_right(extras, start + quoted.start(), key=lambda one: one[0])
            extra = extras[at - 1][1] if at else ""
            if found and found[1].split()[-1] != "*" and not _NOT_FOR_USERS.search(extra):
                yield Pin("dependency", found[0], found[1], number, f"[{extra}]" if extra else "")
    if least := _PYTHON_LEAST.search(text):
        yield Pin("python_required", "", least[1], text.count("\n", 0, least.start()) + 1)


def _extras(text: str) -> Iterator[tuple[int, str]]:
    """Where each extra of setup.py begins, and its name; without one where the last has ended."""
    match = _EXTRAS.search(text)
    place = match.end() if match else 0
    extras = bracketed(text[place : place + _LONGEST_EXTRAS]) if match else None
    if extras is None or not extras.whole:
        return
    end = place + extras.length
    for part in extras.parts:
        key = part.partition(":")[0].strip()
        found = re.compile(re.escape(key) + r"\s{0,8}:").search(text, place, end)
        if found and (extra := literal(key)):
            yield found.start(), extra
            place = found.end()
    yield end, ""


def _dockerfile(text: str) -> Iterator[Pin]:
    for match in _ARGUMENT.finditer(text):
        yield Pin("pin", match[1], match[2], text.count("\n", 0, match.start()) + 1)
    for match in _BASE.finditer(text):
        yield Pin("image", match[1], match[2], text.count("\n", 0, match.start()) + 1)


def _cmake(text: str) -> Iterator[Pin]:
    plain = re.sub(r"#[^\n]*", lambda m: " " * len(m[0]), text)
    for kind, pattern in (("source", _SOURCE), ("source", _REVISION), ("toolchain_required", _CMAKE_FIND)):
        for match in pattern.finditer(plain):
            if not match[2].startswith("$"):
                yield Pin(kind, match[1], match[2], plain.count("\n", 0, match.start(2)) + 1)
    for match in _CMAKE_SET.finditer(plain):
        value = ", ".join(re.findall(r"[\d.]+", match[2]))
        yield Pin("toolchain_required", match[1], value, plain.count("\n", 0, match.start()) + 1)
    for match in _CMAKE_LEAST.finditer(plain):
        yield Pin("toolchain_required", "CMake", f">={match[1]}", plain.count("\n", 0, match.start()) + 1)


def _version(text: str) -> Iterator[Pin]:
    match = _VERSION_FILE.search(text[:400]) or _VERSION_PY.search(text)
    if match:
        yield Pin("version", "", match[1], text.count("\n", 0, match.start()) + 1)


_FORMS: dict[Manifest, Callable[[str], Iterator[Pin]]] = {
    "pyproject": _pyproject,
    "cargo": cargo,
    "go": go_mod,
    "npm": package_json,
    "setup": _setup,
    "dockerfile": _dockerfile,
    "cmake": _cmake,
    "version": _version,
    "requirements": _requirements,
}
