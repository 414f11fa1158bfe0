"""Manifests of Cargo, Go and npm: what they ask for, the language they need, and their own version."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from daybreak.findings.languages.base import MAX_LINE
from daybreak.findings.paths import builds_part

HELD_ABOVE = "workspace"
"""The version of a crate that its workspace says."""
_REQUIRED = re.compile(r"^\s*(?:require\s+)?([\w.~/-]{3,200})\s+(v[\w.+-]{1,80})\s*(//\s*indirect)?")
_REPLACED = re.compile(r"^\s*(?:replace\s+)?([\w.~/-]{3,200})(?:\s+v\S{1,80})?\s+=>\s+(\S{1,200})(?:\s+(v\S{1,80}))?")
_LEAST = re.compile(r"^(go|toolchain)\s+(?:go)?([\w.-]{1,40})\s*$")
_OPENED = re.compile(r"^(require|replace|exclude|retract|tool|ignore)\s*\(")

_UNPUBLISHED = re.compile(r"^publish\s*=\s*false\b|\"private\"\s*:\s*true\b", re.MULTILINE)


def is_part(path: str, text: str) -> bool:
    """A manifest below the root whose package nobody can install: what it is built with is no requirement of users."""
    return "/" in path and builds_part(path) and _UNPUBLISHED.search(text) is not None


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
    """Modules that are asked for, not those that these ask for in turn; and the Go that is needed."""
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
            yield Pin("dependency", found[1], found[2], number, "go")
        elif word == "replace" and (found := _REPLACED.match(line[:MAX_LINE])):
            yield Pin("dependency", found[1], f"=> {found[2]} {found[3] or ''}".strip(), number, "go replace")


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
