"""A source with its syntax tree, edits of it by place, and what must be said of a mutant."""

from __future__ import annotations

import ast
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from daybreak.core.model.findings import Finding
from daybreak.findings.kinds import kind_of

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Expected(NamedTuple):
    """The finding that must be there: one of the kinds, with these words before and after, and whether it breaks."""

    kinds: tuple[str, ...]
    symbol: str
    before: str | None = None
    after: str | None = None
    breaks: bool | None = False
    mark: str = "breaks"

    def met(self, finding: Finding) -> bool:
        return (
            finding.kind in self.kinds
            and finding.symbol == self.symbol
            and (self.before is None or self.before in plain(finding.before))
            and (self.after is None or self.after in plain(finding.after))
            and (self.breaks is None or finding.breaking == self.breaks)
            and (not self.breaks or kind_of(finding.kind).mark == self.mark)
        )


def plain(text: str | None) -> str:
    return " ".join((text or "").replace("'", '"').split())


class Mutant(NamedTuple):
    text: str
    expected: Expected
    original: str | None = None
    """The source with what was to be mutated put into it, where it had none."""


class File:
    """A source with its tree, and edits of it by place."""

    def __init__(self, text: str, tree: ast.Module, chance: random.Random) -> None:
        self.text, self.tree, self.chance = text, tree, chance
        self._starts = [0]
        for line in text.encode().split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def cut(self, node: Any, new: str) -> str:
        """The text with another one in the place of a node."""
        return self.spliced(self._at(node.lineno, node.col_offset), self._at(node.end_lineno, node.end_col_offset), new)

    def spliced(self, start: int, end: int, new: str) -> str:
        data = self.text.encode()
        return (data[:start] + new.encode() + data[end:]).decode()

    def _at(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column

    def start(self, node: Any) -> int:
        return self._at(node.lineno, node.col_offset)

    def end(self, node: Any) -> int:
        return self._at(node.end_lineno, node.end_col_offset)

    def source(self, node: ast.AST) -> str:
        return ast.get_source_segment(self.text, node) or ""

    def without(self, node: Any, instead: str = "") -> str:
        """The text without the lines of a definition, its decorators among them."""
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        lines = self.text.split("\n")
        return "\n".join([*lines[: first - 1], *([instead] if instead else []), *lines[node.end_lineno :]])

    def grafted(self, before: str, after: str, expected: Expected) -> Mutant:
        """The two texts between two statements of the module, for what real sources seldom hold."""
        after_line = self.chance.choice([node.end_lineno or 0 for node in self.tree.body] or [0])
        lines = self.text.split("\n")
        head, tail = lines[:after_line], lines[after_line:]
        both = ("\n".join([*head, "", "", *text.split("\n"), "", *tail]) for text in (before, after))
        original, text = both
        return Mutant(text, expected, original)

    def one(self, found: Iterator[Any]) -> Any:
        """One of what is found, by chance; None where there is nothing."""
        every = list(found)
        return self.chance.choice(every) if every else None

    @property
    def starred(self) -> bool:
        """Any name may come from elsewhere, also one that was defined here."""
        return any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in ast.walk(self.tree))

    # --- what users meet ---------------------------------------------------------------------------------------------

    def functions(self, plain: bool = False) -> Iterator[Function]:
        names = Counter(getattr(node, "name", "") for node in self.tree.body)
        bound = {
            t.id for n in self.tree.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)
        }
        for node in self.tree.body:
            if not isinstance(node, Function) or names[node.name] > 1 or not public(node.name) or node.name in bound:
                continue
            if not (plain and node.decorator_list) and "\\" not in self.head(node):
                yield node

    def classes(self) -> Iterator[ast.ClassDef]:
        names = Counter(getattr(node, "name", "") for node in self.tree.body)
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef) and names[node.name] == 1 and public(node.name):
                yield node

    def methods(self) -> Iterator[tuple[ast.ClassDef, Function]]:
        for owner in self.classes():
            names = Counter(getattr(node, "name", "") for node in owner.body)
            for node in owner.body:
                if (
                    isinstance(node, Function)
                    and names[node.name] == 1
                    and public(node.name)
                    and not node.decorator_list
                ):
                    yield owner, node

    def head(self, node: Function) -> str:
        return self.text.encode()[self.start(node) : self.start(node.body[0])].decode()

    def fields(self) -> Iterator[tuple[ast.ClassDef, ast.AnnAssign]]:
        """Fields of dataclasses, models and structs whose class says so itself."""
        for owner in self.classes():
            marks = {ast.unparse(d).split("(")[0].split(".")[-1] for d in owner.decorator_list}
            above = {ast.unparse(b).split(".")[-1] for b in owner.bases}
            if "dataclass" in marks or above & {"Struct", "BaseModel", "NamedTuple", "TypedDict"}:
                for node in owner.body:
                    if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
                        continue
                    if public(node.target.id) and "ClassVar" not in ast.unparse(node.annotation):
                        yield owner, node

    def calls(self, name: str) -> Iterator[ast.Call]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name:
                yield node

    def options(self) -> Iterator[ast.Call]:
        """Flags with one long name that stand once in the file."""
        quoted = Counter(
            node.value for node in ast.walk(self.tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        )
        for call in self.calls("add_argument"):
            named = [written(a) for a in call.args if written(a)]
            first = next((a for a in named if a.startswith("--")), "")
            words = {k.arg for k in call.keywords}
            if first and len(named) == len(call.args) == 1 and quoted[first] == 1 and None not in words:
                yield call


def written(node: ast.AST) -> str:
    """The string that a node writes out; empty for any other."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def public(name: str) -> bool:
    return not name.startswith("_") and name not in ("main", "test")


def default(argument: ast.arg, function: Function) -> ast.expr | None:
    arguments = function.args
    placed = [*arguments.posonlyargs, *arguments.args]
    by_place = dict(
        zip([id(a) for a in placed[len(placed) - len(arguments.defaults) :]], arguments.defaults, strict=True)
    )
    by_name = {id(a): d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None}
    return {**by_place, **by_name}.get(id(argument))


def other_value(node: ast.expr) -> str | None:
    """Another value in the place of a plain one."""
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bool):
        return str(not value)
    if isinstance(value, int):
        return str(value + 7)
    return (
        '"mutant"'
        if isinstance(value, str) and value.isidentifier()
        else "17"
        if value is None and isinstance(node, ast.Constant)
        else None
    )
