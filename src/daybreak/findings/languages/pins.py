"""What files of dependencies and builds say: requirements, pyproject, setup.py, Dockerfiles, CMake, versions; manifests stand beside.

Each form gives rows; `dependencies` compares them. Every form is read line by line or with the standard library.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from daybreak.core.versions import normalised
from daybreak.findings.languages.base import MAX_LINE, bracketed, literal
from daybreak.findings.paths import Manifest, builds_part, manifest

# Manifests of Cargo, Go and npm: what they ask for, the language they need, and their own version.
HELD_ABOVE = "workspace"
"""The version of a crate that its workspace says."""
_REQUIRED = re.compile(r"^\s*(?:require\s+)?([\w.~/-]{3,200})\s+(v[\w.+-]{1,80})\s*(//\s*indirect)?")
_REPLACED = re.compile(r"^\s*(?:replace\s+)?([\w.~/-]{3,200})(?:\s+(v\S{1,80}))?\s+=>\s+(\S{1,200})(?:\s+(v\S{1,80}))?")
_LEAST = re.compile(r"^(go|toolchain)\s+(?:go)?([\w.-]{1,40})\s*$")
_OPENED = re.compile(r"^(require|replace|exclude|retract|tool|ignore)\s*\(")

_UNPUBLISHED = re.compile(r"^publish\s*=\s*false\b|\"private\"\s*:\s*true\b", re.MULTILINE)

_NAMED = re.compile(r"^\[(?:project|tool\.poetry)\]", re.MULTILINE)


def is_part(path: str, text: str) -> bool:
    """A manifest below the root whose package nobody can install: what it is built with is no requirement of users."""
    return "/" in path and builds_part(path) and _UNPUBLISHED.search(text) is not None


def is_package(path: str, text: str) -> bool:
    """A manifest that names what is installed; one of tools alone, or of a workspace, is none."""
    return manifest(path) == "setup" or _NAMED.search(text) is not None


class Pin(NamedTuple):
    """One thing a file pins or asks for."""

    kind: str
    """`dependency`, `extra`, `pin`, `image`, `source`, `version`, `python_required` or `toolchain_required`."""
    name: str
    value: str
    line: int = 0
    scope: str = ""
    """The list it stands in, where that is not the one of every installation: `build`, `[audio]` of an extra, `npm`."""


def line_of(text: str, value: str) -> int:
    """Line of the first place of a text; the first line when it is not there."""
    place = text.find(value)
    return text.count("\n", 0, place) + 1 if place >= 0 else 1


def table_of(data: Any, *keys: str) -> Mapping[str, Any]:
    """The table below these keys; an empty one when there is none."""
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def cargo(text: str) -> Iterator[Pin]:
    """A crate's dependencies, its version and the Rust it needs; what the workspace says stands there as such."""
    data = tomllib.loads(text)
    for keys in (("dependencies",), ("workspace", "dependencies")):
        for name, value in table_of(data, *keys).items():
            table = value if isinstance(value, dict) else {"version": value}
            pinned = next(
                (table[k] for k in ("version", "rev", "tag", "branch") if isinstance(table.get(k), str)), None
            )
            pinned = HELD_ABOVE if table.get("workspace") is True else pinned
            if pinned is not None:
                yield Pin("dependency", name, pinned, line_of(text, f"\n{name} ") + 1, "crate")
    for keys in (("package",), ("workspace", "package")):
        table = dict(table_of(data, *keys))
        if isinstance(version := table.get("version"), str):
            yield Pin("version", "", version, line_of(text, f'"{version}"'))
        if isinstance(rust := table.get("rust-version"), str):
            yield Pin("toolchain_required", "rust", rust, line_of(text, "rust-version"))


def go_mod(text: str) -> Iterator[Pin]:
    """Modules that are asked for, not those that these ask for in turn; and the Go that is needed.

    A module that another version or a fork replaces is asked for as that.
    """
    taken: dict[str, Pin] = {}
    block = ""
    for number, line in enumerate(text.split("\n"), 1):
        opened = _OPENED.match(line[:MAX_LINE])
        if opened or line.startswith(")"):
            block = opened[1] if opened else ""
            continue
        word = block or line.partition(" ")[0]
        if least := _LEAST.match(line[:MAX_LINE]):
            if least[1] == "go":
                yield Pin("toolchain_required", "Go", least[2], number)
        elif word == "require" and (found := _REQUIRED.match(line[:MAX_LINE])) and not found[3]:
            taken.setdefault(found[1], Pin("dependency", found[1], found[2], number, "go"))
        elif word == "replace" and (found := _REPLACED.match(line[:MAX_LINE])) and found[4]:
            old = taken.get(found[1])
            if old is None or found[2] in (
                None,
                old.value,
            ):  # of another version than the one that is taken it replaces nothing
                value = found[4] if found[1] == found[3] else f"=> {found[3]} {found[4]}"
                taken[found[1]] = Pin("dependency", found[1], value, number, "go")
    yield from taken.values()


def package_json(text: str) -> Iterator[Pin]:
    """What a package takes along when it is installed, what it asks its users for, and the engines it needs."""
    try:
        data = msgspec.json.decode(text.encode())
    except msgspec.DecodeError as error:
        raise ValueError("no JSON") from error
    for key, scope in (("dependencies", "npm"), ("peerDependencies", "npm peer"), ("optionalDependencies", "npm")):
        for name, value in table_of(data, key).items():
            if isinstance(value, str) and not value.startswith(("workspace:", "file:", "link:")):
                yield Pin("dependency", name, value[:120], line_of(text, f'"{name}"'), scope)
    for name, value in table_of(data, "engines").items():
        if isinstance(value, str):
            yield Pin("toolchain_required", name, value[:60], line_of(text, f'"{name}"'))
    version = data.get("version") if isinstance(data, dict) else None
    if isinstance(version, str) and version.strip("0."):
        yield Pin("version", "", version[:60], line_of(text, f'"{version}"'))


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


BUILD = "build"
"""The list of what a source is built with."""


def _pyproject(text: str) -> Iterator[Pin]:
    data = tomllib.loads(text)
    project = table_of(data, "project")
    lists = {"": project.get("dependencies"), BUILD: table_of(data, "build-system").get("requires")}
    for extra, values in table_of(project, "optional-dependencies").items():
        if not _NOT_FOR_USERS.search(extra):
            yield Pin("extra", extra, "", line_of(text, extra), "")
            lists[f"[{extra}]"] = values
    own = normalised(name) if isinstance(name := project.get("name"), str) else ""
    for scope, values in lists.items():  # `own[extra]` is a list of the same file
        yield from (pin for pin in _listed(text, values, scope) if normalised(pin.name) != own)
    if own:
        yield Pin("distribution", "", own, line_of(text, "\nname") + 1)
    if isinstance(version := project.get("version"), str):
        yield Pin("version", "", version, line_of(text, f'"{version}"'))
    if isinstance(least := project.get("requires-python"), str):
        yield Pin("python_required", "", least, line_of(text, "requires-python"))


def _setup(text: str) -> Iterator[Pin]:
    extras = list(_extras(text))
    for _, extra in extras:
        if not _NOT_FOR_USERS.search(extra):
            yield Pin("extra", extra, "", line_of(text, f'"{extra}"'))
    place = 0
    for number, line in enumerate(text.split("\n"), 1):
        start, place = place, place + len(line) + 1
        if line.lstrip().startswith("#") or len(line) > MAX_LINE:
            continue
        for quoted in _QUOTED.finditer(line):
            found = requirement(quoted[1] or quoted[2])
            at = bisect_right(extras, start + quoted.start(), key=lambda one: one[0])
            extra = extras[at - 1][1] if at else ""
            # a text without a version is a requirement where nothing but requirements stands
            meant = found and (found[1].split()[-1] != "*" or (extra and line[quoted.end() :].lstrip()[:1] != ":"))
            if found and meant and not _NOT_FOR_USERS.search(extra):
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
    given = list(_ARGUMENT.finditer(text))
    for at, match in enumerate(given):
        later = next((one for one in given[at + 1 :] if one[1] == match[1]), None)
        if later is None or _is_met(match[1], text[match.end() : later.start()]):
            yield Pin("pin", match[1], match[2], text.count("\n", 0, match.start()) + 1)
    for match in _BASE.finditer(text):
        yield Pin("image", match[1], match[2], text.count("\n", 0, match.start()) + 1)


def _is_met(name: str, between: str) -> bool:
    """Something takes the value before it is given anew, or another stage begins, which has values of its own."""
    return re.search(rf"^[ \t]{{0,8}}FROM\s|\$\{{?{name}\b", between, re.MULTILINE | re.IGNORECASE) is not None


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
