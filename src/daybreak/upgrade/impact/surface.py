"""What an upstream tree says of a chain of names: `pkg.Engine.scheduler.waiting[].status`, `pkg.make().field`.

Types follow annotations, constructors, returned objects and what `__init__` puts on `self`. Whatever is not plain stays
unknown: a chain is either found, or missing at a step whose owner is known as a whole, or nothing is said of it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from daybreak.upgrade.downstream.python_values import AS_CLASS, TAKEN
from daybreak.upgrade.impact.chains import (
    HOLDING,
    OPTIONAL,
    Place,
    Reached,
    Sort,
    Thing,
    held_by,
    steps_of,
)
from daybreak.upgrade.impact.put_by_name import put_by_name, put_by_others
from daybreak.upgrade.impact.shapes import OF_CONTAINERS, is_lent, of_tuples, registered, size_of, takes_items
from daybreak.upgrade.impact.source import Function, Signature, signature_of, statements_of
from daybreak.upgrade.impact.source_parts import (
    advised,
    assigned,
    hands,
    is_generator,
    is_none,
    is_property,
    is_record,
    last_part,
    members_of,
    parsed,
    record_of,
    sides_of,
    taken_out,
)
from daybreak.upgrade.impact.table import Modules

_DEEPEST = 12
_BASES = 24
_MOST_STEPS = 12
_RECORD_BASES = frozenset(("BaseModel", "Struct", "NamedTuple", "TypedDict"))


class Surface:
    """One end of a range, for one repository."""

    def __init__(self, modules: Modules, repo: str) -> None:
        self.modules, self.repo = modules, repo
        self._reached: dict[str, Reached] = {}
        self._members: dict[tuple[str, str], dict[str, list[Place]]] = {}
        self._lines: dict[tuple[str, tuple[str, ...]], tuple[list[Thing], frozenset[str]]] = {}
        self._put: dict[tuple[str, tuple[str, ...]], set[str]] = {}
        self._busy: set[int] = set()
        self._accepted: dict[tuple[Thing, str, int], bool | None] = {}

    # --- chains ------------------------------------------------------------------------------------------------------

    def reach(self, name: str) -> Reached:
        """How far a chain goes in this tree."""
        if name not in self._reached:
            self._reached[name] = self._reach(steps_of(name))
        return self._reached[name]

    def _reach(self, steps: Sequence[str]) -> Reached:
        found = self._module(steps) if len(steps) <= _MOST_STEPS else None
        if found is None:
            return Reached(())
        module, at = found
        trail: list[Thing | None] = [*([Thing("module", "")] * (at - 1)), module]
        for step in steps[at:]:
            last = trail[-1]
            there, following = self._step(last, step) if last is not None else (None, None)
            if there is not True:
                return Reached(tuple(trail), gone=there is False)
            trail.append(following)
        return Reached(tuple(trail))

    def _module(self, steps: Sequence[str]) -> tuple[Thing, int] | None:
        """The longest module that the chain starts with."""
        plain = next((at for at, step in enumerate(steps) if not step.isidentifier()), len(steps))
        for size in range(plain, 0, -1):
            for root in self.modules.roots(self.repo):  # several may hold parts of one package
                path = self.modules.file(self.repo, root, steps[:size])
                if path:
                    return Thing("module", path), size
        return None

    def _step(self, thing: Thing, step: str) -> tuple[bool | None, Thing | None]:
        """Whether a step is there (None: unknown), and where it leads."""
        if step == "()":
            return True, self.called(thing)
        if step == TAKEN:
            return True, registered(self, thing)
        if step.startswith("["):
            return self._item(thing, step)
        if thing.sort == "module":
            return self._top(thing.path, step)
        if thing.sort in ("class", "object"):
            return self._inside(thing, step)
        return (False if thing.sort in ("many", "tuple") and step not in OF_CONTAINERS else None), None

    def _top(self, path: str, name: str) -> tuple[bool | None, Thing | None]:
        thing = self.named(path, name)
        if thing is not None:
            return True, thing
        offered = self.modules.offered(self.repo, path, name)
        if offered is False and self._below(path, name):
            return True, Thing("module", self._below(path, name) or "")
        return offered, None

    def _below(self, path: str, name: str) -> str | None:
        """The module of a package."""
        if not path.endswith("/__init__.py"):
            return None
        return self.modules.file(self.repo, path.removesuffix("__init__.py"), [name])

    def _item(self, thing: Thing, step: str) -> tuple[bool | None, Thing | None]:
        if step == AS_CLASS:
            return thing.sort == "class" or None, None
        if step.startswith("[:"):
            size = size_of(self, thing)
            return (None if size is None else size == int(step[2:-1])), None
        return takes_items(self, thing), self._element(thing, step.strip("[:]"))

    def _element(self, thing: Thing, index: str) -> Thing | None:
        if thing.sort == "many":
            return thing.parts[0] if thing.parts else None
        if thing.sort == "tuple" and index and int(index) < len(thing.parts):
            return thing.parts[int(index)]
        return None

    # --- names of a file ---------------------------------------------------------------------------------------------

    def named(self, path: str, name: str, depth: int = 0) -> Thing | None:
        """What a name means in a file, followed through its imports."""
        source = self.modules.source(self.repo, path)
        if source is None or depth > _DEEPEST:
            return None
        nodes = source.tops.get(name)
        if nodes:
            sort: Sort = "class" if isinstance(nodes[-1], ast.ClassDef) else "function"
            return Thing(sort, path, (name,))
        if name in source.values:
            return self.given(source.values[name], path, None, None, depth + 1)
        origin = source.origins.get(name) or source.hints.get(name)
        return self._imported(path, *origin, depth + 1) if origin else None

    def _imported(self, path: str, module: str, name: str, depth: int) -> Thing | None:
        if not name:
            return self._foreign(module)
        found = self.modules.reached(self.repo, path, module)
        if found is None:
            return self._foreign(f"{module}.{name}")
        thing = self.named(found, name, depth)
        if thing is None and (below := self._below(found, name)):
            return Thing("module", below)
        return thing

    def _foreign(self, dotted: str) -> Thing | None:
        """Something of another project; a name of this one that is not found stays unknown."""
        top = dotted.partition(".")[0]
        if not top or self._module(dotted.split(".")):
            return None
        return Thing("foreign", dotted)

    # --- members -----------------------------------------------------------------------------------------------------

    def line_up(self, thing: Thing) -> tuple[list[Thing], frozenset[str]]:
        """A class with its bases, nearest first; and the names of bases that this tree does not define."""
        key = (thing.path, thing.symbol)
        if key not in self._lines:
            self._lines[key] = self._line_up(thing)
        return self._lines[key]

    def _line_up(self, thing: Thing) -> tuple[list[Thing], frozenset[str]]:
        found: list[Thing] = []
        others: set[str] = set()
        waiting = [Thing("class", thing.path, thing.symbol)]
        while waiting and len(found) < _BASES:
            one = waiting.pop(0)
            node = self._class(one)
            if one in found or node is None:
                continue
            found.append(one)
            for base in node.bases:
                bare = base.value if isinstance(base, ast.Subscript) else base
                made = self.given(bare, one.path, None, None, 0)
                if made is not None and made.sort == "class":
                    waiting.append(made)
                else:
                    others.add(ast.unparse(bare)[:200])
        return found, frozenset(others - {"object", "ABC", "Generic", "Protocol"})

    def _class(self, thing: Thing) -> ast.ClassDef | None:
        source = self.modules.source(self.repo, thing.path)
        nodes: Sequence[ast.stmt] = source.tops.get(thing.symbol[0], []) if source and thing.symbol else []
        for name in thing.symbol[1:]:
            body = nodes[-1].body if nodes and isinstance(nodes[-1], ast.ClassDef) else []
            nodes = [one for one in body if isinstance(one, ast.ClassDef) and one.name == name]
        return nodes[-1] if nodes and isinstance(nodes[-1], ast.ClassDef) else None

    def functions_of(self, thing: Thing) -> list[Function]:
        """The methods that the body of a class defines."""
        return [one for one in getattr(self._class(thing), "body", ()) if isinstance(one, Function)]

    def member(self, thing: Thing, name: str) -> Place | None:
        """Where a class or one of its bases defines a member."""
        for one in self.line_up(thing)[0]:
            places = self._own(one).get(name)
            if places:
                return places[-1] if isinstance(places[-1].node, Function) else places[0]
        return None

    def _own(self, thing: Thing) -> dict[str, list[Place]]:
        key = (thing.path, ".".join(thing.symbol))
        if key not in self._members:
            found: dict[str, list[Place]] = {}
            node = self._class(thing)
            for name, one, within in members_of(node) if node is not None else ():
                found.setdefault(name, []).append(Place(thing, one, within))
            self._members[key] = found
        return self._members[key]

    def _inside(self, thing: Thing, name: str) -> tuple[bool | None, Thing | None]:
        place = self.member(thing, name)
        if place is not None:
            return True, self._of_place(place, name, thing)
        if name.startswith("__") or self._answers(thing) or self._by_name(thing, name):
            return None, None
        return (False, None) if self._class(thing) is not None else (None, None)

    def has(self, thing: Thing, name: str) -> bool:
        """Whether an object surely has a member."""
        return thing.sort == "object" and self._inside(thing, name)[0] is True

    def _answers(self, thing: Thing) -> bool:
        """Whether a class, or the class that makes it, answers for names that it does not have."""
        made_by = [
            self.given(word.value, one.path, None, None, 0)
            for one in self.line_up(thing)[0]
            for word in getattr(self._class(one), "keywords", ())
            if word.arg == "metaclass"
        ]
        asked = (thing, *(one for one in made_by if one is not None and one.sort == "class"))
        return any(self.member(one, hook) for one in asked for hook in ("__getattr__", "__getattribute__"))

    def _by_name(self, thing: Thing, name: str) -> bool:
        """Whether a class gives its objects an attribute by a word, or through a function that it hands them to."""
        for one in self.line_up(thing)[0]:
            key = (one.path, one.symbol)
            node = self._class(one)
            if node is not None and key not in self._put:
                self._put[key] = put_by_name(node) | put_by_others(self, node, "self", one.path)
            if name in self._put.get(key, ()):
                return True
        return False

    def _of_place(self, place: Place, name: str, seen_from: Thing) -> Thing | None:
        node, owner = place.node, place.owner
        if isinstance(node, ast.ClassDef):
            return Thing("class", owner.path, (*owner.symbol, name))
        if isinstance(node, Function):
            function = Thing("function", owner.path, (*owner.symbol, name))
            return self._returned(function, node, seen_from) if is_property(node) else function
        if isinstance(node, ast.AnnAssign):
            declared = self.annotated(node.annotation, owner.path, owner)
            if declared is not None or node.value is None:
                return declared
        value = getattr(node, "value", None)
        return self.given(value, owner.path, owner, place.within, 0) if isinstance(value, ast.expr) else None

    # --- calls -------------------------------------------------------------------------------------------------------

    def called(self, thing: Thing) -> Thing | None:
        """What calling something gives."""
        if thing.sort == "class":
            return Thing("object", thing.path, thing.symbol)
        if thing.sort == "object":
            place = self.member(thing, "__call__")
            return self._returned(thing, place.node, thing) if place and isinstance(place.node, Function) else None
        if thing.sort == "foreign":
            return Thing("foreign", f"{thing.path}()")
        if thing.sort != "function":
            return None
        node = self.function(thing)
        owner = Thing("class", thing.path, thing.symbol[:-1]) if len(thing.symbol) > 1 else None
        return self._returned(thing, node, owner) if node is not None else None

    def function(self, thing: Thing) -> Function | None:
        """The definition of a function; of overloads, the one that is run."""
        if len(thing.symbol) > 1:
            place = self.member(Thing("class", thing.path, thing.symbol[:-1]), thing.symbol[-1])
            return place.node if place and isinstance(place.node, Function) else None
        source = self.modules.source(self.repo, thing.path)
        nodes = source.tops.get(thing.symbol[0], []) if source and thing.symbol else []
        return nodes[-1] if nodes and isinstance(nodes[-1], Function) else None

    def _returned(self, thing: Thing, node: Function, owner: Thing | None) -> Thing | None:
        if node.returns is not None:
            said = self.annotated(node.returns, thing.path, owner)
            return self._element(said, "") if said is not None and is_lent(node) else said
        if id(node) in self._busy or is_generator(node):
            return None
        self._busy.add(id(node))
        given = [one.value for one in statements_of(node.body) if isinstance(one, ast.Return) and one.value is not None]
        made = [self.given(one, thing.path, owner, node, 2) for one in given[:6]]
        self._busy.discard(id(node))
        return made[0] if made and all(one == made[0] for one in made) else of_tuples(made)

    def returns(self, thing: Thing) -> str:
        """What a function says it gives, as written; empty where it says nothing, or that it may give none."""
        node = self.function(thing) if thing.sort == "function" else None
        text = ast.unparse(node.returns) if node is not None and node.returns is not None else ""
        text = text.strip("'\"")
        maybe = text != "None" and ("None" in text.replace("|", " ").split() or text.startswith("Optional"))
        return "" if maybe or text in ("Any", "NoReturn", "Never") or len(text) > 80 else text

    def signature(self, thing: Thing) -> Signature | None:
        """Parameters of what is called: a function, a method or the constructor of a class."""
        if thing.sort == "function":
            node = self.function(thing)
            return signature_of(node, len(thing.symbol) > 1) if node is not None else None
        if thing.sort != "class":
            return None
        for name in ("__init__", "__new__"):
            place = self.member(thing, name)
            if place is not None and isinstance(place.node, Function):
                return signature_of(place.node, True)
        return self._record(thing)

    def accepts(self, thing: Thing, keyword: str, depth: int = 0) -> bool | None:
        """Whether a call may pass a keyword, also through `**kwargs` to what gets them in the end."""
        key = (thing, keyword, depth)
        if key not in self._accepted:
            self._accepted[key] = self._accepts(thing, keyword, depth)
        return self._accepted[key]

    def _accepts(self, thing: Thing, keyword: str, depth: int) -> bool | None:
        found = self.signature(thing)
        if found is None or depth > 3:
            return None
        if keyword in found.keywords:
            return True
        if not found.others:
            return False
        if self._takes(thing, keyword):
            return True
        targets = self._handed(thing)
        answers = [self.accepts(one, keyword, depth + 1) for one in targets]
        return True if True in answers else None if None in answers or not answers else False

    def taken(self, thing: Thing, parameter: str) -> Thing | None:
        """The class of this project that a parameter is annotated with; None for anything else."""
        node, owner = self.body(thing)
        every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs] if node is not None else []
        hint = next((one.annotation for one in every if one.arg == parameter), None)
        made = self.annotated(hint, owner.path if owner else thing.path, owner) if hint is not None else None
        return made if made is not None and made.sort == "object" else None

    def hint(self, thing: Thing, name: str) -> tuple[ast.expr | None, str]:
        """The annotation of a parameter, of a field that its class is built with or of an attribute, and its file."""
        node, owner = self.body(thing)
        every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs] if node is not None else []
        found = next((one.annotation for one in every if one.arg == name), None)
        if found is not None or (node is not None and thing.sort == "function"):
            return found, owner.path if owner else thing.path
        place = self.member(thing, name) if thing.sort in ("class", "object") else None
        declared = place.node.annotation if place and isinstance(place.node, ast.AnnAssign) else None
        return declared, place.owner.path if place else ""

    def parts(self, thing: Thing) -> tuple[str, ...]:
        """The parameters of a function that are given by place."""
        found = self.signature(thing) if thing.sort == "function" else None
        return found.places if found is not None else ()

    def body(self, thing: Thing) -> tuple[Function | None, Thing | None]:
        """What is run by a call, and its class."""
        if thing.sort == "class":
            place = self.member(thing, "__init__")
            return (place.node, place.owner) if place and isinstance(place.node, Function) else (None, None)
        owner = Thing("class", thing.path, thing.symbol[:-1]) if len(thing.symbol) > 1 else None
        return self.function(thing), owner

    def _takes(self, thing: Thing, keyword: str) -> bool:
        """A keyword that the body takes out of its `**kwargs` itself."""
        node, _ = self.body(thing)
        rest = node.args.kwarg if node is not None else None
        return node is not None and rest is not None and keyword in taken_out(node, rest.arg)

    def _handed(self, thing: Thing) -> list[Thing]:
        """What a function hands its `**kwargs` on to; nothing when one of those is not known."""
        node, owner = self.body(thing)
        rest = node.args.kwarg if node is not None else None
        if node is None or rest is None:
            return []
        path = owner.path if owner else thing.path
        calls = [one for one in ast.walk(node) if isinstance(one, ast.Call) and hands(one, rest.arg)]
        found = [self.given(call.func, path, owner, node, 0) for call in calls]
        known = [one for one in found if one is not None]
        return known if len(known) == len(found) else []

    def _record(self, thing: Thing) -> Signature | None:
        """The constructor that fields make: of dataclasses, models and their like."""
        line, others = self.line_up(thing)
        nodes = [node for one in reversed(line) if (node := self._class(one)) is not None]
        if not any(is_record(node) for node in nodes) and not {x.rpartition(".")[2] for x in others} & _RECORD_BASES:
            return None
        return record_of(nodes, partial="TypedDict" in others)

    # --- expressions -------------------------------------------------------------------------------------------------

    def annotated(self, node: ast.expr | None, path: str, owner: Thing | None, depth: int = 0) -> Thing | None:
        """An object of the annotated type."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node = parsed(node.value)
        if node is None or depth > _DEEPEST:
            return None
        if isinstance(node, ast.BinOp):
            sides = [self.annotated(one, path, owner, depth + 1) for one in (node.left, node.right) if not is_none(one)]
            return sides[0] if len(sides) == 1 else None
        if isinstance(node, ast.Subscript):
            return self._wrapped(node, path, owner, depth)
        if isinstance(node, ast.Name) and node.id == "Self" and owner is not None:
            return Thing("object", owner.path, owner.symbol)
        made = self.given(node, path, owner, None, depth + 1)
        if made is not None and made.sort == "class":
            made = Thing("object", made.path, made.symbol)
        return made if made is not None and made.sort in ("object", "foreign") else None

    def _wrapped(self, node: ast.Subscript, path: str, owner: Thing | None, depth: int) -> Thing | None:
        name = last_part(node.value)
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        kept = [one for one in inner if not is_none(one)]
        if name in OPTIONAL:
            chosen = kept[-1:] if name == "Coroutine" else kept[:1] if name == "Annotated" else kept
            return self.annotated(chosen[0], path, owner, depth + 1) if len(chosen) == 1 else None
        if name not in HOLDING:
            return self.annotated(node.value, path, owner, depth + 1)
        parts = tuple(self.annotated(one, path, owner, depth + 1) for one in inner)
        return held_by(name, parts, any(isinstance(x, ast.Constant) and x.value is ... for x in inner))

    def given(
        self, node: ast.expr | None, path: str, owner: Thing | None, within: Function | None, depth: int
    ) -> Thing | None:
        """What an expression of a file stands for."""
        if node is None or depth > _DEEPEST:
            return None
        if isinstance(node, ast.Name):
            return self._name(node.id, path, owner, within, depth)
        if isinstance(node, ast.List | ast.ListComp):
            first = node.elts[0] if isinstance(node, ast.List) and node.elts else None
            return Thing("many", parts=(self.given(first, path, owner, within, depth + 1),))
        if isinstance(node, ast.Tuple) and not any(isinstance(one, ast.Starred) for one in node.elts):
            return Thing("tuple", parts=tuple(self.given(one, path, owner, within, depth + 1) for one in node.elts))
        known = (self.given(one, path, owner, within, depth + 1) for one in sides_of(node))
        base = next((one for one in known if one is not None), None)
        return self._made(node, base) if base is not None else None

    def _made(self, node: ast.expr, base: Thing) -> Thing | None:
        """What an expression makes of what it starts from."""
        if isinstance(node, ast.Call):
            return self.called(base)
        if isinstance(node, ast.Subscript):
            return self._element(base, "")
        if isinstance(node, ast.Attribute) and base.sort == "foreign":
            return Thing("foreign", f"{base.path}.{node.attr}")
        return self._step(base, node.attr)[1] if isinstance(node, ast.Attribute) else base

    def _name(self, name: str, path: str, owner: Thing | None, within: Function | None, depth: int) -> Thing | None:
        if within is not None:
            every = [*within.args.posonlyargs, *within.args.args, *within.args.kwonlyargs]
            if owner is not None and every and name == every[0].arg and name in ("self", "cls"):
                return Thing("class" if name == "cls" else "object", owner.path, owner.symbol)
            for one in every:
                if one.arg == name:
                    return self.annotated(one.annotation, path, owner, depth + 1)
            local = assigned(within, name)
            if local is not None:
                return self.given(local, path, owner, within, depth + 2)
        return self.named(path, name, depth + 1)

    def successor(self, thing: Thing) -> str:
        """What a class or function that is deprecated says to use instead of itself."""
        node = (
            self._class(thing) if thing.sort == "class" else self.function(thing) if thing.sort == "function" else None
        )
        return advised(node, thing.symbol[-1]) if node is not None else ""

    def dotted(self, thing: Thing) -> str:
        """The full name of what is defined here."""
        return ".".join((self.modules.dotted(self.repo, thing.path), *thing.symbol))
