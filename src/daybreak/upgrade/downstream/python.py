"""Python files: what they import, call, subclass, override and patch of the watched projects, read in one walk."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from daybreak.core.model.upgrade import Use
from daybreak.core.projects import Unreadable, Wanted
from daybreak.upgrade.downstream.python_calls import CALLS
from daybreak.upgrade.downstream.python_expressions import EXPRESSIONS
from daybreak.upgrade.downstream.python_notes import Notes, words_of
from daybreak.upgrade.downstream.python_statements import STATEMENTS
from daybreak.upgrade.downstream.python_strings import of_text
from daybreak.upgrade.downstream.python_values import Scope
from daybreak.upgrade.downstream.python_walk import DEFINITIONS, Handler, Project, Walk

_HANDLERS: dict[type[ast.AST], Handler] = {**EXPRESSIONS, **STATEMENTS, **DEFINITIONS, **CALLS}
_LONGEST_LINE = 2_000


def uses(path: str, text: str, wanted: Wanted) -> Iterator[Use]:
    """What a Python file uses by itself.

    Raises:
        Unreadable: It is not Python; what its lines show by themselves comes before.
    """
    yield from read(path, text, wanted)


def read(
    path: str,
    text: str,
    wanted: Wanted,
    *,
    scope: Scope | None = None,
    package: str = "",
    project: Project | None = None,
) -> Iterator[Use]:
    """The same with the names of your other files (`project`), leaving the names of this one in `scope`."""
    words = words_of(wanted)
    if not project and not words.opens(text):
        return
    found = Notes(path, text, words, wanted)
    reason = None
    try:
        tree = parsed(text.removeprefix("\ufeff"))
    except SyntaxError as error:
        reason = f"not Python: {error.msg}, line {error.lineno}"
    except (ValueError, MemoryError, RecursionError):
        reason = "not Python"
    if reason is not None:
        _scan(found)
    else:
        try:
            Walk(found, _HANDLERS, scope, package, project).run(tree)
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
