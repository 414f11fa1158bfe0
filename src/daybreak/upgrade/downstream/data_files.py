"""Files of lines: variables, TOML, and lists of requirements, as uses of the watched projects."""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.core.projects import Unreadable, Wanted, normalised
from daybreak.upgrade.downstream import pins
from daybreak.upgrade.downstream.commands import Word, commands, flags, guessed_by, guessed_program
from daybreak.upgrade.downstream.readers import Found, lines_of
from daybreak.upgrade.downstream.shell_commands import Embedded, Shell

_LINE = re.compile(r"\s{0,40}(?:export\s{1,20})?([A-Za-z_]\w{0,100})\s{0,20}=\s{0,20}(.*)", re.DOTALL)
_ARGUMENTS = re.compile(r"(?:^|_)(?:ARGS|FLAGS|OPTS|OPTIONS|ARGUMENTS|CMD|COMMAND)$")


def variables_file(name: str, text: str, wanted: Wanted, embedded: Embedded | None = None) -> Iterator[Found]:
    """The watched variables a file sets, and the flags that others carry."""
    del name, embedded
    prefixes = tuple(wanted.variables)
    for number, line in enumerate(lines_of(text), 1):
        match = _LINE.fullmatch(line)
        if match is None:
            continue
        value = match[2].strip()
        value = value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
        if match[1].startswith(prefixes):
            yield Found("env", match[1], number, value)
        yield from carried(match[1], value, number, wanted)


def carried(name: str, value: str | None, line: int, wanted: Wanted) -> Iterator[Found]:
    """Flags in a variable such as `VLLM_EXTRA_ARGS`, for the program that its name or they themselves give away."""
    if not value or not value.lstrip().startswith("-") or not _ARGUMENTS.search(name):
        return
    words = [Word(one.text, line) for command in commands(value) for one in command.words]
    named = [one for one in wanted.settings if _root(one) in name.lower()]
    program = guessed_program(words, wanted) or (named[0] if named else None)
    if program:
        yield from flags(words, program)


def _root(program: str) -> str:
    return program.removeprefix("python -m ").partition(" ")[0].partition(".")[0]


# --- Requirements in plain lines: requirements and constraints files, setup.cfg, tox.ini, setup.py, lock files ---

_OPTION = re.compile(r"(?:-e|--editable)[ =]\s{0,20}|-\S{1,60}.*")
_HASHES = re.compile(r"\s{1,20}(?:--hash.*|\\.*|#.*)$", re.DOTALL)
_SECTION = re.compile(r"\[([^\]\n]{1,200})\]\s{0,40}")
_REQUIREMENTS_PAIR = re.compile(r"([\w.-]{1,100})\s{0,40}[=:]\s{0,40}(.*)", re.DOTALL)
_REQUIREMENTS_STRING = re.compile(r"\"([^\"\n\\]{1,300})\"|'([^'\n\\]{1,300})'")
_LOCKED = re.compile(r"^name = \"([\w.-]{1,100})\"\r?\nversion = \"([^\"\n]{1,100})\"", re.MULTILINE)


def requirements_file(name: str, text: str, wanted: Wanted, embedded: Embedded | None = None) -> Iterator[Found]:
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
        pair = None if line[0] in " \t" else _REQUIREMENTS_PAIR.fullmatch(line)
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
        for match in _REQUIREMENTS_STRING.finditer(code[:2000]):
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


# --- TOML files: dependencies and plug-in groups of pyproject.toml and Pipfile, tasks, settings ---

_TABLE = re.compile(r"\s{0,40}\[{1,2}([^\[\]\n]{1,300})\]{1,2}\s{0,40}(?:#.*)?")
_PAIR = re.compile(r"\s{0,40}(\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[\w.-]{1,200})\s{0,40}=\s{0,40}(.*)", re.DOTALL)
_STRING = re.compile(r"\"((?:[^\"\\\n]|\\.){0,1000})\"|'([^'\n]{0,1000})'")
_INLINE = re.compile(r"(\w[\w-]{0,60})\s{0,20}=\s{0,20}(?:\"([^\"\n]{0,300})\"|'([^'\n]{0,300})')")
_DEPENDS = re.compile(
    r"project\.optional-dependencies|dependency-groups|.*?(?:^|\.)(?:dev-|pypi-)?(?:dependencies|sources|packages|dev-packages)"
)
_LISTS = frozenset(
    {
        "dependencies",
        "requires",
        "dev-dependencies",
        "constraint-dependencies",
        "override-dependencies",
        "extra-dependencies",
    }
)
_PARSED_MOST = 1_000_000


def toml_file(name: str, text: str, wanted: Wanted, embedded: Embedded | None = None) -> Iterator[Found]:
    """What a TOML file uses."""
    if name.endswith(".toml") and len(text) < _PARSED_MOST:
        _checked(text)
    yield from _Toml(wanted, embedded).read(text)


def _checked(text: str) -> None:
    import tomllib

    try:
        tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise Unreadable(f"not TOML: {str(error)[:100]}") from None


class _Toml:
    def __init__(self, wanted: Wanted, embedded: Embedded | None) -> None:
        self.wanted, self.embedded = wanted, embedded
        self.table, self.key, self.depth = "", "", 0
        self.keys: list[Found] = []

    def read(self, text: str) -> Iterator[Found]:
        for number, line in enumerate(lines_of(text), 1):
            table = _TABLE.fullmatch(line) if self.depth <= 0 else None
            if table:
                yield from self.settings()
                self.table, self.key, self.depth = table[1].strip(), "", 0
                yield from self.group(number)
                continue
            if not line.strip() or line.lstrip()[0] == "#":
                continue
            value = line
            if self.depth <= 0 and (pair := _PAIR.fullmatch(line)):
                self.key, value = pair[1].strip("\"'"), pair[2]
                yield from self.pair(value, number)
            yield from self.strings(value, number)
            bare = _STRING.sub("", value).partition("#")[0]
            self.depth += bare.count("[") + bare.count("{") - bare.count("]") - bare.count("}")
        yield from self.settings()

    def group(self, number: int) -> Iterator[Found]:
        """`[project.entry-points."vllm.general_plugins"]`."""
        match = re.fullmatch(
            r"(?:project\.entry-points|tool\.poetry\.plugins)\.[\"']?([^\"']{1,100})[\"']?", self.table
        )
        if match and is_group(match[1], self.wanted):
            yield Found("attribute", f"entry_point:{match[1]}", number)

    def pair(self, value: str, number: int) -> Iterator[Found]:
        """`vllm = "^0.14"` in a table of dependencies; other keys are kept until the table is whole."""
        project = normalised(self.key)
        depends = _DEPENDS.fullmatch(self.table)
        if depends and project in self.wanted.projects and not value.startswith("["):
            yield Found("pin", project, number, _version(value))
        elif self.table in ("project.entry-points", "tool.poetry.plugins") and is_group(self.key, self.wanted):
            yield Found("attribute", f"entry_point:{self.key}", number)
        elif self.key.startswith(tuple(self.wanted.variables)):
            said = _STRING.match(value)
            yield Found("env", self.key, number, (said[1] or said[2]) if said else value)
        else:
            said = _STRING.match(value)
            self.keys.append(Found("config_key", self.key, number, (said[1] or said[2]) if said else value.strip()))

    def strings(self, value: str, number: int) -> Iterator[Found]:
        listed = self.key in _LISTS or (_DEPENDS.fullmatch(self.table) and not value.lstrip().startswith("{"))
        for match in _STRING.finditer(value.partition(" #")[0] if "#" in value else value):
            said = match[1] or match[2] or ""
            if listed:
                pin = pins.requirement(said, self.wanted)
                if pin:
                    yield Found("pin", pin.project, number, pin.value)
            elif " " in said and not self.table.startswith("project"):
                shell = Shell(self.wanted, self.embedded).read(said)
                yield from (one._replace(line=number) for one in shell if one.kind in ("cli_flag", "env", "config_key"))

    def settings(self) -> Iterator[Found]:
        """Keys that become flags, when two of them give the program away."""
        program = guessed_by({one.name.replace("_", "-") for one in self.keys}, self.wanted)
        if program:
            yield from (one._replace(program=program) for one in self.keys)
        self.keys = []


def _version(value: str) -> str | None:
    if not value.startswith("{"):
        said = _STRING.match(value)
        return _specifier(said[1] or said[2]) if said else None
    parts = {match[1]: match[2] or match[3] for match in _INLINE.finditer(value[:2000])}
    if parts.get("version"):
        return _specifier(parts["version"])
    ref = parts.get("tag") or parts.get("rev") or parts.get("branch")
    return f"@{ref}" if ref else None


def _specifier(text: str | None) -> str | None:
    bare = (text or "").replace(" ", "")
    return None if bare in ("", "*") else f"=={bare}" if bare[0].isdigit() else bare
