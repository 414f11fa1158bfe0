"""Lua: functions of a module (`function M.name(…)`) that are gone, or take other arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.findings.languages.base import Fact, ReadFile, Whole

FILES = r"\.lua$"
_FUNCTION = re.compile(r"^function (\w+[.:]\w+)\s*\(([^()]*)\)")


def facts(file: ReadFile, _whole: Whole) -> Iterator[Fact]:
    """One fact for each function whose line went, unless the same line came back elsewhere."""
    sides: dict[str, dict[str, tuple[int, str]]] = {"-": {}, "+": {}}
    for hunk in file.hunks:
        for line in hunk.lines:
            if line.sign in sides and (found := _FUNCTION.match(line.text)):
                number = line.old if line.sign == "-" else line.new
                sides[line.sign][found[1]] = number or hunk.new_start, " ".join(found[2].split())
    for name, (number, arguments) in sides["-"].items():
        now = sides["+"].get(name)
        if now is None:
            yield Fact("symbol_removed", file.path, number, name, f"{name}({arguments})", None, True)
        elif now[1] != arguments:
            yield Fact("symbol_changed", file.path, now[0], name, f"{name}({arguments})", f"{name}({now[1]})")
