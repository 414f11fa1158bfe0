"""What the program itself says at the end of a range of what breaks: the error of a check that refuses, the values that a type
allows, the names for which a variable is set. A condition in code, or the name of a type, tells nobody whether it hits them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from daybreak.core.errors import GitError
from daybreak.core.model.upgrade import Net
from daybreak.findings.kinds import kind_of
from daybreak.findings.languages.python_syntax import parsed
from daybreak.findings.quotes.prose import split
from daybreak.findings.trees import Trees

_MOST_FILES = 60
"""Sources that are read for this."""
_LONGEST, _SENTENCES, _VALUES = 240, 2, 12
_GIVEN = "env_given"
"""What the program puts into its environment itself."""
_NAME = re.compile(r"[A-Za-z][\w.-]{1,80}")

_Sources = Mapping[str, ast.Module]


def with_own_words(trees: Trees, end: str, nets: Sequence[Net]) -> tuple[Net, ...]:
    """Those that break, each with what the sources say of it; others as they are."""
    asked = [one for one in nets if one.finding.breaking and one.commits and one.finding.path.endswith(".py")]
    places = dict.fromkeys(place for one in asked if _reads(one) for place in _places(one, end))
    sources = _sources(trees, [*places][: 2 * _MOST_FILES])
    told = {id(one): _told(one, end, sources) for one in asked}
    return tuple(told.get(id(one), one) for one in nets)


def _reads(one: Net) -> bool:
    kind = kind_of(one.finding.kind)
    return "condition" in kind.traits or kind.change == "changed" or kind.slot == _GIVEN


def _places(one: Net, end: str) -> tuple[str, str]:
    return f"{one.commits[-1]}:{one.finding.path}", f"{end}:{one.finding.path}"


def _sources(trees: Trees, places: Sequence[str]) -> dict[str, ast.Module]:
    try:
        blobs = trees.blobs_at(places)
    except GitError:
        return {}
    texts = dict(trees.contents(dict.fromkeys(blobs.values())))
    read = ((place, parsed(texts[blob])) for place, blob in blobs.items() if blob in texts)
    return {place: tree for place, tree in read if tree is not None}


def _told(one: Net, end: str, sources: _Sources) -> Net:
    then, now = (sources.get(place) for place in _places(one, end))
    finding, kind = one.finding, kind_of(one.finding.kind)
    if now is None:
        return one
    if "condition" in kind.traits and then is not None:
        return replace(one, says=_refusal(then, now, finding.line or 0))
    if kind.slot == _GIVEN:
        return replace(one, only=_names_asked_for(now, finding.symbol))
    return replace(one, only=_allowed(now, finding.after or "") if kind.change == "changed" else ())


# --- the error of a check -------------------------------------------------------------------------------------------


def _refusal(then: ast.Module, now: ast.Module, line: int) -> str:
    """The words with which the check that stands in this line refuses, where the end has it still."""
    there = [one for one in _checks(then) if one[1].lineno <= line <= (one[2].end_lineno or 0)]
    if not there:
        return ""
    owner, check, _ = max(there, key=lambda one: one[1].lineno)
    asked = ast.dump(check.test)
    words = {_error(raised) for of, same, raised in _checks(now) if of == owner and ast.dump(same.test) == asked}
    return words.pop() if len(words) == 1 else ""


def _checks(tree: ast.Module) -> Iterator[tuple[str, ast.If, ast.Raise]]:
    """Questions with what they raise themselves, and the class and function that they stand in."""
    waiting: list[tuple[str, ast.AST]] = [("", tree)]
    while waiting:
        owner, node = waiting.pop()
        if isinstance(node, ast.If) and (raised := [one for one in node.body if isinstance(one, ast.Raise)]):
            yield owner, node, raised[0]
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            owner = f"{owner}.{node.name}"
        waiting += [(owner, one) for one in ast.iter_child_nodes(node)]


def _error(raised: ast.Raise) -> str:
    """The first sentences of what is raised; a value that is put in is told by its name."""
    if not isinstance(raised.exc, ast.Call) or not raised.exc.args:
        return ""
    text = " ".join(_text(raised.exc.args[0]).split())
    said = ""
    for sentence in split(text)[:_SENTENCES]:
        if len(said) + len(sentence) <= _LONGEST:
            said = f"{said} {sentence}".strip()
    return said


def _text(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.JoinedStr(values=values):
            return "".join(_text(one) for one in values)
        case ast.FormattedValue(value=value):
            named = ast.unparse(value).removeprefix("self.")
            return f"<{named}>" if _NAME.fullmatch(named) else "…"
        case ast.BinOp(left=left, op=ast.Add(), right=right) if isinstance(right, ast.Constant | ast.JoinedStr):
            return f"{_text(left)}{_text(right)}"
    return ""


# --- values of a type, names of a condition -------------------------------------------------------------------------


def _allowed(tree: ast.Module, annotation: str) -> tuple[str, ...]:
    """All values of a type that the file itself names, where the annotation is that type, or it or nothing."""
    named, _, rest = (part.strip() for part in annotation.partition("|"))
    for node in reversed(tree.body) if rest in ("", "None") else ():
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if isinstance(target, ast.Name) and target.id == named:
            written = isinstance(value, ast.Subscript) and _last(value.value) == "Literal"
            values = _strings(value.slice) if written and isinstance(value, ast.Subscript) else ()
            return (*values, rest) if values and rest else values
    return ()


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _strings(node: ast.expr) -> tuple[str, ...]:
    """A list of names, whole: none where one of them is no name, or they are too many to be told."""
    every = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    found = [one.value for one in every if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    whole = len(found) == len(every) <= _VALUES and all(_NAME.fullmatch(one) for one in found)
    return tuple(found) if whole else ()


def _names_asked_for(tree: ast.Module, variable: str) -> tuple[str, ...]:
    """The names one of which must be met before the program sets a variable: none where it is set in another place too, or
    anything else is asked before that but whether it is set.
    """
    if sum(_sets(node, variable) for node in ast.walk(tree)) != 1:
        return ()
    for body in (node.body for node in ast.walk(tree) if isinstance(node, ast.Module | ast.FunctionDef)):
        for at, node in enumerate(body):
            if isinstance(node, ast.If) and any(
                _sets(one, variable) for part in node.body for one in ast.iter_child_nodes(part)
            ):
                left = any(isinstance(one, ast.Return) for before in body[:at] for one in ast.walk(before))
                return () if left else _met(node.test, variable)
    return ()


def _sets(node: ast.AST, variable: str) -> bool:
    match node:
        case ast.Subscript(slice=ast.Constant(value=key), ctx=ast.Store()):
            return bool(key == variable)
        case ast.Call(func=ast.Attribute(attr="setdefault" | "putenv"), args=[ast.Constant(value=key), *_]):
            return bool(key == variable)
        case ast.Dict(keys=keys):
            return any(isinstance(key, ast.Constant) and key.value == variable for key in keys)
    return False


def _met(test: ast.expr, variable: str) -> tuple[str, ...]:
    """Names that something is compared with, itself or any of its parts, and nothing besides."""
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    match [one for one in parts if not _asks_whether_set(one, variable)]:
        case [
            ast.Call(
                func=ast.Name(id="any"), args=[ast.GeneratorExp(elt=asked, generators=[ast.comprehension(ifs=[])])]
            )
        ]:
            return _compared(asked)
        case [asked]:
            return _compared(asked)
    return ()


def _asks_whether_set(part: ast.expr, variable: str) -> bool:
    match part:
        case ast.Compare(left=ast.Constant(value=key), ops=[ast.NotIn()]):
            return bool(key == variable)
    return False


def _compared(asked: ast.expr) -> tuple[str, ...]:
    match asked:
        case ast.Compare(ops=[ast.In()], comparators=[ast.Tuple() | ast.List() | ast.Set() as names]):
            return _strings(names)
        case ast.Compare(ops=[ast.Eq()], comparators=[ast.Constant() as name]):
            return _strings(name)
    return ()
