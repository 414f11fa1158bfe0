"""Calls of a project's own names that nothing answers after a commit: whoever comes there meets an error.

Three are asked: a method that the commit takes away while other files still call it, an operator of PyTorch that a line which
came calls and nothing registers, and an argument that a call gives by a name which the function does not take. The first
two are searched in the tree of the commit, the last is followed by the imports of the file. Only what Python reads as a call
counts; a comment or a text does not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from daybreak.core.errors import GitError
from daybreak.core.model.changes import Change
from daybreak.findings.blobs import Row
from daybreak.findings.languages.base import MAX_LINE, TELLING, Fact, ReadFile
from daybreak.findings.languages.lost_imports import Imported, imported, tree_of
from daybreak.findings.languages.python_functions import Function, functions
from daybreak.findings.languages.python_signature import signature
from daybreak.findings.languages.python_surface import surface
from daybreak.findings.languages.python_syntax import parsed, walk
from daybreak.findings.paths import SOURCES, ships
from daybreak.findings.still_defined import CODE, texts_at
from daybreak.findings.trees import Trees, Where

_DEF = re.compile(r"\s+(?:async\s+)?def\s+([^\W\d]\w{0,120})\s*\(")
_CALL = re.compile(r"\.([^\W\d]\w{0,120})\(")
_OPERATOR = re.compile(r"\btorch\.ops\.([^\W\d]\w{0,60})\.([^\W\d]\w{0,120})\s*\(")
_GIVEN = re.compile(r"[(,\s]([^\W\d]\w{0,120})=(?!=)")
_PIECE = 12
"""Lines of one piece of new code that may still be an argument more for a call that stood there."""
_PYTHON = Where(endings=(".py",))
_MOST = 60
"""Names of a commit, and files of one name, that are looked up."""


class _Asked(NamedTuple):
    """A name that a commit left without an answer, as far as its own lines show."""

    space: str
    """Of an operator the library that it is called from; empty for a method."""
    name: str
    held: tuple[str, ...] = ()
    """What objects hold that lines which went asked for the method: `worker` of `self.worker.name()`."""


class _Rows:
    """Lines of one tree that hold the names, or say that a library of operators is the project's own."""

    def __init__(self, trees: Trees, sha: str, asked: Sequence[_Asked]) -> None:
        methods = {one.name for one in asked if not one.space}
        spaces = {one.space for one in asked if one.space}
        operators = {one.name for one in asked if one.space}
        operators |= {form for name in spaces for form in (f'"{name}"', f"({name},", f'"{name}::')}
        rows = [*(trees.lines([sha], methods, _PYTHON) or ())] if methods else []
        rows += (trees.lines([sha], operators, CODE) or ()) if operators else ()
        self.rows = [(path, line[:MAX_LINE]) for _, path, line in rows]
        self.own = {name for name in spaces if any(_has_space(name, line) for _, line in self.rows)}


def dangling(trees: Trees, changes: Sequence[Change], files: Mapping[str, Sequence[ReadFile]]) -> dict[str, set[Fact]]:
    """Commit → methods that went and operators that never came, of those that its tree still calls."""
    every = {c.sha: [*dict.fromkeys(_asked(files[c.sha]))][:_MOST] for c in changes if c.parents}
    asked = {sha: some for sha, some in every.items() if some}
    if not asked or trees.partial:
        return {}
    try:
        if len(asked) > 1:  # near that tree the others are searched in what differs
            _Rows(trees, next(iter(asked)), [one for some in asked.values() for one in some])
        return {sha: set(_unanswered(trees, sha, some)) for sha, some in asked.items()}
    except GitError:
        return {}  # what cannot be asked is not said


def _shipped(file: ReadFile) -> bool:
    return file.path.endswith(".py") and file.area in SOURCES and not file.tool and ships(file.path)


def _lines(files: Iterable[ReadFile], sign: str) -> Iterator[tuple[str, str]]:
    return ((f.path, x.text[:MAX_LINE]) for f in files for h in f.hunks for x in h.lines if x.sign == sign)


def _asked(files: Sequence[ReadFile]) -> Iterator[_Asked]:
    """Methods that went together with a call of theirs, so that they were the project's own, and operators that are called."""
    ours = [file for file in files if _shipped(file)]
    came, went = list(_lines(ours, "+")), list(_lines(ours, "-"))
    defined = {m[1] for _, text in came if "def " in text and (m := _DEF.match(text))}
    called = {name for _, text in went if "." in text for name in _CALL.findall(text)}
    for _, text in went:
        name = m[1] if "def " in text and (m := _DEF.match(text)) else ""
        if "_" in name.strip("_") and len(name) > TELLING and name in called and name not in defined:
            held = re.compile(rf"\bself\.(\w{{1,120}})\.{name}\(")
            yield _Asked(
                "", name, tuple(sorted({m[1] for _, line in went if name in line for m in held.finditer(line)}))
            )
    known = {pair for _, text in went if "torch.ops." in text for pair in _OPERATOR.findall(text)}
    for _, text in came:
        pairs = _OPERATOR.findall(text) if "torch.ops." in text else ()
        yield from (_Asked(*pair) for pair in pairs if pair not in known)


def _unanswered(trees: Trees, sha: str, asked: Sequence[_Asked]) -> Iterator[Fact]:
    """One finding a name, of the first file that calls it."""
    found = _Rows(trees, sha, asked)
    for one in asked:
        held = [(path, line) for path, line in found.rows if one.name in line]
        answers = _registers(one.name) if one.space else _defines(one.name)
        answered = any(answers.search(line) for _, line in held)
        # a function of the same name answers nobody who asks an object for its method
        of_self = answered and not one.space and any(line.startswith(f"def {one.name}(") for _, line in held)
        answered = any(_gives(one.name).search(line) for _, line in held) if of_self else answered
        if answered or (of_self and not one.held) or (one.space and one.space not in found.own):
            continue  # something answers, or it is another project's library
        paths = sorted({path for path, line in held if f".{one.name}" in line and ships(path)})[:_MOST]
        places = ((path, _called_at(text, one, of_self)) for path, text in texts_at(trees, sha, paths).items())
        for path, line in ((path, line) for path, line in places if line):
            kind = "call_unregistered" if one.space else "call_failing"
            name = f"torch.ops.{one.space}.{one.name}" if one.space else one.name
            yield Fact(kind, path, line, name, None, name, True)
            break


def _defines(name: str) -> re.Pattern[str]:
    """It is a function, an attribute or a name that a text or an import may stand for."""
    return re.compile(
        rf"\bdef {name}\b|\b{name}\s*(?::[^=]*)?=(?!=)|[\"']{name}[\"']|\bimport\b.*\b{name}\b|\bas {name}\b"
    )


def _gives(name: str) -> re.Pattern[str]:
    """A class has a method of that name, or an object is given one."""
    return re.compile(rf"\s+(?:async )?def {name}\b|\.{name}\s*(?::[^=]*)?=(?!=)|\b(?:self|cls)\b.*[\"']{name}[\"']")


def _registers(name: str) -> re.Pattern[str]:
    """A function or a text of that name, whatever takes it, or a macro that is handed it."""
    return re.compile(rf"\bdef {name}\b|[\"'](?:\w+::)?{name}[\"'(.]|^(?!.*\btorch\.ops\b).*[(,]\s*{name}\s*[,)]")


def _has_space(space: str, line: str) -> bool:
    """The line makes an operator of the library. What only describes one (a fake, a way for one device) may do so for a library
    that comes with another package.
    """
    made = rf"[Ll]ibrary\(\s*[\"']{space}[\"'](?!,\s*[\"']IMPL)|LIBRARY\w*\(\s*{space}\b|[\"']{space}::"
    return re.search(made, line) is not None and _DESCRIBES.search(line) is None


_DESCRIBES = re.compile(r"\b(?:register_(?:fake|kernel|autograd|vmap)|impl(?:_abstract)?)\(|\btorch\.ops\.")


def _called_at(text: str, one: _Asked, of_self: bool = False) -> int:
    """The line of a call, `of_self` of what an object holds (`self.worker.name()`); 0 where none is code."""
    tree = parsed(text)
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call)) if tree is not None else ()
    named = [(c.lineno, c.func) for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr == one.name]
    form = (
        rf"torch\.ops\.{one.space}\.{one.name}"
        if one.space
        else rf"self\.(?:{'|'.join(one.held)})\.{one.name}"
        if of_self
        else ".*"
    )
    return next((line for line, func in named if re.fullmatch(form, ast.unparse(func), re.DOTALL)), 0)


# --- arguments that are given by a name --------------------------------------------------------------------------------


class _Call(NamedTuple):
    path: str
    line: int
    function: str
    names: tuple[str, ...]
    """Arguments that lines which came give by name."""


def refused_arguments(trees: Trees, change: Change, files: Sequence[ReadFile]) -> set[Fact]:
    """Arguments that a call gives by a name which the function, here or where it is imported from, does not take."""
    asked = {f.path: lines for f in files if _shipped(f) and f.change.status in "MR" and (lines := _giving(f))}
    if not asked or not change.parents:
        return set()
    try:
        return set(_refused(trees, change, [f for f in files if f.path in asked], asked))
    except GitError:
        return set()


def _giving(file: ReadFile) -> frozenset[int]:
    """Numbers of the lines that came and may give an argument by a name which no line that went beside them gave. A large
    piece of new code is not asked: whoever wrote it ran it.
    """
    found: set[int] = set()
    for hunk in file.hunks:
        went = {name for x in hunk.lines if x.sign == "-" for name in _given(x.text)}
        came = [x for x in hunk.lines if x.sign == "+"]
        if len(came) <= _PIECE or any(x.sign == "-" for x in hunk.lines):
            found |= {x.new for x in came if not went.issuperset(_given(x.text))}
    return frozenset(found)


def _given(text: str) -> list[str]:
    return _GIVEN.findall(f" {text[:MAX_LINE]}") if "=" in text else []


def _refused(
    trees: Trees, change: Change, files: Sequence[ReadFile], asked: Mapping[str, frozenset[int]]
) -> Iterator[Fact]:
    texts = dict(trees.contents(f.change.new_blob for f in files))
    held = {f.path: texts[f.change.new_blob] for f in files if f.change.new_blob in texts}
    calls = [call for path, text in held.items() for call in _calls(path, text, asked[path])]
    tree = tree_of(trees, change.sha) if calls else None
    homes = (
        {}
        if tree is None
        else {
            (path, name): one
            for path in {c.path for c in calls}
            for name, one in imported(tree, path, held[path]).items()
        }
    )
    wanted = {one for call in calls if (one := homes.get((call.path, call.function)))}
    sources = texts_at(trees, change.sha, {one.path for one in wanted} - held.keys()) | held
    for call in calls:
        home = homes.get((call.path, call.function)) or Imported(call.path, call.function)
        takes = _takes(home, sources.get(home.path, ""))
        for name in call.names:
            if takes is not None and name not in takes:
                yield Fact("argument_refused", call.path, call.line, f"{call.function}({name})", None, name, True)


def _calls(path: str, text: str, lines: frozenset[int]) -> Iterator[_Call]:
    """Calls of a plain name in the functions that hold one of the lines."""
    for function in functions(text).values():
        last = function.line + function.text.count("\n")
        if function.name and any(function.line <= line <= last for line in lines):
            yield from _calls_in(path, function, lines)


def _calls_in(path: str, function: Function, lines: frozenset[int]) -> Iterator[_Call]:
    own = {node.name for node in walk(function.body) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    own |= function.bindings.keys()
    for node in walk(function.body):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in own:
            given = tuple(k.arg for k in node.keywords if k.arg and function.line + k.lineno - 1 in lines)
            if given:
                yield _Call(path, function.at(node), node.func.id, given)


def _takes(home: Imported, text: str) -> frozenset[str] | None:
    """The names that a function takes; None where it is none of this file, or takes any."""
    if f"def {home.name}" not in text:
        return None
    found = surface(home.path, text)
    row: Row | None = found.get(("function", home.name))
    if row is None or "many" in row.details or found.has("attribute", home.name):
        return None
    head = signature(row)
    return None if head is None or head.takes_any else frozenset(p.name for p in head.parameters)
