"""Files of variables: `.env`, systemd's EnvironmentFile."""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.core.projects import Wanted
from daybreak.upgrade.downstream.commands import flags, guessed_program
from daybreak.upgrade.downstream.readers import Found, lines_of
from daybreak.upgrade.downstream.shell_commands import Embedded
from daybreak.upgrade.downstream.shell_words import Word, commands

_LINE = re.compile(r"\s{0,40}(?:export\s{1,20})?([A-Za-z_]\w{0,100})\s{0,20}=\s{0,20}(.*)", re.DOTALL)
_ARGUMENTS = re.compile(r"(?:^|_)(?:ARGS|FLAGS|OPTS|OPTIONS|ARGUMENTS|CMD|COMMAND)$")


def found(name: str, text: str, wanted: Wanted, embedded: Embedded | None = None) -> Iterator[Found]:
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
