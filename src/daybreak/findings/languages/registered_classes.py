"""Names that stand for another class: a table or a registration whose key stays while the class behind it is another one.

`"kimi": ParserA` that is `"kimi": ParserB`: whoever chooses the name runs other code, and nothing that has a name of its own
came, went or was renamed. A class that was only renamed or moved is the same one.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, quiet
from daybreak.findings.languages.python_functions import Function, sources
from daybreak.findings.languages.python_syntax import called_name
from daybreak.findings.languages.registries import offered

_KEY = re.compile(r"[\w./+-]{1,80}")
_CLASS = re.compile(r"_?[A-Z]\w{0,100}[a-z]\w{0,100}")
_WAY = re.compile(r"(?:\w{1,80}[.:]){1,12}(\w{1,120})")
"""A class as text: by the module that it is imported from."""
_DEEPEST = 4
"""Classes in classes that are looked into."""


class _Entry(NamedTuple):
    line: int
    name: str


_Entries = dict[tuple[str, str], _Entry | None]
"""Table and key → the class; None where one key stands for several."""


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Keys of a file that are on both sides, each with the class that it stood for and the one that it stands for."""
    if quiet(file) or not whole.complete or file.change.patch_cut:
        return
    went, came = _classes(whole.removed_lines), _classes(whole.added_lines)
    for _, old, new in sources(whole).changed(file.path):
        before, after = _entries(old), _entries(new)
        pairs = ((key, was, after.get(key)) for key, was in before.items())
        turned = [(key, was, now) for key, was, now in pairs if was and now and was.name != now.name]
        merged = Counter(new for _, new in {(was.name, now.name) for _, was, now in turned})
        found = (
            Fact("class_behind_changed", file.path, now.line, ":".join(key), was.name, now.name, breaking=True)
            for key, was, now in turned
            # one class for several is none of them under another name
            if merged[now.name] > 1 or not (was.name in went - came and now.name in came)
        )
        yield from islice(found, PER_FILE)


def _classes(lines: Iterable[str]) -> set[str]:
    """Classes that lines define; one whose definition goes where that of another comes was renamed or rewritten."""
    return {match[1] for line in lines if (match := _DEFINES.match(line))}


_DEFINES = re.compile(r"\s{0,80}class (\w{1,200})")


def _entries(module: Function) -> _Entries:
    out: _Entries = {}
    imported = {one.asname: one.name for node in module.body if isinstance(node, ast.ImportFrom) for one in node.names}
    for table, key, value in _pairs(module.body, ""):
        name, known = _class(value), offered(table.rpartition(".")[2])
        if module.name and not known:
            continue  # inside a function a table is mostly its own
        at = (known or table, key)
        here = _Entry(module.at(value), imported.get(name, name)) if name and _KEY.fullmatch(key) else None
        out[at] = here if at not in out else None
    return out


def _pairs(body: Sequence[ast.stmt], owner: str) -> Iterator[tuple[str, str, ast.expr]]:
    """Table, key and value of tables that a module or a class holds, and of calls that register something by name."""
    for node in body:
        if isinstance(node, ast.ClassDef) and owner.count(".") < _DEEPEST:
            yield from _pairs(node.body, f"{owner}{node.name}.")
        elif isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Dict):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name):
                rows = zip(node.value.keys, node.value.values, strict=True)
                yield from ((f"{owner}{target.id}", key, value) for one, value in rows if (key := _text(one)))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and len(node.value.args) > 1:
            call = node.value
            if called_name(call).startswith("register") and not call.keywords and (key := _text(call.args[0])):
                yield ast.unparse(call.func)[:200], key, ast.Tuple(call.args[1:], ast.Load(), lineno=call.lineno)


def _text(node: ast.expr | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _class(value: ast.expr) -> str:
    """The class that a value names: itself, by the way to it, or last in a tuple with its module."""
    parts = value.elts if isinstance(value, ast.Tuple) and value.elts else [value]
    last = parts[-1]
    if isinstance(last, ast.Name | ast.Attribute):
        name = last.id if isinstance(last, ast.Name) else last.attr
    elif len(parts) > 1 and all(map(_text, parts)):
        name = _text(last)
    else:
        way = _WAY.fullmatch(_text(last))
        name = way[1] if way else ""
    return name if _CLASS.fullmatch(name) else ""
