"""Values in Python: what a name stands for while a file is read, and the uses found in it so far."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from daybreak.core.model.upgrade import Use, UseKind
from daybreak.core.projects import TEXT_MOST, Wanted, shown
from daybreak.upgrade.downstream.choices import Choices
from daybreak.upgrade.downstream.python_words import Words
from daybreak.upgrade.downstream.readers import Found, lines_of


class Instance(Struct, frozen=True):
    """An object made by calling the class at this path."""

    path: str


class Literal(Struct, frozen=True):
    """A list, dict or string as it stands in the file."""

    node: ast.expr


class Many(Struct, frozen=True):
    """A list, dict or the like of yours whose parts are such objects."""

    part: Value
    table: bool = False
    """It holds them by keys: a round over it gives a key."""


class Returning(Struct, frozen=True):
    """A function of yours whose annotation says what it gives."""

    value: Value


class Keys(Struct, frozen=True):
    """A name that stands for one string of a literal list after the other."""

    nodes: tuple[ast.expr, ...]


class Parameters(Struct, frozen=True):
    """What something upstream can be called with: `inspect.signature(X).parameters`, the fields of a dataclass."""

    path: str


class Handing(Struct, frozen=True):
    """A function of yours that hands keywords on to something upstream."""

    target: str
    own: frozenset[str]
    """Parameters that it takes itself."""
    value: Value = None
    """What it gives."""


class Check(Struct, frozen=True):
    """A name whose truth tells whether something upstream is there."""

    when: tuple[str, ...] = ()
    """What holds of upstream where it is true, as far as that is known."""


class Star(Struct, frozen=True):
    """What a module of yours hands on by `from upstream import *`: every name that it does not define itself."""

    path: str
    own: frozenset[str] = frozenset()


_MOST = 20
"""Bases of a class that are followed."""
_LONGEST = 300
"""Characters of a chain of names."""


class Method(Struct, frozen=True):
    """A method of yours as an override tells it."""

    name: str
    line: int
    keywords: tuple[str, ...]
    positional: int | None
    value: str | None


class OwnClass:
    """A class of yours."""

    __slots__ = ("bases", "built_on_yours", "extends", "methods", "mixed", "name", "own", "registered", "upstream")

    def __init__(self, name: str, bases: tuple[str | OwnClass, ...] = ()) -> None:
        self.name = name
        self.bases = bases
        self.own: dict[str, Value] = {}
        """Methods and attributes that it defines itself."""
        paths = (path for base in bases for path in ((base,) if isinstance(base, str) else base.upstream))
        self.upstream: tuple[str, ...] = tuple(dict.fromkeys(paths))[:_MOST]
        """Paths of the watched bases, also those of classes of yours in between."""
        self.built_on_yours = any(isinstance(base, OwnClass) for base in bases)
        self.methods: list[Method] = []
        """Methods of a class without an upstream base: a class of yours may mix them into one of upstream."""
        self.mixed: tuple[str, ...] = ()
        """Paths of what it is mixed into."""
        self.extends = False
        """Mixed in by upstream itself, which has the names of both."""
        self.registered = False
        """Handed to upstream by a decorator of its own: upstream makes the objects."""

    def copy(self) -> OwnClass:
        """The same class, to which other names can be given."""
        made = OwnClass(self.name, self.bases)
        made.own = dict(self.own)
        made.registered = self.registered
        return made

    def line_up(self) -> Iterator[OwnClass]:
        """This class and the classes of yours it builds on, each once."""
        seen: set[int] = set()
        waiting = [self]
        while waiting and len(seen) < _MOST:
            one = waiting.pop(0)
            if id(one) in seen:
                continue
            seen.add(id(one))
            yield one
            waiting += [base for base in one.bases if isinstance(base, OwnClass)]

    def defines(self, name: str) -> bool:
        return name in self.own or (self.built_on_yours and any(name in one.own for one in self.line_up()))

    def member(self, name: str, *, above: bool = False) -> Value:
        """What `self.NAME` is; `above` asks the bases only, as `super()` does."""
        if not above and name in self.own:
            return self.own[name]
        for one in self.line_up() if self.built_on_yours else ():
            if name in one.own and one is not self:
                return one.own[name]
        paths = tuple(f"{base}.{name}" for base in self.upstream or self.mixed)
        return Inherited(self, name, paths, sure=above) if paths else None


class Own(Struct, frozen=True):
    """An object of a class of yours."""

    kind: OwnClass


class Above(Struct, frozen=True):
    """What `super()` gives."""

    kind: OwnClass


class Inherited(Struct, frozen=True):
    """An attribute that a class of yours has from upstream, unless a later line turns out to define it."""

    kind: OwnClass
    name: str
    paths: tuple[str, ...]
    sure: bool = False


_OBJECTS = (Own, Above)
Value = (
    str | Instance | Literal | Many | Returning | Keys | Parameters | Handing | Check | Star | OwnClass | Own | Above
    | Inherited | None
)  # fmt: skip


def member(base: Value, name: str) -> Value:
    """What `BASE.NAME` is."""
    if isinstance(base, str):
        return f"{base}.{name}"
    if isinstance(base, Instance):
        return f"{base.path}.{name}"
    if isinstance(base, OwnClass):
        return base.member(name)
    if isinstance(base, _OBJECTS):
        return base.kind.member(name, above=isinstance(base, Above))
    if isinstance(base, Inherited):
        return Inherited(base.kind, base.name, tuple(f"{path}.{name}" for path in base.paths), base.sure)
    return None


AS_CLASS = "[:]"
"""The step of a chain that only a class allows: `isinstance(x, Name)`."""
TAKEN = "(:)"
"""The step of a chain from a function that registers to the class whose like it takes."""
_MAKERS = ("from_", "create", "build", "load", "make", "get_instance")
_STAYS = frozenset(("to", "cuda", "cpu", "eval", "train", "half", "float", "bfloat16", "requires_grad_"))
"""Methods of modules that give the module itself."""


def made_by(callee: Value) -> Value:
    """What calling something gives."""
    if callee is None:
        return None
    if isinstance(callee, str):
        before, _, last = callee.rpartition(".")
        if is_class_name(last):
            return Instance(callee)
        if is_class_name(before.rpartition(".")[2]) and (last.startswith(_MAKERS) or last in _STAYS):
            return Instance(before)
    if isinstance(callee, OwnClass):
        return Own(callee)
    if isinstance(callee, Returning | Handing):
        return callee.value
    return None


def followed(value: Value, step: str) -> Value:
    """What a call (`()`) or an item (`[]`, `[0]`) of something upstream gives, as a chain that only its tree can read."""
    if isinstance(value, Many):
        return value.part if step.startswith("[") and ":" not in step else None
    if isinstance(value, Inherited):
        return Inherited(value.kind, value.name, tuple(f"{path}{step}" for path in value.paths), value.sure)
    path = value.path if isinstance(value, Instance) else value if isinstance(value, str) else ""
    return Instance(f"{path}{step}") if path and len(path) < _LONGEST else None


def one_round(value: Value) -> Value:
    """What a round over something gives."""
    return None if isinstance(value, Many) and value.table else followed(value, "[]")


def is_class_name(name: str) -> bool:
    """`LLM`, `AsyncLLMEngine`, `_Private`, not `MAX_LENGTH`."""
    bare = name.lstrip("_")
    return bare[:1].isupper() and "_" not in bare


def is_none(node: ast.expr) -> bool:
    """`None` says nothing of what else a name is."""
    return isinstance(node, ast.Constant) and node.value is None


class Scope:
    """Names of a module, function or class body, and the scope around it."""

    __slots__ = ("in_class_body", "names", "outer", "owner", "shared")

    def __init__(
        self, outer: Scope | None = None, owner: OwnClass | None = None, *, in_class_body: bool = False
    ) -> None:
        self.names: dict[str, Value] = {}
        self.outer = outer
        self.owner = owner
        """The class whose method or body this is."""
        self.in_class_body = in_class_body
        self.shared: tuple[str, ...] = ()
        """Names that it gives the module: `global engine`."""


STAR = "*"
"""The name under which a scope keeps what a star import gives; no real name can be that."""
MISSING = Literal(ast.Constant(value=None))
"""No scope knows the name."""


def look_up(scope: Scope | None, name: str) -> Value:
    """What a name stands for, or MISSING."""
    while scope is not None:
        names = scope.names
        if name in names:
            return names[name]
        scope = scope.outer
    return MISSING


def owner_of(scope: Scope | None) -> OwnClass | None:
    """The class in whose body or method this scope lies."""
    while scope is not None:
        if scope.owner is not None:
            return scope.owner
        scope = scope.outer
    return None


# --- The uses found in one Python file so far, with what stands around the place being read ---


_ENVIRONMENT = re.compile(r"(?i)(?<![a-z])env|[a-z]env\b")
NAMESPACE = "parse_args"
"""Stands for the program of an option that is read from a parsed command line."""
EVERYTHING, IMPORTS, CALLS, NAMES = 1, 2, 4, 8
"""What a guard covers: all uses, imports only, calls only, all but the question whether a name is a class."""


class Catch(Struct, frozen=True):
    """A handler around the code being read."""

    line: int
    names: tuple[str, ...]
    """What it waits for: exceptions of the language by their name, upstream's by their path."""
    taken: tuple[str, ...]
    """What any handler of its `try` takes."""


class Notes:
    """Collects uses, each once a line."""

    __slots__ = (
        "alternatives",
        "catches",
        "choices",
        "declaring",
        "environment",
        "guard",
        "has_address",
        "has_variable",
        "lines",
        "loose",
        "muted",
        "namespaces",
        "options",
        "path",
        "replaced",
        "seen",
        "uses",
        "wanted",
        "when",
        "words",
    )

    def __init__(self, path: str, text: str, words: Words, wanted: Wanted) -> None:
        self.path = path
        self.lines = lines_of(text)
        self.environment: bool | None = None
        self.has_address = "://" in text
        shaped = any(prefix in text for prefix in wanted.variables)
        self.has_variable = shaped and words.quoted.search(text) is not None
        """Files without such a string are not asked again at every call and comparison."""
        self.words = words
        self.wanted = wanted
        self.guard = 0
        self.when: tuple[str, ...] = ()
        """What holds of upstream where the code being read is reached."""
        self.catches: tuple[Catch, ...] = ()
        """Handlers that wait for what a call here raises."""
        self.choices: Choices = []
        self.muted = False
        """Inside a message to people: what a string names there is not used."""
        self.declaring = False
        """Inside a decorator: a route there is one of yours."""
        self.replaced: set[str] = set()
        """Paths imported where something else stands by for them."""
        self.alternatives: dict[str, str] = {}
        """First choice of an import → the other one, where a name is imported from one of two places."""
        self.uses: list[Use] = []
        self.loose: list[Found] = []
        """Flags of a program that cannot be seen."""
        self.options: list[tuple[str, int]] = []
        """Attributes read of what may be a parsed command line, and their lines."""
        self.namespaces: frozenset[str] = frozenset()
        """What the file itself says to be a parsed command line, by last names."""
        self.seen: set[tuple[object, ...]] = set()

    def has_environment(self) -> bool:
        """Whether the file speaks of an environment at all; one that does not has names of that shape for other ends."""
        if self.environment is None:
            self.environment = any(map(_ENVIRONMENT.search, self.lines))
        return self.environment

    def guards(self, kind: UseKind, name: str) -> bool:
        """Whether a use here may be absent already."""
        if self.guard & EVERYTHING or (name in self.replaced and kind != "call"):
            return True  # a call that no longer fits fails from wherever its callee was imported
        asks = name.endswith(AS_CLASS)  # of what is no class it is a wrong type, and no name that is missing
        covered = CALLS if asks else NAMES | (CALLS if kind == "call" else 0) | (IMPORTS if kind == "import" else 0)
        return bool(self.guard & covered)

    def add(
        self,
        kind: UseKind,
        name: str,
        line: int,
        *,
        value: str | None = None,
        keywords: tuple[str, ...] = (),
        positional: int | None = None,
        program: str | None = None,
        guarded: bool | None = None,
        when: tuple[str, ...] | None = None,
    ) -> None:
        """Keep one use; the same on the same line counts once."""
        if self.alternatives and kind != "import":
            first = next((one for one in self.alternatives if name == one or name.startswith(f"{one}.")), None)
            if first is not None:
                other = self.alternatives[first] + name[len(first) :]
                self._add(kind, other, line, value, keywords, positional, program, guarded, when)
        self._add(kind, name, line, value, keywords, positional, program, guarded, when)
        for one in self.catches if kind == "call" else ():
            for awaited in one.names:
                self._add("catch", name, one.line, awaited, one.taken, None, None, False, when)

    def _add(
        self,
        kind: UseKind,
        name: str,
        line: int,
        value: str | None,
        keywords: tuple[str, ...],
        positional: int | None,
        program: str | None,
        guarded: bool | None,
        when: tuple[str, ...] | None,
    ) -> None:
        line = min(max(line, 1), len(self.lines))
        key = (kind, name, line, value, keywords, self.when if when is None else when)
        if key in self.seen:
            return
        self.seen.add(key)
        self.uses.append(
            Use(
                kind=kind,
                name=name,
                path=self.path,
                line=line,
                text=shown(self.lines[line - 1]),
                value=None if value is None else value[:TEXT_MOST],
                keywords=keywords,
                positional=positional,
                program=program,
                guarded=self.guards(kind, name) if guarded is None else guarded,
                when=self.when if when is None else when,
            )
        )

    def add_all(self, found: Iterable[Found], last: int) -> None:
        """Keep what another reader found in a piece of this file that ends on the line `last`."""
        for one in found:
            if one.kind == "cli_flag" and one.program is None:
                self.loose.append(one._replace(line=min(one.line, last)))
                continue
            self.add(
                one.kind, one.name, min(one.line, last),
                value=one.value, keywords=one.keywords, positional=one.positional, program=one.program,
            )  # fmt: skip

    def all(self) -> list[Use]:
        """Everything in the order of its lines; loose flags count where the file imports or starts a watched project."""
        if any(use.kind == "import" or (use.kind == "cli_flag" and use.program) for use in self.uses):
            for one in self.loose:
                self.add(one.kind, one.name, one.line, value=one.value)
        if self.options and any(use.kind == "import" for use in self.uses):
            text = "\n".join(self.lines)
            for name, line in self.options:
                if f"--{name}" not in text and f"--{name.replace('_', '-')}" not in text:  # yours otherwise
                    self.add("config_key", name, line, program=NAMESPACE)
        self.loose = []
        return sorted(self.uses, key=lambda use: use.line)
