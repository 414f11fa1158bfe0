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
    types = {name: values for tree in sources.values() for name, values in _types(tree)}
    told = {id(one): _told(one, end, sources, types) for one in asked}
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


def _told(one: Net, end: str, sources: _Sources, types: Mapping[str, tuple[str, ...]]) -> Net:
    then, now = (sources.get(place) for place in _places(one, end))
    finding, kind = one.finding, kind_of(one.finding.kind)
    if now is None:
        return one
    if "condition" in kind.traits and then is not None:
        return replace(one, says=_refusal(then, now, finding.line or 0))
    if kind.slot == _GIVEN:
        return replace(one, only=_names_asked_for(now, finding.symbol))
    named = re.findall(r"\w+", finding.after or "") if kind.change == "changed" else ()
    return replace(one, only=next((types[name] for name in named if name in types), ()))


# --- the error of a check -------------------------------------------------------------------------------------------


def _refusal(then: ast.Module, now: ast.Module, line: int) -> str:
    """The words with which the check that stands in this line refuses, where the end has it still."""
    there = [check for check in _checks(then) if check[0].lineno <= line <= (check[1].end_lineno or 0)]
    if not there:
        return ""
    asked = ast.dump(max(there, key=lambda check: check[0].lineno)[0].test)
    return next((_error(raised) for check, raised in _checks(now) if ast.dump(check.test) == asked), "")


def _checks(tree: ast.Module) -> Iterator[tuple[ast.If, ast.Raise]]:
    """Questions with what they raise themselves."""
    for node in ast.walk(tree):
        raised = (
            next((one for one in node.body if isinstance(one, ast.Raise)), None) if isinstance(node, ast.If) else None
        )
        if isinstance(node, ast.If) and raised is not None:
            yield node, raised


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


def _types(tree: ast.Module) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Names that stand for a list of values."""
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if isinstance(target, ast.Name) and isinstance(value, ast.Subscript) and _last(value.value) == "Literal":
            yield target.id, tuple(_strings(value.slice))[:_VALUES]


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _strings(node: ast.expr) -> Iterator[str]:
    for one in node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else (node,):
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and _NAME.fullmatch(one.value):
            yield one.value


def _names_asked_for(tree: ast.Module, variable: str) -> tuple[str, ...]:
    """The names one of which must be met before the program sets a variable: none where a condition asks for another thing."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and any(_sets(one, variable) for one in node.body):
            parts = (
                node.test.values
                if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And)
                else [node.test]
            )
            found = [names for part in parts if (names := tuple(_met(part)))]
            return found[0][:_VALUES] if len(found) == 1 else ()
    return ()


def _sets(node: ast.stmt, variable: str) -> bool:
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    key = target.slice if isinstance(target, ast.Subscript) else None
    return isinstance(key, ast.Constant) and key.value == variable


def _met(part: ast.expr) -> Iterator[str]:
    """Names that something is compared with, itself or any of its parts."""
    asked = part.args[0] if isinstance(part, ast.Call) and _last(part.func) == "any" and part.args else part
    asked = asked.elt if isinstance(asked, ast.GeneratorExp) else asked
    if isinstance(asked, ast.Compare) and isinstance(asked.ops[0], ast.In | ast.Eq) and len(asked.ops) == 1:
        yield from _strings(asked.comparators[0])
