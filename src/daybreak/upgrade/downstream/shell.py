"""Files whose lines are commands: shell scripts, Makefiles, Procfiles, systemd units, Dockerfiles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from daybreak.core.projects import Wanted
from daybreak.upgrade.downstream import pins
from daybreak.upgrade.downstream.commands import Word, commands
from daybreak.upgrade.downstream.nodes import Unclosed, flow
from daybreak.upgrade.downstream.readers import Found, lines_of
from daybreak.upgrade.downstream.shell_commands import Embedded, Shell

_CONTROL = re.compile(
    r"[ \t]*(?:\{%[^\n]{0,300}%\}|\{\{-?[ \t]*(?:if|else|end|range|with|define|/\*)[^\n]{0,300}\}\})[ \t]*"
)
_MAKE_SET = re.compile(
    r"(?:export[ \t]{1,20}|override[ \t]{1,20})?([A-Za-z_]\w{0,100})[ \t]{0,40}(?:::?|\?|\+)?=[ \t]{0,40}(.*)",
    re.DOTALL,
)
_MAKE_READ = re.compile(r"\$\((\w{1,100})\)")
_MAKE_PREFIX = re.compile(r"[ \t]*(?:[@+-]{1,3}[ \t]*)?")
"""At the start of a recipe's line only: further on, a dash belongs to a flag."""
_PROC = re.compile(r"[ \t]*[\w-]{1,60}:[ \t]+")
_UNIT = re.compile(r"(Exec\w{1,20}|Environment|command|environment)[ \t]{0,20}=[ \t]{0,20}[-@:+!]{0,3}(.*)", re.DOTALL)
_PAIR = re.compile(
    r"\"([A-Za-z_]\w{0,100}=[^\"\n]{0,500})\"|([A-Za-z_]\w{0,100}=(?:\"[^\"\n]{0,500}\"|'[^'\n]{0,500}'|[^\s,]{0,500}))"
)


def shell_file(name: str, text: str, wanted: Wanted, embedded: Embedded | None = None) -> Iterator[Found]:
    """What a script uses; the name says how its lines are to be taken."""
    lowered = name.lower()
    if lowered.startswith(("makefile", "gnumakefile", "justfile")) or lowered.endswith((".mk", ".make")):
        text = _makefile(text)
    elif lowered.startswith("procfile"):
        text = "\n".join(_PROC.sub("", line, count=1) for line in lines_of(text))
    elif lowered.endswith((".service", ".socket", ".conf", ".ini", ".timer")):
        text = _unit(text)
    else:
        text = "\n".join("" if _CONTROL.fullmatch(line) else line for line in lines_of(text))
    yield from Shell(wanted, embedded).read(text)


def _makefile(text: str) -> str:
    """The same lines as shell: recipes without their marks, variables as assignments."""
    lines: list[str] = []
    joined = False
    for line in lines_of(text):
        shell = _MAKE_READ.sub(r"${\1}", line.replace("$$", "$"))
        given = None if line.startswith("\t") or joined else _MAKE_SET.fullmatch(shell)
        if given:
            shell = _assignment(line, given)
        elif not joined:
            marks = _MAKE_PREFIX.match(shell)
            shell = shell[marks.end() :] if marks and shell[:1] in "\t @" else _target(shell)
        lines.append(shell)
        joined = line.endswith("\\")
        if not joined and lines and _opened(lines):
            lines[-1] += '"'
    return "\n".join(lines)


def _assignment(line: str, given: re.Match[str]) -> str:
    word = "export " if line.lstrip().startswith("export") else ""
    value = given[2].replace('"', '\\"')
    return f'{word}{given[1]}="{value}' + ("" if line.endswith("\\") else '"')


def _opened(lines: list[str]) -> bool:
    """Whether the line closes an assignment that was continued over lines."""
    at = len(lines) - 2
    while at >= 0 and at > len(lines) - 200 and lines[at].endswith("\\"):
        at -= 1
    first = lines[at + 1] if at + 1 < len(lines) - 1 else ""
    return re.match(r'(?:export )?[A-Za-z_]\w{0,100}="', first) is not None


def _target(line: str) -> str:
    """`serve: deps ; command`: only the command is run."""
    return line.partition(";")[2] if re.match(r"[\w./$(){} %-]{1,200}:(?!=)", line) else line


def _unit(text: str) -> str:
    """Units and supervisor sections: what is started and the environment it gets."""
    lines: list[str] = []
    joined = False
    for line in lines_of(text):
        match = _UNIT.fullmatch(line.strip())
        if joined:
            lines.append(line)
        elif match and match[1].lower() == "environment":
            pairs = [f'"{one[1]}"' if one[1] else one[2] for one in _PAIR.finditer(match[2])]
            lines.append("export " + " ".join(pairs))
        else:
            lines.append(match[2] if match else "")
            joined = match is not None
        joined = joined and line.endswith("\\")
    return "\n".join(lines)


# --- Dockerfiles: base images, variables, commands in both forms ---

_INSTRUCTION = re.compile(r"\s{0,40}(?:ONBUILD\s{1,20})?([A-Za-z]{2,12})\s{1,40}(.*)", re.DOTALL)
_OPTION = re.compile(r"--[\w-]{1,30}(?:=\S{0,300})?\s{1,40}")
_HERE = re.compile(r"<<-?\s{0,9}['\"]?([A-Za-z_]\w{0,60})")


class _Step(NamedTuple):
    word: str
    rest: str
    line: int


def dockerfile(name: str, text: str, wanted: Wanted, embedded: Embedded | None = None) -> Iterator[Found]:
    """What a Dockerfile uses, stage by stage."""
    del name
    yield from _Stages(wanted, embedded).read(text)


class _Stages:
    def __init__(self, wanted: Wanted, embedded: Embedded | None) -> None:
        self.wanted = wanted
        self.shell = Shell(wanted, embedded)
        self.program = ""
        self.entry: list[Word] = []
        self.stages: dict[str, str] = {}

    def read(self, text: str) -> Iterator[Found]:
        for step in _steps(text):
            match step.word:
                case "FROM":
                    yield from self.base(step)
                case "COPY" | "ADD":
                    yield from self.copied(step)
                case "ENV" | "ARG":
                    yield from self.variable(step)
                case "RUN" | "SHELL":
                    yield from self.ran(step)
                case "CMD" | "ENTRYPOINT" | "HEALTHCHECK":
                    yield from self.started(step)

    def base(self, step: _Step) -> Iterator[Found]:
        words = [pins.expanded(word, self.shell.variables) for word in _OPTION.sub("", step.rest).split()]
        self.program, self.entry = self.stages.get(words[0].lower(), "") if words else "", []
        known = pins.image(words[0], self.wanted) if words else None
        if known:
            self.program = self.wanted.images[known[0]]
            yield Found("pin", known[1].project, step.line, known[1].value)
        if len(words) > 2 and words[1].lower() == "as":
            self.stages[words[2].lower()] = self.program

    def copied(self, step: _Step) -> Iterator[Found]:
        match = re.search(r"--from=(\S{1,300})", step.rest)
        known = pins.image(pins.expanded(match[1], self.shell.variables), self.wanted) if match else None
        if known:
            yield Found("pin", known[1].project, step.line, known[1].value)

    def variable(self, step: _Step) -> Iterator[Found]:
        name, space, value = step.rest.partition(" ")
        text = step.rest if "=" in name or not space else f'{name}="{value.strip()}"'
        yield from self.shell.read(f"export {text}", step.line)

    def ran(self, step: _Step) -> Iterator[Found]:
        rest, line = step.rest, step.line
        while match := _OPTION.match(rest):
            line += rest.count("\n", 0, match.end())
            rest = rest[match.end() :]
        words = _exec_form(rest, line)
        if words:
            yield from self.shell.passed(words, "", 0)
            return
        here = _HERE.match(rest)
        body, _, _ = rest.partition("\n")[2].rpartition("\n") if here else ("", "", "")
        yield from self.shell.read(body, line + 1) if here else self.shell.read(rest, line)

    def started(self, step: _Step) -> Iterator[Found]:
        rest, line = step.rest, step.line
        if step.word == "HEALTHCHECK":
            before, _, rest = rest.partition("CMD")
            line += before.count("\n")
            rest = rest.lstrip(" ")
        words = _exec_form(rest, line)
        if words is None:
            yield from self.shell.read(rest, line)
            words = [one for command in commands(rest, line)[:1] for one in command.words]
        elif step.word == "CMD" and self.entry:
            yield from self.shell.passed([*self.entry, *words], "", 0)
        else:
            yield from self.shell.passed(words, self.program, 0)
        if step.word == "ENTRYPOINT":
            self.entry, self.program = words, ""


def _exec_form(text: str, line: int) -> list[Word] | None:
    start = len(text) - len(text.lstrip())
    if text[start : start + 1] != "[":
        return None
    try:
        node, _ = flow(text.replace("\\\n", " \n"), start, line)
    except Unclosed:
        return None
    return [Word(item.text or "", item.line) for item in node.items]


def _steps(text: str) -> Iterator[_Step]:
    """Instructions with their continued lines; comments between those are blank."""
    lines = lines_of(text)
    at = 0
    while at < len(lines):
        start, parts = at, [lines[at]]
        if lines[at].lstrip().startswith("#"):
            at += 1
            continue
        while at + 1 < len(lines) and (parts[-1].rstrip().endswith("\\") or _is_note(lines, at + 1, parts)):
            at += 1
            note = lines[at].lstrip().startswith("#") or not lines[at].strip()
            parts[-1] = parts[-1].rstrip()
            parts.append("\\" if note else lines[at])
        here = _HERE.search(parts[-1])
        while here and at + 1 < len(lines) and parts[-1].strip() != here[1]:
            at += 1
            parts.append(lines[at])
        match = _INSTRUCTION.fullmatch("\n".join(parts))
        if match:
            yield _Step(match[1].upper(), match[2], start + 1)
        at += 1


def _is_note(lines: list[str], at: int, parts: list[str]) -> bool:
    return len(parts) > 1 and parts[-1] == "\\" and lines[at].lstrip().startswith("#")
