"""Requirements in plain lines: requirements and constraints files, setup.cfg, tox.ini, setup.py, lock files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.core.projects import Wanted, normalised
from daybreak.upgrade.downstream import pins
from daybreak.upgrade.downstream.readers import Found, lines_of
from daybreak.upgrade.downstream.shell_commands import Embedded, Shell

_OPTION = re.compile(r"(?:-e|--editable)[ =]\s{0,20}|-\S{1,60}.*")
_HASHES = re.compile(r"\s{1,20}(?:--hash.*|\\.*|#.*)$", re.DOTALL)
_SECTION = re.compile(r"\[([^\]\n]{1,200})\]\s{0,40}")
_PAIR = re.compile(r"([\w.-]{1,100})\s{0,40}[=:]\s{0,40}(.*)", re.DOTALL)
_STRING = re.compile(r"\"([^\"\n\\]{1,300})\"|'([^'\n\\]{1,300})'")
_LOCKED = re.compile(r"^name = \"([\w.-]{1,100})\"\r?\nversion = \"([^\"\n]{1,100})\"", re.MULTILINE)


def found(name: str, text: str, wanted: Wanted, embedded: Embedded | None = None) -> Iterator[Found]:
    """Pins of a file with one requirement a line."""
    del name, embedded
    for number, line in enumerate(lines_of(text), 1):
        bare = line.strip()
        if not bare or bare[0] == "#":
            continue
        bare = _OPTION.sub("", bare, count=1) if bare[0] == "-" else bare
        pin = pins.requirement(_HASHES.sub("", bare), wanted) if bare else None
        if pin:
            yield Found("pin", pin.project, number, pin.value)


def sections(name: str, text: str, wanted: Wanted, embedded: Embedded | None = None) -> Iterator[Found]:
    """setup.cfg and tox.ini: requirements, plug-in groups, commands."""
    del name
    section, key = "", ""
    shell = Shell(wanted, embedded)
    for number, line in enumerate(lines_of(text), 1):
        if not line.strip() or line.lstrip()[0] in "#;":
            continue
        head = _SECTION.fullmatch(line)
        if head:
            section, key = head[1], ""
            continue
        pair = None if line[0] in " \t" else _PAIR.fullmatch(line)
        value = line.strip()
        if pair:
            key, value = pair[1], pair[2].strip()
            if section == "options.entry_points" and is_group(key, wanted):
                yield Found("attribute", f"entry_point:{key}", number)
        if key.startswith(("command", "allowlist")):
            yield from shell.read(value, number)
        elif key in ("setenv", "set_env", "environment", "env"):
            yield from shell.read(f"export {value}", number)
        elif section.startswith("options") or key in ("deps", "requires", "dependencies", "install_requires"):
            pin = pins.requirement(value, wanted)
            if pin:
                yield Found("pin", pin.project, number, pin.value)


def is_group(group: str, wanted: Wanted) -> bool:
    """Whether an entry-point group is one a watched package looks plug-ins up in."""
    return any(group.startswith((f"{one}.", f"{one}_")) for one in wanted.packages)


def setup_script(name: str, text: str, wanted: Wanted, embedded: Embedded | None = None) -> Iterator[Found]:
    """Strings of setup.py that are requirements or plug-in groups."""
    del name, embedded
    for number, line in enumerate(lines_of(text), 1):
        code = line.partition(" #")[0]
        for match in _STRING.finditer(code[:2000]):
            said = match[1] or match[2]
            if is_group(said, wanted) and re.fullmatch(r"[\w.]{3,100}", said) and _opens(code, match.end()):
                yield Found("attribute", f"entry_point:{said}", number)
            pin = pins.requirement(said, wanted)
            if pin and (pin.value or re.match(r"\s{0,9}[,\]]", code[match.end() :])):
                yield Found("pin", pin.project, number, pin.value)


def _opens(code: str, at: int) -> bool:
    return re.match(r"\s{0,9}:", code[at : at + 12]) is not None


def locked(name: str, text: str, wanted: Wanted, embedded: Embedded | None = None) -> Iterator[Found]:
    """uv.lock, poetry.lock, pdm.lock: exact versions."""
    del name, embedded
    line, seen = 1, 0
    for match in _LOCKED.finditer(text):
        if normalised(match[1]) in wanted.projects:
            line += text.count("\n", seen, match.start(2))
            seen = match.start(2)
            yield Found("pin", normalised(match[1]), line, f"=={match[2]}")
