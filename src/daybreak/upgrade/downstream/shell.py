"""Shell scripts, and files whose lines are commands: Makefiles, Procfiles, systemd units, supervisor sections."""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.core.projects import Wanted
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


def found(name: str, text: str, wanted: Wanted, embedded: Embedded | None = None) -> Iterator[Found]:
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
