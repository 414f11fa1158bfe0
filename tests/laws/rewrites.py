"""Rewrites of Python sources that change no meaning: each takes a source and gives the same program written otherwise."""

from __future__ import annotations

import ast
import builtins
import random
import re
from collections.abc import Callable, Iterator
from itertools import count

Files = dict[str, str]
Rewrite = Callable[[str, random.Random], Files]
"""From the text of `MODULE` to the files that stand in its place, given a source of chance."""
MODULE = "engine/config/model.py"
PART = "engine/config/model_parts.py"
_Def = (ast.FunctionDef, ast.AsyncFunctionDef)
REWRITES: dict[str, Rewrite] = {}
ONE_WAY = ("split_module",)
"""The way back leaves no alias."""


def rewrite(act: Callable[[ast.Module, random.Random], ast.Module | None]) -> Rewrite:
    """A rewrite of the syntax tree; None where there is nothing that it could act on."""

    def run(text: str, chance: random.Random) -> Files:
        tree = act(ast.parse(text), chance)
        return {MODULE: ast.unparse(ast.fix_missing_locations(tree)) + "\n"} if tree is not None else {}

    REWRITES[act.__name__] = run
    return run


def rewrite_text(act: Callable[[str, random.Random], str | None]) -> Rewrite:
    """A rewrite of the text; None where there is nothing that it could act on."""

    def run(text: str, chance: random.Random) -> Files:
        done = act(text, chance)
        return {MODULE: done} if done is not None else {}

    REWRITES[act.__name__] = run
    return run


# --- form ------------------------------------------------------------------------------------------------------------


@rewrite
def reformat(tree: ast.Module, _chance: random.Random) -> ast.Module:
    return tree


@rewrite_text
def parenthesise(text: str, _chance: random.Random) -> str:
    plain = ast.unparse(ast.parse(text)) + "\n"
    out: list[str] = []
    for line in plain.split("\n"):
        asked = re.fullmatch(r"(\s*(?:if|elif|while) )(.+):", line)
        given = re.fullmatch(r"(\s*(?:return |\w+: [\w. |\[\]]+ = |\w+ = ))([^=].*)", line)
        if asked and _expression(asked[2]):
            line = f"{asked[1]}({asked[2]}):"  # noqa: PLW2901
        elif given and _expression(given[2]):
            line = f"{given[1]}({given[2]})"  # noqa: PLW2901
        out.append(line)
    done = "\n".join(out)
    return done if _same(done, plain) else plain


def _expression(text: str) -> bool:
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return False
    return not isinstance(node, ast.Tuple | ast.Starred | ast.NamedExpr)


def _same(one: str, other: str) -> bool:
    try:
        return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except SyntaxError:
        return False


@rewrite_text
def other_quotes(text: str, _chance: random.Random) -> str | None:
    done = re.sub(r"(?<![\"'\w\\])\"([^\"'\\\n{}]*)\"(?![\"'])", r"'\1'", text)
    return done if _same(done, text) else None


@rewrite_text
def other_comments(text: str, chance: random.Random) -> str:
    heads = {node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)}
    out: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if number in heads and chance.random() < 0.2 and not (out and out[-1].endswith("\\")):
            out.append(re.match(r"\s*", line)[0] + "# raise ValueError if config.size > 3")  # type: ignore[index]
        out.append(line)
    done = "\n".join(out)
    return done if _same(done, text) else text


@rewrite
def other_docstrings(tree: ast.Module, _chance: random.Random) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, (*_Def, ast.ClassDef)) and ast.get_docstring(node) is not None:
            node.body[0] = ast.Expr(ast.Constant("What it does, in other words. It raises nothing."))
    return tree


@rewrite
def sorted_imports(tree: ast.Module, _chance: random.Random) -> ast.Module:
    run: list[ast.stmt] = []
    out: list[ast.stmt] = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module != "__future__" and node.names[0].name != "*":
            run.extend(ast.ImportFrom(node.module, [alias], node.level) for alias in node.names)
            continue
        out.extend(sorted(run, key=ast.dump))
        run = []
        out.append(node)
    tree.body = [*out, *sorted(run, key=ast.dump)]
    return tree


@rewrite
def added_annotations(tree: ast.Module, _chance: random.Random) -> ast.Module:
    """Hints where there were none, of functions that nothing decorates."""
    for node in ast.walk(tree):
        if isinstance(node, _Def) and not node.decorator_list:
            for arg in (*node.args.args, *node.args.kwonlyargs):
                if arg.annotation is None and arg.arg not in ("self", "cls"):
                    arg.annotation = ast.Constant("object")
    return tree


@rewrite_text
def grouped_numbers(text: str, _chance: random.Random) -> str | None:
    plain = ast.unparse(ast.parse(text)) + "\n"
    done = re.sub(r"(?<![\w.\"'])([1-9]\d{0,2})(\d{3})(?![\w.\"'])", r"\1_\2", plain)
    return done if _same(done, plain) else None


# --- names and places ------------------------------------------------------------------------------------------------


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self.generic_visit(node)
        node.name = self.names.get(node.name or "", node.name)
        return node


@rewrite
def renamed_locals(tree: ast.Module, _chance: random.Random) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, _Def) and _plain_function(node):
            own = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            own -= {arg.arg for arg in ast.walk(node) if isinstance(arg, ast.arg)}
            _Renamed({name: f"{name}_here" for name in own}).generic_visit(node)
    return tree


def _plain_function(node: ast.AST) -> bool:
    """No scope inside, and none of its names is another's."""
    inside = [n for n in ast.walk(node) if n is not node]
    odd = (*_Def, ast.ClassDef, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.Match, ast.Lambda)
    calls = {n.id for n in inside if isinstance(n, ast.Name)}
    return not any(isinstance(n, odd) for n in inside) and calls.isdisjoint({"locals", "vars", "eval", "exec"})


@rewrite
def reordered_definitions(tree: ast.Module, chance: random.Random) -> ast.Module:
    owners: list[ast.Module | ast.ClassDef] = [tree, *(n for n in tree.body if isinstance(n, ast.ClassDef))]
    for owner in owners:
        out: list[ast.stmt] = []
        run: list[ast.stmt] = []
        for node in [*owner.body, None]:
            if node is not None and isinstance(node, _Def) and not node.decorator_list and not _evaluates(node):
                run.append(node)
                continue
            names = [n.name for n in run if isinstance(n, _Def)]
            if len(set(names)) == len(names):
                chance.shuffle(run)
            out.extend(run)
            run = []
            out.extend([node] if node is not None else [])
        owner.body = out
    return tree


def _evaluates(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Its head asks for names when it is defined."""
    given = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
    return any(not isinstance(d, ast.Constant) for d in given)


def _free(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _bound(node: ast.AST) -> set[str]:
    stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return (
        stored
        | {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
        | {n.name for n in ast.walk(node) if isinstance(n, (*_Def, ast.ClassDef))}
    )


def _movable(tree: ast.Module) -> list[ast.FunctionDef]:
    """Functions that need nothing but built-in names and themselves."""
    known = set(dir(builtins))
    return [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and not node.decorator_list
        and _free(node) - _bound(node) <= known
        and not any(isinstance(n, ast.Import | ast.ImportFrom | ast.Global) for n in ast.walk(node))
        and not any(isinstance(n, ast.arg) and n.annotation is not None for n in ast.walk(node))
        and node.returns is None
    ]


def split_module(text: str, _chance: random.Random) -> Files:
    """Some functions in a module of their own, and the old one hands them on."""
    tree = ast.parse(text)
    moved = _movable(tree)
    if not moved:
        return {}
    at = tree.body.index(moved[0])
    handed = ast.ImportFrom("engine.config.model_parts", [ast.alias(node.name) for node in moved], 0)
    tree.body[at:at] = [handed]
    tree.body = [node for node in tree.body if node not in moved]
    return {MODULE: ast.unparse(tree) + "\n", PART: ast.unparse(ast.Module(list(moved), [])) + "\n"}


REWRITES["split_module"] = split_module


@rewrite
def moved_with_alias(tree: ast.Module, chance: random.Random) -> ast.Module | None:
    """A function under a new name of its own, and the old name given to it."""
    moved = [n for n in tree.body if isinstance(n, ast.FunctionDef) and not n.decorator_list and n.name not in _free(n)]
    moved = [n for n in moved if not n.name.startswith("__")]
    if not moved:
        return None
    node = chance.choice(moved)
    at = tree.body.index(node)
    old, node.name = node.name, f"_{node.name.lstrip('_')}_impl"
    tree.body.insert(at + 1, ast.Assign([ast.Name(old, ast.Store())], ast.Name(node.name, ast.Load())))
    return tree


# --- conditions ------------------------------------------------------------------------------------------------------


def _tests(tree: ast.AST) -> Iterator[ast.If]:
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.If))


def _pure(node: ast.AST) -> bool:
    odd = (ast.NamedExpr, ast.Await, ast.Yield, ast.Call, ast.Lambda, ast.Starred)
    return not any(isinstance(n, odd) for n in ast.walk(node))


@rewrite
def de_morgan(tree: ast.Module, _chance: random.Random) -> ast.Module:
    for node in _tests(tree):
        if isinstance(node.test, ast.BoolOp):
            other = ast.Or() if isinstance(node.test.op, ast.And) else ast.And()
            parts: list[ast.expr] = [ast.UnaryOp(ast.Not(), part) for part in node.test.values]
            node.test = ast.UnaryOp(ast.Not(), ast.BoolOp(other, parts))
    return tree


@rewrite
def turned_comparisons(tree: ast.Module, _chance: random.Random) -> ast.Module:
    """`a != b` as `not a == b`, and so on."""
    turned = {ast.NotEq: ast.Eq, ast.IsNot: ast.Is, ast.NotIn: ast.In}

    class Turn(ast.NodeTransformer):
        def visit_Compare(self, node: ast.Compare) -> ast.AST:
            self.generic_visit(node)
            if len(node.ops) == 1 and type(node.ops[0]) in turned:
                node.ops = [turned[type(node.ops[0])]()]
                return ast.UnaryOp(ast.Not(), node)
            return node

    return Turn().visit(tree)  # type: ignore[no-any-return]


@rewrite
def lists_for_tuples(tree: ast.Module, _chance: random.Random) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            right = node.comparators[0]
            if isinstance(right, ast.Tuple | ast.List) and not any(isinstance(x, ast.Starred) for x in right.elts):
                other = ast.List if isinstance(right, ast.Tuple) else ast.Tuple
                node.comparators[0] = other(right.elts, ast.Load())
    return tree


@rewrite
def swapped_branches(tree: ast.Module, _chance: random.Random) -> ast.Module:
    for node in _tests(tree):
        if node.orelse and not (len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)):
            node.test = ast.UnaryOp(ast.Not(), node.test)
            node.body, node.orelse = node.orelse, node.body
    return tree


@rewrite
def equal_condition_around(tree: ast.Module, _chance: random.Random) -> ast.Module:
    for node in [*_tests(tree)]:
        if _pure(node.test) and not node.orelse:
            node.body = [ast.If(node.test, node.body, [])]
    return tree


@rewrite
def named_conditions(tree: ast.Module, _chance: random.Random) -> ast.Module:
    """A condition in a variable of its own."""

    numbers = count(1)

    class Name(ast.NodeTransformer):
        def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
            elif_branch = node.orelse if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If) else None
            for block in (node.body, node.orelse) if elif_branch is None else (node.body,):
                block[:] = [x for one in block for x in _listed(self.visit(one))]
            if not _pure(node.test):
                return node
            name = f"condition_{next(numbers)}"
            given = ast.Assign([ast.Name(name, ast.Store())], node.test)
            node.test = ast.Name(name, ast.Load())
            return [given, node]

    for node in ast.walk(tree):
        if isinstance(node, _Def):
            node.body = [x for one in node.body for x in _listed(Name().visit(one))]
    return tree


def _listed(node: ast.AST | list[ast.stmt]) -> list[ast.stmt]:
    return node if isinstance(node, list) else [node]  # type: ignore[list-item]


@rewrite
def asserts_as_raises(tree: ast.Module, _chance: random.Random) -> ast.Module:
    class Raise(ast.NodeTransformer):
        def visit_Assert(self, node: ast.Assert) -> ast.AST:
            error = ast.Call(ast.Name("AssertionError", ast.Load()), [node.msg] if node.msg else [], [])
            return ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Raise(error)], [])

    return Raise().visit(tree)  # type: ignore[no-any-return]


@rewrite
def split_guards(tree: ast.Module, _chance: random.Random) -> ast.Module:
    """`if a or b: raise E` as one check after the other."""

    class Split(ast.NodeTransformer):
        def visit_If(self, node: ast.If) -> ast.AST:
            self.generic_visit(node)
            leaves = isinstance(node.body[-1], ast.Raise) and len(node.body) == 1 and not node.orelse
            if leaves and isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.Or):
                first, *rest = node.test.values
                other = ast.BoolOp(ast.Or(), rest) if len(rest) > 1 else rest[0]
                return ast.If(first, node.body, [ast.If(other, node.body, [])])
            return node

    return Split().visit(tree)  # type: ignore[no-any-return]


@rewrite
def no_else_behind_a_way_out(tree: ast.Module, _chance: random.Random) -> ast.Module:
    def plain(body: list[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for node in body:
            for name in ("body", "orelse", "finalbody"):
                inner = getattr(node, name, None)
                if isinstance(inner, list):
                    setattr(node, name, plain(inner))
            for handler in getattr(node, "handlers", ()):
                handler.body = plain(handler.body)
            out.append(node)
            if isinstance(node, ast.If) and node.orelse and isinstance(node.body[-1], ast.Return | ast.Raise):
                out.extend(node.orelse)
                node.orelse = []
        return out

    tree.body = plain(tree.body)
    return tree


# --- wrappers and guards ---------------------------------------------------------------------------------------------


@rewrite
def extracted_wrapper(tree: ast.Module, _chance: random.Random) -> ast.Module | None:
    """Conditions over names alone asked by a function of their own."""
    helpers: list[ast.stmt] = []
    for node in [n for n in ast.walk(tree) if isinstance(n, _Def) and _plain_function(n)]:
        own = _bound(node)
        for test in _tests(node):
            names = _free(test.test)
            if names and names <= own and _pure(test.test) and len(helpers) < 6:
                name = f"_asks_{len(helpers)}"
                args = ast.arguments([], [ast.arg(x) for x in sorted(names)], None, [], [], None, [])
                helpers.append(ast.FunctionDef(name, args, [ast.Return(test.test)], []))
                test.test = ast.Call(ast.Name(name, ast.Load()), [ast.Name(x, ast.Load()) for x in sorted(names)], [])
    tree.body.extend(helpers)
    return tree if helpers else None


@rewrite
def guards_in_a_callee(tree: ast.Module, _chance: random.Random) -> ast.Module | None:
    """The first check of a function in one of its own that it calls."""
    helpers: list[ast.stmt] = []
    for node in [n for n in ast.walk(tree) if isinstance(n, _Def) and _plain_function(n)]:
        first = next((x for x in node.body if not isinstance(x, ast.Expr)), None)
        if not isinstance(first, ast.If) or first.orelse or not isinstance(first.body[-1], ast.Raise):
            continue
        parameters = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        names = sorted(_free(first) & parameters)
        name = f"_check_{len(helpers)}"
        args = ast.arguments([], [ast.arg(x) for x in names], None, [], [], None, [])
        helpers.append(ast.FunctionDef(name, args, [first], []))
        call = ast.Call(ast.Name(name, ast.Load()), [ast.Name(x, ast.Load()) for x in names], [])
        node.body[node.body.index(first)] = ast.Expr(call)
    tree.body.extend(helpers)
    return tree if helpers else None


@rewrite
def format_for_f_strings(tree: ast.Module, _chance: random.Random) -> ast.Module:
    class Format(ast.NodeTransformer):
        def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
            parts = [v for v in node.values if isinstance(v, ast.FormattedValue)]
            if any(p.format_spec is not None or p.conversion != -1 for p in parts):
                return node
            text = "".join("{}" if isinstance(v, ast.FormattedValue) else _braced(v) for v in node.values)
            return ast.Call(ast.Attribute(ast.Constant(text), "format", ast.Load()), [p.value for p in parts], [])

    return Format().visit(tree)  # type: ignore[no-any-return]


def _braced(node: ast.expr) -> str:
    return str(node.value).replace("{", "{{").replace("}", "}}") if isinstance(node, ast.Constant) else ""


@rewrite
def fallback_on_the_next_line(tree: ast.Module, _chance: random.Random) -> ast.Module:
    """`x = get("k", D)` as `x = get("k", None)` and, where that is None, `x = D`."""

    class Later(ast.NodeTransformer):
        def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
            call, target = node.value, node.targets[0]
            plain = isinstance(target, ast.Name) and isinstance(call, ast.Call) and len(node.targets) == 1
            if not plain or not isinstance(call, ast.Call) or not isinstance(target, ast.Name):
                return node
            get = isinstance(call.func, ast.Attribute) and call.func.attr == "get" and len(call.args) == 2
            if (
                not get
                or "environ" in ast.unparse(call.func)
                or call.keywords
                or not all(isinstance(a, ast.Constant) for a in call.args)
            ):
                return node
            default, call.args[1] = call.args[1], ast.Constant(None)
            asked = ast.Compare(ast.Name(target.id, ast.Load()), [ast.Is()], [ast.Constant(None)])
            return [node, ast.If(asked, [ast.Assign([ast.Name(target.id, ast.Store())], default)], [])]

    return Later().visit(tree)  # type: ignore[no-any-return]
