"""Changes to functions and their parameters, made to real sources, each with the finding that must tell it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from laws.mutants import Expected, File, Function, Mutant, default, other_value, plain

# --- parameters ------------------------------------------------------------------------------------------------------


def parameter_default(file: File) -> Mutant | None:
    def found() -> Iterator[tuple[Function, ast.arg, ast.expr, str]]:
        for function in file.functions():
            for argument in (*function.args.args, *function.args.kwonlyargs):
                given = default(argument, function)
                if given is not None and (other := other_value(given)):
                    yield function, argument, given, other

    if (one := file.one(found())) is None:
        return None
    function, argument, given, other = one
    symbol = f"{function.name}({argument.arg})"
    expected = Expected(("parameter_default_changed",), symbol, plain(file.source(given)), other)
    return Mutant(file.cut(given, other), expected)


def _last_argument(file: File) -> Iterator[tuple[Function, ast.arg]]:
    """A last parameter that may go or change its name; whatever follows it is none."""
    for function in file.functions():
        arguments = function.args
        if (
            arguments.args
            and not (arguments.vararg or arguments.kwonlyargs or arguments.kwarg)
            and len(arguments.args) > 1
        ):
            yield function, arguments.args[-1]


def parameter_removed(file: File) -> Mutant | None:
    if (one := file.one(_last_argument(file))) is None:
        return None
    function, argument = one
    given = default(argument, function)
    start, end = file.end(_before_last(function)), file.end(given or argument.annotation or argument)
    symbol = f"{function.name}({argument.arg})"
    breaks = not argument.arg.startswith("_")
    return Mutant(file.spliced(start, end, ""), Expected(("parameter_removed",), symbol, argument.arg, "", breaks))


def _before_last(function: Function) -> ast.AST:
    argument = function.args.args[-2]
    return default(argument, function) or argument.annotation or argument


def parameter_renamed(file: File) -> Mutant | None:
    if (one := file.one(_last_argument(file))) is None:
        return None
    function, argument = one
    start = file.start(argument)
    text = file.spliced(start, start + len(argument.arg.encode()), "mutant")
    breaks = not argument.arg.startswith("_")
    return Mutant(
        text, Expected(("parameter_renamed",), f"{function.name}({argument.arg})", argument.arg, "mutant", breaks)
    )


def _added(file: File, what: str, kind: str, breaks: bool) -> Mutant | None:
    if (one := file.one(_last_argument(file))) is None:
        return None
    function, argument = one
    end = file.end(default(argument, function) or argument.annotation or argument)
    expected = Expected((kind,), f"{function.name}(mutant)", "", "mutant", breaks)
    return Mutant(file.spliced(end, end, what), expected)


def parameter_required(file: File) -> Mutant | None:
    return _added(file, ", *, mutant", "parameter_required_added", True)


def parameter_added(file: File) -> Mutant | None:
    return _added(file, ", mutant=None", "parameter_added", False)


def parameter_by_keyword(file: File) -> Mutant | None:
    if (one := file.one(_last_argument(file))) is None:
        return None
    function, argument = one
    start = file.start(argument)
    expected = Expected(("parameter_kind_changed",), f"{function.name}({argument.arg})", "both", "only keyword", True)
    return Mutant(file.spliced(start, start, "*, "), expected)


def parameters_reordered(file: File) -> Mutant | None:
    def found() -> Iterator[Function]:
        return (f for f in file.functions() if len(f.args.args) > 1 and not f.args.defaults and not f.args.posonlyargs)

    if (function := file.one(found())) is None:
        return None
    first, second = function.args.args[:2]
    text = file.source(function.args.args[0])
    swapped = File(file.cut(second, text), file.tree, file.chance).cut(first, file.source(second))
    expected = Expected(
        ("parameter_moved",), function.name, f"{first.arg}, {second.arg}", f"{second.arg}, {first.arg}", True
    )
    return Mutant(swapped, expected)


def constructor_asks_more(file: File) -> Mutant | None:
    def found() -> Iterator[tuple[ast.ClassDef, Function]]:
        for owner in file.classes():
            for node in owner.body:
                if isinstance(node, ast.FunctionDef) and node.name == "__init__" and not node.decorator_list:
                    a = node.args
                    if not (a.vararg or a.kwonlyargs or a.kwarg or a.defaults or a.posonlyargs):
                        yield owner, node

    if (one := file.one(found())) is None:
        return None
    owner, function = one
    last = function.args.args[-1]
    end = file.end(last.annotation or last)
    symbol = f"{owner.name}.__init__(mutant)"
    return Mutant(
        file.spliced(end, end, ", mutant"), Expected(("parameter_required_added",), symbol, "", "mutant", True)
    )


# --- names -----------------------------------------------------------------------------------------------------------


def function_removed(file: File) -> Mutant | None:
    function = file.one(f for f in file.functions() if not file.starred)
    if function is None:
        return None
    return Mutant(
        file.without(function, "pass"), Expected(("function_removed",), function.name, function.name, "", True)
    )


def class_removed(file: File) -> Mutant | None:
    owner = file.one(o for o in file.classes() if not file.starred)
    return owner and Mutant(file.without(owner, "pass"), Expected(("class_removed",), owner.name, owner.name, "", True))


def _renamed(file: File, node: ast.ClassDef | Function, more: str = "") -> str:
    word = node.name.encode()
    start = file.text.encode().index(word, file.start(node))
    return file.spliced(start, start + len(word), f"mutant_{node.name}") + more


def function_renamed(file: File) -> Mutant | None:
    function = file.one(f for f in file.functions() if _telling(file, f) and not file.starred)
    if function is None:
        return None
    expected = Expected(("function_renamed",), function.name, function.name, f"mutant_{function.name}", True)
    return Mutant(_renamed(file, function), expected)


def function_renamed_with_alias(file: File) -> Mutant | None:
    function = file.one(f for f in file.functions(plain=True) if _telling(file, f))
    if function is None:
        return None
    expected = Expected(("function_renamed",), function.name, function.name, f"mutant_{function.name}", False)
    return Mutant(_renamed(file, function, f"\n\n{function.name} = mutant_{function.name}\n"), expected)


def _telling(file: File, function: Function) -> bool:
    """Its body is long enough to be known again."""
    body = [n for n in function.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
    bare = "".join("".join(file.source(node).split()) for node in body)
    return len(bare) > 80 and function.name not in bare


def method_removed(file: File) -> Mutant | None:
    def found() -> Iterator[tuple[ast.ClassDef, Function]]:
        for owner, node in file.methods():
            if (
                len(owner.body) > 2
                and not owner.bases
                and not any(getattr(n, "name", "") == "__getattr__" for n in owner.body)
            ):
                yield owner, node

    if (one := file.one(found())) is None:
        return None
    owner, node = one
    kinds = ("function_removed", "extension_method_removed")
    return Mutant(file.without(node), Expected(kinds, f"{owner.name}.{node.name}", node.name, "", None))


def property_made(file: File) -> Mutant | None:
    def found() -> Iterator[tuple[ast.ClassDef, Function]]:
        return ((o, n) for o, n in file.methods() if len(n.args.args) == 1 and not n.args.vararg and not n.args.kwarg)

    if (one := file.one(found())) is None:
        return None
    owner, node = one
    start = file.start(node)
    text = file.spliced(start, start, "@property\n" + " " * node.col_offset)
    return Mutant(text, Expected(("decorator_changed",), f"{owner.name}.{node.name}", "", "@property", True))


def method_parameter_removed(file: File) -> Mutant | None:
    def found() -> Iterator[tuple[ast.ClassDef, Function]]:
        for owner, node in file.methods():
            a = node.args
            open_end = a.vararg or a.kwonlyargs or a.kwarg or a.posonlyargs
            if len(a.args) > 2 and not open_end and not owner.bases and "\\" not in file.head(node):
                yield owner, node

    if (one := file.one(found())) is None:
        return None
    owner, node = one
    last = node.args.args[-1]
    start, end = file.end(_before_last(node)), file.end(default(last, node) or last.annotation or last)
    symbol = f"{owner.name}.{node.name}({last.arg})"
    kinds = ("parameter_removed",)
    return Mutant(file.spliced(start, end, ""), Expected(kinds, symbol, last.arg, "", not last.arg.startswith("_")))


def keyword_removed(file: File) -> Mutant | None:
    def found() -> Iterator[Function]:
        return (f for f in file.functions() if len(f.args.kwonlyargs) > 1 and not f.args.kwarg)

    if (function := file.one(found())) is None:
        return None
    before, last = function.args.kwonlyargs[-2:]
    start = file.end(default(before, function) or before.annotation or before)
    end = file.end(default(last, function) or last.annotation or last)
    symbol = f"{function.name}({last.arg})"
    breaks = not last.arg.startswith("_")
    return Mutant(file.spliced(start, end, ""), Expected(("parameter_removed",), symbol, last.arg, "", breaks))


def class_renamed(file: File) -> Mutant | None:
    owner = file.one(o for o in file.classes() if len(list(_methods_of(o))) > 2 and not file.starred)
    if owner is None:
        return None
    expected = Expected(("class_renamed",), owner.name, owner.name, f"mutant_{owner.name}", True)
    return Mutant(_renamed(file, owner), expected)


def _methods_of(owner: ast.ClassDef) -> Iterator[Function]:
    return (node for node in owner.body if isinstance(node, Function) and len(node.body) > 1)


def method_renamed(file: File) -> Mutant | None:
    def found() -> Iterator[tuple[ast.ClassDef, Function]]:
        for owner, node in file.methods():
            if not owner.bases and _telling(file, node) and len(node.name) > 5:
                yield owner, node

    if (one := file.one(found())) is None:
        return None
    owner, node = one
    symbol = f"{owner.name}.{node.name}"
    kinds = ("function_renamed", "extension_method_renamed")
    return Mutant(_renamed(file, node), Expected(kinds, symbol, node.name, f"mutant_{node.name}", None))


MUTATIONS: tuple[Callable[[File], Mutant | None], ...] = (
    parameter_default,
    method_parameter_removed,
    keyword_removed,
    class_renamed,
    method_renamed,
    parameter_removed,
    parameter_renamed,
    parameter_required,
    parameter_added,
    parameter_by_keyword,
    parameters_reordered,
    constructor_asks_more,
    function_removed,
    class_removed,
    function_renamed,
    function_renamed_with_alias,
    method_removed,
    property_made,
)
