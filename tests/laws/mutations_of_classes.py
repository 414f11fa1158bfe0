"""Changes to classes, structures and types, made to real sources, each with the finding that must tell it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator

from laws.mutants import Expected, File, Function, Mutant, other_value, plain, public

# --- classes ---------------------------------------------------------------------------------------------------------


def exception_base(file: File) -> Mutant | None:
    common = ("Exception", "BaseException", "LookupError")

    def found() -> Iterator[tuple[ast.ClassDef, ast.expr]]:
        """Errors of another error; a message that is called one (`class CreateError(BaseModel)`) is raised by nobody."""
        for owner in file.classes():
            if owner.name.endswith(("Error", "Exception")) and len(owner.bases) == 1 and not owner.decorator_list:
                base = ast.unparse(owner.bases[0])
                if base not in common and base.endswith(("Error", "Exception")):
                    yield owner, owner.bases[0]

    if (one := file.one(found())) is None:
        return None
    owner, base = one
    return Mutant(
        file.cut(base, "LookupError"), Expected(("error_base_removed",), owner.name, ast.unparse(base), "", True)
    )


def _members(file: File) -> Iterator[tuple[ast.ClassDef, ast.Assign]]:
    for owner in file.classes():
        if any(ast.unparse(b).split(".")[-1].endswith("Enum") for b in owner.bases):
            plain = [n for n in owner.body if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)]
            values = Counter(ast.unparse(n.value) for n in plain)
            for node in plain:
                single = isinstance(node.value, ast.Constant) and values[ast.unparse(node.value)] == 1
                if single and len(plain) > 1 and not node.targets[0].id.startswith("_"):  # type: ignore[attr-defined]
                    yield owner, node


def enum_member_removed(file: File) -> Mutant | None:
    if (one := file.one(_members(file))) is None:
        form = "class MutantKind(Enum):\n    GREEN = 1\n%s"
        expected = Expected(("enum_member_removed",), "MutantKind.RED", "RED", "", True)
        return file.grafted(form % "    RED = 2\n", form % "", expected)
    owner, node = one
    name = node.targets[0].id
    return Mutant(file.without(node), Expected(("enum_member_removed",), f"{owner.name}.{name}", name, "", True))


def enum_value_changed(file: File) -> Mutant | None:
    found = ((o, n, other) for o, n in _members(file) if (other := other_value(n.value)))
    if (one := file.one(found)) is None:
        form = 'class MutantKind(str, Enum):\n    GREEN = "%s"\n'
        return file.grafted(
            form % "g", form % "h", Expected(("enum_member_changed",), "MutantKind.GREEN", '"g"', '"h"')
        )
    owner, node, other = one
    before = plain(file.source(node.value))
    symbol = f"{owner.name}.{node.targets[0].id}"
    return Mutant(file.cut(node.value, other), Expected(("enum_member_changed",), symbol, before, other))


def field_removed(file: File) -> Mutant | None:
    found = ((o, n) for o, n in file.fields() if len(o.body) > 1)
    if (one := file.one(found)) is None:
        return None
    owner, node = one
    symbol = f"{owner.name}.{node.target.id}"
    kinds = ("field_removed", "request_field_removed")
    return Mutant(file.without(node), Expected(kinds, symbol, node.target.id, "", None))


def field_type(file: File) -> Mutant | None:
    plain = {"str": "float", "int": "bytes", "bool": "str", "float": "str", "Path": "int"}
    found = ((o, n) for o, n in file.fields() if ast.unparse(n.annotation) in plain)
    if (one := file.one(found)) is None:
        return None
    owner, node = one
    before = ast.unparse(node.annotation)
    symbol, kinds = f"{owner.name}.{node.target.id}", ("field_changed", "request_field_changed")
    return Mutant(file.cut(node.annotation, plain[before]), Expected(kinds, symbol, before, plain[before], None))


def field_required(file: File) -> Mutant | None:
    if (one := file.one(file.fields())) is None:
        return None
    owner, _ = one
    first = next(n for n in owner.body if isinstance(n, ast.AnnAssign))
    start = file.start(first)
    text = file.spliced(start, start, "mutant: int\n" + " " * first.col_offset)
    kinds = ("field_required_added", "request_field_required_added")
    return Mutant(text, Expected(kinds, f"{owner.name}.mutant", "", "mutant", None))


def field_default(file: File) -> Mutant | None:
    found = ((o, n, other) for o, n in file.fields() if n.value is not None and (other := other_value(n.value)))
    if (one := file.one(found)) is None:
        return None
    owner, node, other = one
    kinds = ("field_default_changed", "request_field_default_changed")
    before = plain(file.source(node.value))
    return Mutant(file.cut(node.value, other), Expected(kinds, f"{owner.name}.{node.target.id}", before, other, None))


def structure_frozen(file: File) -> Mutant | None:
    def found() -> Iterator[tuple[ast.ClassDef, ast.expr]]:
        for owner, _ in file.fields():
            yield from (
                (owner, d) for d in owner.decorator_list if ast.unparse(d) in ("dataclass", "dataclasses.dataclass")
            )

    if (one := file.one(found())) is None:
        form = "class MutantEvent(msgspec.Struct, %s=True):\n    medium: str\n"
        texts = "omit_defaults=True", "array_like=True"
        expected = Expected(("struct_options_changed",), "MutantEvent", *texts, True, "internals")
        return file.grafted(form % "omit_defaults", form % "array_like", expected)
    owner, mark = one
    end = file.end(mark)
    expected = Expected(("struct_use_changed",), owner.name, "", "frozen=True", True, "internals")
    return Mutant(file.spliced(end, end, "(frozen=True)"), expected)


def flag_flipped(file: File) -> Mutant | None:
    def found() -> Iterator[tuple[ast.ClassDef, str, ast.Constant]]:
        data = {owner.name for owner, _ in file.fields()}
        for owner in file.classes():
            names = Counter(
                n.targets[0].id for n in owner.body if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)
            )
            for node in owner.body if owner.name not in data else ():
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and len(node.targets) == 1:
                    name, value = node.targets[0].id, node.value
                    if (
                        isinstance(value, ast.Constant)
                        and isinstance(value.value, bool)
                        and public(name)
                        and names[name] == 1
                    ):
                        yield owner, name, value

    if (one := file.one(found())) is None:
        return None
    owner, name, value = one
    symbol = f"{owner.name}.{name}"
    return Mutant(
        file.cut(value, str(not value.value)),
        Expected(("flag_changed",), symbol, str(value.value), str(not value.value)),
    )


def answer_flipped(file: File) -> Mutant | None:
    def found() -> Iterator[tuple[str, ast.Constant]]:
        named = [(f.name, f) for f in file.functions()] + [(f"{o.name}.{n.name}", n) for o, n in file.methods()]
        for name, node in named:
            body = [n for n in node.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
            only = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
            if isinstance(only, ast.Constant) and isinstance(only.value, bool):
                yield name, only

    if (one := file.one(found())) is None:
        return None
    name, value = one
    expected = Expected(("flag_changed",), f"{name}()", str(value.value), str(not value.value))
    return Mutant(file.cut(value, str(not value.value)), expected)


def implementers_return(file: File) -> Mutant | None:
    def found() -> Iterator[tuple[ast.ClassDef, Function]]:
        for owner in file.classes():
            names = Counter(getattr(node, "name", "") for node in owner.body)
            for node in owner.body:
                if (
                    isinstance(node, Function)
                    and names[node.name] == 1
                    and public(node.name)
                    and node.returns is not None
                ):
                    marks = [ast.unparse(d).split(".")[-1] for d in node.decorator_list]
                    if (
                        marks == ["abstractmethod"]
                        and "Any" not in (told := ast.unparse(node.returns))
                        and "object" not in told
                    ):
                        yield owner, node

    if (one := file.one(found())) is None:
        form = "class MutantPolicy(ABC):\n    @abstractmethod\n    def balance(self, load) -> %s:\n        ...\n"
        texts = "tuple[int, str]", "dict[str, int]"
        expected = Expected(("extension_return_changed",), "MutantPolicy.balance", *texts, True, "internals")
        return file.grafted(form % texts[0], form % texts[1], expected)
    owner, node = one
    symbol = f"{owner.name}.{node.name}"
    before = plain(file.source(node.returns))[:60]
    text = file.cut(node.returns, "frozenset[Mutant]")
    return Mutant(text, Expected(("extension_return_changed",), symbol, before, "frozenset[Mutant]", True, "internals"))


def literal_narrowed(file: File) -> Mutant | None:
    def found() -> Iterator[tuple[str, ast.Subscript]]:
        for node in file.tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and public(node.targets[0].id):
                value = node.value
                if isinstance(value, ast.Subscript) and ast.unparse(value.value).split(".")[-1] == "Literal":
                    inner = value.slice.elts if isinstance(value.slice, ast.Tuple) else []
                    if len(inner) > 2 and all(isinstance(e, ast.Constant) and isinstance(e.value, str) for e in inner):
                        yield node.targets[0].id, value

    if (one := file.one(found())) is None:
        form = 'MutantModes = Literal["a", "b"%s]\n'
        return file.grafted(
            form % ', "c"', form % "", Expected(("literal_narrowed",), "MutantModes", '"c"', None, True)
        )
    name, value = one
    last = value.slice.elts[-1]
    text = file.spliced(file.end(value.slice.elts[-2]), file.end(last), "")
    return Mutant(text, Expected(("literal_narrowed",), name, plain(ast.unparse(last)), None, None))


def _constants(file: File) -> Iterator[tuple[str, ast.Assign]]:
    named = [n for n in file.tree.body if isinstance(n, ast.Assign) and len(n.targets) == 1]
    names = Counter(n.targets[0].id for n in named if isinstance(n.targets[0], ast.Name))
    stored = Counter(n.id for n in ast.walk(file.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    for node in named:
        target = node.targets[0]
        name = target.id if isinstance(target, ast.Name) else "_"
        if names[name] == stored[name] == 1 and public(name) and name.isupper():
            yield name, node


def constant_changed(file: File) -> Mutant | None:
    found = ((name, n, other) for name, n in _constants(file) if (other := other_value(n.value)) and other != "17")
    if (one := file.one(found)) is None:
        return None
    name, node, other = one
    expected = Expected(("attribute_changed",), name, plain(file.source(node.value)), other)
    return Mutant(file.cut(node.value, other), expected)


def abstract_method_added(file: File) -> Mutant | None:
    form = "class MutantPolicy(ABC):\n    @abstractmethod\n    def balance(self, load): ...\n%s"
    more = "\n    @abstractmethod\n    def mutate(self): ...\n"
    expected = Expected(("extension_method_added",), "MutantPolicy.mutate", "", "mutate", None)
    return file.grafted(form % "", form % more, expected)


def structure_field_of_event(file: File) -> Mutant | None:
    form = "class MutantEvent(msgspec.Struct, array_like=True):\n    a: int\n\n\nclass Stored(MutantEvent):\n    b: int\n%s"
    expected = Expected(("field_removed", "internal_field_removed"), "Stored.medium", "medium: str", "", None)
    return file.grafted(form % "    medium: str\n", form % "", expected)


MUTATIONS: tuple[Callable[[File], Mutant | None], ...] = (
    exception_base,
    constant_changed,
    abstract_method_added,
    structure_field_of_event,
    enum_member_removed,
    enum_value_changed,
    field_removed,
    field_type,
    field_required,
    field_default,
    structure_frozen,
    flag_flipped,
    answer_flipped,
    implementers_return,
    literal_narrowed,
)
