"""Python files and notebooks: what they import, call, subclass, override and patch of the watched projects."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from msgspec.structs import replace

from daybreak.core.model.upgrade import Use
from daybreak.core.projects import Unreadable, Wanted, shown
from daybreak.upgrade.downstream import shell
from daybreak.upgrade.downstream.python_calls import CALLS, tell
from daybreak.upgrade.downstream.python_definitions import DEFINITIONS
from daybreak.upgrade.downstream.python_expressions import EXPRESSIONS
from daybreak.upgrade.downstream.python_loops import LOOPS
from daybreak.upgrade.downstream.python_lost import lost_in, namespaces_of, see_lost
from daybreak.upgrade.downstream.python_statements import STATEMENTS
from daybreak.upgrade.downstream.python_strings import of_text
from daybreak.upgrade.downstream.python_texts import see_texts
from daybreak.upgrade.downstream.python_values import Notes, Scope
from daybreak.upgrade.downstream.python_walk import Beside, Handler, Walk
from daybreak.upgrade.downstream.python_words import words_of
from daybreak.upgrade.downstream.readers import finished, lines_of

_HANDLERS: dict[type[ast.AST], Handler] = {**EXPRESSIONS, **STATEMENTS, **LOOPS, **DEFINITIONS, **CALLS}
_LONGEST_LINE = 2_000


def uses(path: str, text: str, wanted: Wanted) -> Iterator[Use]:
    """What a Python file uses by itself.

    Raises:
        Unreadable: It is not Python; what its lines show by themselves comes before.
    """
    yield from read(path, text, wanted)


def _parsed(text: str) -> tuple[ast.Module | None, str | None]:
    """The tree, or why there is none."""
    try:
        return parsed(text.removeprefix("\ufeff")), None
    except SyntaxError as error:
        return None, f"not readable by this Python (no Python, or newer syntax): {error.msg}, line {error.lineno}"
    except (ValueError, MemoryError, RecursionError):
        return None, "not readable by this Python"


def read(
    path: str,
    text: str,
    wanted: Wanted,
    *,
    scope: Scope | None = None,
    beside: Beside | None = None,
) -> Iterator[Use]:
    """The same with what is known of your other files, leaving the names of this one in `scope`."""
    words = words_of(wanted)
    opens = (beside is not None and bool(beside.project or beside.given)) or words.opens(text)
    if not opens and not lost_in(text, wanted.lost):
        return
    found = Notes(path, text, words, wanted)
    found.choices = found.choices if beside is None else beside.choices
    tree, reason = _parsed(text)
    if tree is None and not opens:
        return
    if tree is None:
        _scan(found)
    else:
        try:
            if opens:
                found.namespaces = namespaces_of(tree, text)
                Walk(found, _HANDLERS, scope, beside, tell).run(tree)
            see_lost(found, tree, text)
            if opens:
                see_texts(found, tree, text)
        except RecursionError:
            reason = "nested too deeply"
    yield from found.all()
    if reason is not None:
        raise Unreadable(reason)


def parsed(text: str) -> ast.Module:
    """The tree of a file; its own doubtful escapes are not our business."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


_IMPORT = re.compile(
    r"\s{0,80}(?:from|import)\s{1,20}([A-Za-z_][\w.]{0,200})(?:\s{1,20}import\s{1,20}([\w, ]{1,300}))?"
)

_MARKS = re.compile(r"[\"'(),\[\]]")


def _scan(found: Notes) -> None:
    """Imports, variables and flags that single lines show, for a file that does not parse."""
    words = found.words
    for number, line in enumerate(found.lines, start=1):
        if len(line) > _LONGEST_LINE:
            continue
        if (matched := _IMPORT.match(line)) is not None and words.watches(matched[1]):
            names = [one.split()[0] for one in (matched[2] or "").split(",") if one.split()]
            for name in names or [""]:
                found.add("import", f"{matched[1]}.{name}" if name else matched[1], number)
        for variable in words.variable.finditer(line):
            found.add("env", variable[0], number)
        if words.command.search(line):
            found.add_all(of_text(_MARKS.sub(" ", line), number, found.wanted), number)


# --- Notebooks: the code cells, and the commands that stand in them as `!command` and `%%bash` ---

_SHELL_CELL = re.compile(r"\s{0,100}%%(?:bash|sh|script\s{1,20}(?:bash|sh)|cmd|system)\b")
_PYTHON_CELL = re.compile(r"\s{0,100}%%(?:time|timeit|capture|prun|python3?)\b")
_SETTING = re.compile(r"(\s{0,100})%(?:set_)?env\s{1,20}([A-Za-z_]\w{0,100})(?:\s{0,20}=|\s)\s{0,20}(\S.{0,200})?")
_GIVEN = re.compile(r"(\s{0,100})([A-Za-z_]\w{0,80})\s{0,20}=\s{0,20}[!%].{0,2000}", re.DOTALL)
_COMMAND = re.compile(r"\s{0,100}(?:[A-Za-z_]\w{0,80}\s{0,20}=\s{0,20})?!{1,2}(.*)", re.DOTALL)
_PACKAGES = re.compile(r"\s{0,100}%((?:pip|conda|uv)\s.*)", re.DOTALL)


class Cell(NamedTuple):
    """One code cell, as the two readers take it: lines that are not theirs are empty."""

    code: list[str]
    commands: list[str]


def notebook_uses(path: str, text: str, wanted: Wanted) -> Iterator[Use]:
    """What the code cells of a notebook use; the line is the one of the file where that line of the cell stands.

    Cells are read as one program, since what one imports the next uses; a cell that is not Python is left out of it.

    Raises:
        Unreadable: It is not a notebook, or a cell is not Python; what the others use comes before.
    """
    sources = _cells(text)
    places = _Places(text)
    code: list[str] = []
    commands: list[str] = []
    where: list[int] = []
    reason = None
    for source in sources:
        cell = _split(source)
        broken = _broken(cell.code)
        reason = broken or reason
        code += cell.code if broken is None else [""] * len(source)
        commands += cell.commands
        where += places.of(source)
    for use in sorted(_read(path, Cell(code, commands), wanted), key=lambda use: use.line):
        line = where[min(max(use.line, 1), len(where)) - 1] if where else 1
        yield replace(use, line=line, text=shown(places.lines[line - 1]))
    if reason is not None:
        raise Unreadable(reason)


def _broken(code: list[str]) -> str | None:
    """Why a cell cannot be read; None when it can."""
    try:
        parsed("\n".join(code))
    except SyntaxError as error:
        return f"a cell is not readable by this Python (no Python, or newer syntax): {error.msg}"
    except (ValueError, MemoryError, RecursionError):
        return "a cell is not readable by this Python"
    return None


def _cells(text: str) -> list[list[str]]:
    """Lines of each code cell, without their ends."""
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable("not JSON") from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if cells is None and isinstance(notebook, dict):  # the format before version 4 has worksheets
        sheets = notebook.get("worksheets")
        cells = [cell for sheet in _list(sheets) if isinstance(sheet, dict) for cell in _list(sheet.get("cells"))]
    if not isinstance(cells, list) or (not cells and "cells" not in notebook and "worksheets" not in notebook):
        raise Unreadable("not a notebook")
    return [_source(cell) for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "code"]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _source(cell: dict[str, Any]) -> list[str]:
    source = cell.get("source", cell.get("input", ""))
    text = source if isinstance(source, str) else "".join(one for one in _list(source) if isinstance(one, str))
    return lines_of(text)


def _split(lines: list[str]) -> Cell:
    """Code and commands apart, each on its own line."""
    head = lines[0] if lines else ""
    if _SHELL_CELL.match(head):
        return Cell([""] * len(lines), ["", *lines[1:]])
    if head.lstrip().startswith("%%") and not _PYTHON_CELL.match(head):
        return Cell([""] * len(lines), [""] * len(lines))
    code, commands = [], []
    continued = False
    for line in lines:
        command = line if continued else _command(line)
        commands.append(command or "")
        code.append(line if command is None else "" if continued else _instead(line))
        continued = command is not None and line.endswith("\\")
    return Cell(code, commands)


def _command(line: str) -> str | None:
    """The command of a line that is none of Python's; None for Python."""
    bare = line.strip()
    if bare.endswith("?") and "#" not in bare:  # asks for help
        return ""
    if bare[:1] not in ("!", "%", "?") and not _GIVEN.fullmatch(line):
        return None
    found = _COMMAND.fullmatch(line) or _PACKAGES.fullmatch(line)
    if found is not None:
        return found[1]
    setting = _SETTING.fullmatch(line)
    return f"export {setting[2]}={setting[3] or ''}" if setting is not None else ""


def _instead(line: str) -> str:
    """Python in place of a command, so that the block around it stays whole."""
    indent = line[: len(line) - len(line.lstrip())]
    given = _GIVEN.fullmatch(line)
    return f"{indent}{given[2]} = None" if given is not None else f"{indent}pass"


def _read(path: str, cell: Cell, wanted: Wanted) -> Iterator[Use]:
    """Uses with lines of the cell."""
    commands = "\n".join(cell.commands)
    if commands.strip():
        yield from finished(path, commands, shell.shell_file("cell.sh", commands, wanted))
    yield from uses(path, "\n".join(cell.code), wanted)


class _Places:
    """Where lines of cells stand in the file: cells come in order, so each search starts where the last one ended."""

    def __init__(self, text: str) -> None:
        self.lines = lines_of(text)
        self.at = 0
        bare = [line.strip().removesuffix(",") for line in self.lines]
        self.numbers: dict[str, list[int]] = {}
        for number, line in enumerate(bare):
            if line.startswith('"'):
                self.numbers.setdefault(line, []).append(number)

    def of(self, source: Iterable[str]) -> list[int]:
        """Line numbers for the lines of a cell; a line that is not found has the one before it."""
        found: list[int] = []
        for line in source:
            number = self._next(line)
            if number is not None:
                self.at = number + 1
            found.append(min(max(self.at, 1), len(self.lines)))
        return found

    def _next(self, line: str) -> int | None:
        """The next line of the file that holds this string, with or without its line end."""
        near: int | None = None
        for end in ("\n", ""):
            for form in (json.dumps(line + end), json.dumps(line + end, ensure_ascii=False)):
                waiting = self.numbers.get(form)
                if waiting is None:
                    continue
                place = _first_from(waiting, self.at)
                if place is not None and (near is None or place < near):
                    near = place
        return near


def _first_from(numbers: list[int], start: int) -> int | None:
    from bisect import bisect_left

    at = bisect_left(numbers, start)
    return numbers[at] if at < len(numbers) else None
