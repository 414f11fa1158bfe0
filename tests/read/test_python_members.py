"""Tables of Python classes before and after with the findings that must come out: fields, choices, extension points."""

from __future__ import annotations

import pytest

from daybreak.findings.blobs import Row, Surface
from daybreak.findings.languages.python_public import is_keyed
from read.made import read
from read.made import told as shown
from read.python_pairs import API, ARGS, CONFIG, INNER, Told, compared, one


def data(fields: str, name: str = "ServerArgs", head: str = "@dataclass\n", base: str = "") -> str:
    return f"{head}class {name}{base}:\n    port: int = 1\n{fields}"


@pytest.mark.parametrize(
    ("what", "path", "before", "after", "expected"),
    [
        ("a default changes", ARGS, data("    chunk: int = 8\n"), data("    chunk: int = 16\n"), [("field_default_changed", "ServerArgs.chunk", "8", "16", False)]),
        ("a field goes", ARGS, data("    chunk: int = 8\n"), data(""), [("field_removed", "ServerArgs.chunk", "chunk: int = 8", None, True)]),
        ("a field comes", ARGS, data(""), data("    chunk: int = 8\n"), [("field_added", "ServerArgs.chunk", None, "chunk: int = 8", False)]),
        ("a required field comes", ARGS, data(""), data("    chunk: int\n"), [("field_required_added", "ServerArgs.chunk", None, "chunk: int", True)]),
        ("a field is renamed", ARGS, data("    chunk: int = 8\n"), data("    piece: int = 8\n"), [("field_renamed", "ServerArgs.chunk", "chunk", "piece", True)]),
        ("two fields are renamed", ARGS, data("    nsa_mode: str = 'a'\n    nsa_size: int = 1\n"), data("    dsa_mode: str = 'a'\n    dsa_size: int = 1\n"), [("field_renamed", "ServerArgs.nsa_mode", "nsa_mode", "dsa_mode", True), ("field_renamed", "ServerArgs.nsa_size", "nsa_size", "dsa_size", True)]),
        ("a field turns into a property", ARGS, data("    chunk: int = 8\n"), data("    @property\n    def chunk(self):\n        return 8\n"), [("field_removed", "ServerArgs.chunk", "chunk: int = 8", None, False)]),
        ("a field that is still translated", ARGS, data("    chunk: int = 8\n"), data("    def set(self, d):\n        d.pop('chunk', None)\n"), [("field_removed", "ServerArgs.chunk", "chunk: int = 8", None, False)]),
        ("a field that no user can set goes", CONFIG, data("    size: int = field(default=None, init=False)\n", "CacheConfig"), data("", "CacheConfig"), [("field_removed", "CacheConfig.size", "size: int = None", None, False)]),
        ("a field that no user can set is renamed", CONFIG, data("    size: int = field(default=None, init = False)\n", "CacheConfig"), data("    length: int = field(default=None, init = False)\n", "CacheConfig"), [("field_renamed", "CacheConfig.size", "size", "length", False)]),
        ("a field whose default speaks of initialising goes", CONFIG, data("    size: int = field(default=None, repr=False)\n", "CacheConfig"), data("", "CacheConfig"), [("field_removed", "CacheConfig.size", "size: int = None", None, True)]),
        ("a record that the program fills in asks for more", ARGS, "@dataclass\nclass PortArgs:\n    a: int\n", "@dataclass\nclass PortArgs:\n    a: int\n    b: str\n", [("field_required_added", "PortArgs.b", None, "b: str", False)]),
        ("a record that the program fills in loses a field", ARGS, "@dataclass\nclass PortArgs:\n    a: int\n    b: str\n", "@dataclass\nclass PortArgs:\n    a: int\n", [("field_removed", "PortArgs.b", "b: str", None, False)]),
        ("a key that may be left out comes", API, "class Prompt(TypedDict):\n    text: str\n", "class Prompt(TypedDict):\n    text: str\n    salt: NotRequired[str]\n", [("field_added", "Prompt.salt", None, "salt: NotRequired[str]", False)]),
        ("a key of those that may all be left out comes", API, "class Prompt(TypedDict, total=False):\n    text: str\n", "class Prompt(TypedDict, total=False):\n    text: str\n    salt: str\n", [("field_added", "Prompt.salt", None, "salt: str", False)]),
        ("a key comes that may not be left out though the others may", API, "class Prompt(TypedDict, total=False):\n    text: str\n", "class Prompt(TypedDict, total=False):\n    text: str\n    salt: Required[str]\n", [("field_required_added", "Prompt.salt", None, "salt: Required[str]", False)]),
        ("a key is renamed", API, "class Prompt(TypedDict):\n    text: str\n    rows: list[int]\n", "class Prompt(TypedDict):\n    text: str\n    row_ids: list[int]\n", [("field_renamed", "Prompt.rows", "rows", "row_ids", True)]),
        ("a key goes", API, "class Prompt(Common):\n    text: str\n    rows: list[int]\n\n\nclass Common(TypedDict):\n    salt: str\n", "class Prompt(Common):\n    text: str\n\n\nclass Common(TypedDict):\n    salt: str\n", [("field_removed", "Prompt.rows", "rows: list[int]", None, True)]),
        ("a key of which a text still has the word", API, "class Prompt(TypedDict):\n    rows: list[int]\n", "class Prompt(TypedDict):\n    row_ids: list[int]\n\n\ndef check(x):\n    raise ValueError('no rows')\n", [("function_added", "check", None, "def check(x):", False), ("field_renamed", "Prompt.rows", "rows", "row_ids", True)]),
        ("a key that is still asked for", API, "class Prompt(TypedDict):\n    rows: list[int]\n", "class Prompt(TypedDict):\n    row_ids: list[int]\n\n\ndef check(x):\n    return x['rows']\n", [("function_added", "check", None, "def check(x):", False), ("field_renamed", "Prompt.rows", "rows", "row_ids", False)]),
        ("a key of another type", API, "class Prompt(TypedDict):\n    rows: list[int]\n", "class Prompt(TypedDict):\n    rows: Rows\n", [("field_changed", "Prompt.rows", "list[int]", "Rows", False)]),
        ("a pydantic default is the same, with a bound", CONFIG, data("    size: int = 8\n", "CacheConfig"), data("    size: int = Field(default=8, ge=0)\n", "CacheConfig"), [("guard_added", "CacheConfig.size", None, "if CacheConfig.size < 0: raise ValidationError", False)]),
        ("a pydantic default changes", CONFIG, data("    size: int = Field(default=8, ge=0)\n", "CacheConfig", "@config\n"), data("    size: int = Field(default=9, ge=0)\n", "CacheConfig", "@config\n"), [("field_default_changed", "CacheConfig.size", "8", "9", False)]),
        ("a pydantic bound changes", CONFIG, data("    size: int = Field(default=8, ge=0)\n", "CacheConfig"), data("    size: int = Field(default=8, ge=1)\n", "CacheConfig"), [("guard_narrowed", "CacheConfig.size", "if CacheConfig.size < 0: raise ValidationError", "if CacheConfig.size < 1: raise ValidationError", False)]),
        ("a type that is asked for now was written before", CONFIG, data("    size: SkipValidation[int] = 8\n", "CacheConfig"), data("    size: int = Field(default=8, gt=0)\n", "CacheConfig"), [("guard_added", "CacheConfig.size", None, "if CacheConfig.size <= 0: raise ValidationError", False)]),
        ("a factory stays", CONFIG, data("    size: list[int] = field(default_factory=list)\n", "CacheConfig"), data("    size: list[int] = field(default_factory=list, repr=False)\n", "CacheConfig"), []),
        ("a deprecated setting goes", CONFIG, data('    size: float = Field(default=0, ge=0)\n    """DEPRECATED."""\n', "CacheConfig", "@config\n"), data("", "CacheConfig", "@config\n"), [("field_removed", "CacheConfig.size", "size: float = 0", None, True)]),
        ("a struct's field goes", "engine/sampling_params.py", "class P(msgspec.Struct):\n    n: int = 1\n    m: int = 1\n", "class P(msgspec.Struct):\n    n: int = 1\n", [("field_removed", "P.m", "m: int = 1", None, False)]),
        ("parameters' field goes", "engine/sampling_params.py", "class SamplingParams(msgspec.Struct):\n    n: int = 1\n    m: int = 1\n", "class SamplingParams(msgspec.Struct):\n    n: int = 1\n", [("field_removed", "SamplingParams.m", "m: int = 1", None, True)]),
        ("an internal struct's field goes", INNER, data("    chunk: int = 8\n", "Batch"), data("", "Batch"), []),
        ("an internal setting's default", INNER, data("    chunk: int = 8\n", "PoolConfig"), data("    chunk: int = 9\n", "PoolConfig"), [("field_default_changed", "PoolConfig.chunk", "8", "9", False)]),
        ("a flag of a dataclass that is no field", API, data("    sorts = True\n"), data("    sorts = False\n"), [("flag_changed", "ServerArgs.sorts", "True", "False", False)]),
        ("a request of a server is told elsewhere", "engine/entrypoints/openai/protocol.py", data("    n: int = 8\n", "ChatRequest", base="(BaseModel)"), data("", "ChatRequest", base="(BaseModel)"), []),
        ("a private field", ARGS, data("    _chunk: int = 8\n"), data("    _chunk: int = 9\n"), []),
        ("a class variable is no field", ARGS, data("    KIND: ClassVar[str] = 'a'\n"), data(""), []),
        ("text that looks like a field", ARGS, data('    """\n    note: int = x\n    """\n'), data('    """\n    note: int = y\n    """\n'), []),
        ("a help text over lines is no default", ARGS, data('    chunk: A[\n        int,\n        Arg(help="how much, default = 4", choices=[4, 8]),\n    ] = 4\n'), data('    chunk: A[\n        int,\n        Arg(help="how much at once", choices=[4, 8]),\n    ] = 4\n'), []),
        ("a default behind a help text", ARGS, data('    chunk: A[\n        int,\n        Arg(help="how much (at once"),\n    ] = 4\n'), data('    chunk: A[\n        int,\n        Arg(help="how much (at once"),\n    ] = 8\n'), [("field_default_changed", "ServerArgs.chunk", "4", "8", False)]),
        ("a default over lines", ARGS, data('    chunk: A[\n        int,\n        "help, text",\n    ] = None\n'), data('    chunk: A[\n        int,\n        "help, text",\n    ] = 4\n'), [("field_default_changed", "ServerArgs.chunk", "None", "4", False)]),
        # choices
        ("a choice goes", CONFIG, 'Mode = Literal["a", "b"]\n', 'Mode = Literal["a"]\n', [("literal_narrowed", "Mode", '"a", "b"', '"a"', True)]),
        ("a choice comes", CONFIG, 'Mode = Literal["a"]\n', 'Mode = Literal[\n    "a",\n    "b",\n]\n', [("literal_widened", "Mode", '"a"', '"a", "b"', False)]),
        ("choices in another order", CONFIG, 'Mode = Literal["a", "b"]\n', 'Mode = Literal["b", "a"]\n', []),
        ("a field's choice goes", CONFIG, data('    mode: Literal["a", "b"] = "a"\n', "CacheConfig"), data('    mode: Literal["a"] | None = "a"\n', "CacheConfig"), [("literal_narrowed", "CacheConfig.mode", '"a", "b"', '"a"', True)]),
        ("a choice that is still translated", CONFIG, 'Mode = Literal["a", "b"]\n', 'Mode = Literal["a"]\nOLD = {"b": "a"}\n', [("literal_narrowed", "Mode", '"a", "b"', '"a"', False)]),
        ("a choice that is a number goes", CONFIG, data("    size: Literal[16, 32] | None = 16\n", "CacheConfig"), data("    size: Literal[16] | None = 16\n", "CacheConfig"), [("literal_narrowed", "CacheConfig.size", "16, 32", "16", True)]),
        ("a choice beside nothing goes", CONFIG, 'Mode = Literal["a", "b", None]\n', 'Mode = Literal["a"] | None\n', [("literal_narrowed", "Mode", '"a", "b"', '"a"', True)]),
        ("a member that settings are written by goes", CONFIG, "class Mode(str, Enum):\n    A = 'a'\n    B = 'b'\n\n\n" + data("    mode: Mode = Mode.A\n", "CacheConfig"), "class Mode(str, Enum):\n    A = 'a'\n\n\n" + data("    mode: Mode = Mode.A\n", "CacheConfig"), [("enum_member_removed", "Mode.B", "B = 'b'", None, True)]),
        ("a member that no setting is written by goes", CONFIG, "class Mode(str, Enum):\n    A = 'a'\n    B = 'b'\n", "class Mode(str, Enum):\n    A = 'a'\n", [("enum_member_removed", "Mode.B", "B = 'b'", None, False)]),
        ("a choice of a type that settings have goes", CONFIG, 'Mode = Literal["a", "b"]\n\n\n' + data("    mode: Mode | None = None\n", "CacheConfig"), 'Mode = Literal["a"]\n\n\n' + data("    mode: Mode | None = None\n", "CacheConfig"), [("literal_narrowed", "CacheConfig.mode", '"a", "b"', '"a"', True)]),
        ("an internal choice goes", INNER, 'Mode = Literal["a", "b"]\n', 'Mode = Literal["a"]\n', [("literal_narrowed", "Mode", '"a", "b"', '"a"', False)]),
    ],
)  # fmt: skip
def test_fields_and_choices(what: str, path: str, before: str, after: str, expected: list[Told]) -> None:
    assert one(path, before, after) == expected, what


FACTORY = """class Mode:
    SLOW = "slow"
    FAST = "fast"


@dataclass
class GraphConfig:
    size: int = 1
    prefill: Phase = field(default_factory=lambda: Phase(mode=Mode.SLOW, width=4))
"""
CHOSEN = "def chosen() -> str:\n    return Mode.FAST if is_cuda() else Mode.SLOW\n\n\n"


@pytest.mark.parametrize(
    ("what", "after", "expected"),
    [
        ("what the factory is handed is another constant", FACTORY.replace("mode=Mode.SLOW", "mode=Mode.FAST"), [("GraphConfig.prefill.mode", '"slow"', '"fast"')]),
        ("a function gives it now", CHOSEN + FACTORY.replace("mode=Mode.SLOW", "mode=chosen()"), [("GraphConfig.prefill.mode", '"slow"', '"fast" if is_cuda() else "slow"')]),
        ("a function gives the same", CHOSEN.replace("Mode.FAST if is_cuda() else ", "") + FACTORY.replace("mode=Mode.SLOW", "mode=chosen()"), []),
        ("the constant is written out", FACTORY.replace("mode=Mode.SLOW", 'mode="slow"'), []),
        ("another maker", FACTORY.replace("lambda: Phase(mode=Mode.SLOW, width=4)", "Step"), [("GraphConfig.prefill", 'Phase(mode="slow", width=4)', "Step()")]),
    ],
)  # fmt: skip
def test_a_default_that_a_factory_makes_is_told_by_its_values(
    what: str, after: str, expected: list[tuple[str, str, str]]
) -> None:
    found = [(f[1], f[2], f[3]) for f in one(CONFIG, FACTORY, after) if f[0] == "field_default_changed"]
    assert found == expected, what


MEMBER = "from ir import Old\n\n\n@dataclass\nclass CopyConfig:\n    kind: Old = Old.ADD\n"


@pytest.mark.parametrize(
    ("what", "alias", "member", "expected"),
    [
        ("the old name stands for the new class", "Old = New\n\n\n", "New.ADD", []),
        ("another member", "Old = New\n\n\n", "New.MAX", [("Old.ADD", "New.MAX")]),
        ("another class", "", "New.ADD", [("Old.ADD", "New.ADD")]),
    ],
)
def test_a_member_of_a_class_under_another_name_is_the_same_default(
    what: str, alias: str, member: str, expected: list[tuple[str, str]]
) -> None:
    after = f"from ir import New\n\n{alias}@dataclass\nclass CopyConfig:\n    kind: New = {member}\n"
    found = [(f[2], f[3]) for f in one(CONFIG, MEMBER, after) if f[0] == "field_default_changed"]
    assert found == expected, what


LONG = (
    "    def go(self, prompt: Prompt | Tokens | AsyncGenerator[Input, None], params: SamplingParams, *, "
    "headers: Mapping[str, str] | None = None, rank: int = 0{more}) -> AsyncGenerator[Output, None]:\n"
    "        raise NotImplementedError\n"
)


def point(methods: str, name: str = "WorkerBase", base: str = "(ABC)") -> str:
    return f"class {name}{base}:\n    def close(self):\n        return self.done.wait(timeout=self.limit)\n{methods}"


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("an abstract method comes", point(""), point("    @abstractmethod\n    def go(self):\n        pass\n"), [("extension_method_added", "WorkerBase.go", None, "def go(self):", True)]),
        ("a hook with a body comes", point(""), point("    def go(self):\n        return None\n"), [("extension_method_added", "WorkerBase.go", None, "def go(self):", False)]),
        ("a hook goes", point("    @abstractmethod\n    def go(self):\n        pass\n"), point(""), [("extension_method_removed", "WorkerBase.go", "def go(self):", None, True)]),
        ("a hook is renamed", point("    @abstractmethod\n    def get_nsa_pool(self, x):\n        pass\n"), point("    @abstractmethod\n    def get_dsa_pool(self, x):\n        pass\n"), [("extension_method_renamed", "WorkerBase.get_nsa_pool", "WorkerBase.get_nsa_pool", "WorkerBase.get_dsa_pool", True)]),
        ("a hook is called with more", point("    def go(self, x):\n        raise NotImplementedError\n"), point("    def go(self, x, y):\n        raise NotImplementedError\n"), [("extension_method_changed", "WorkerBase.go", "go(self, x)", "go(self, x, y)", True)]),
        ("a long head is told by its names, whole", point(LONG.format(more="")), point(LONG.format(more=", ended: bool | None = None")), [("extension_method_changed", "WorkerBase.go", "go(self, prompt, params, *, headers=None, rank=0)", "go(self, prompt, params, *, headers=None, rank=0, ended=None)", False)]),
        ("a hook may be called with more", point("    def go(self, x):\n        raise NotImplementedError\n"), point("    def go(self, x, y=1):\n        raise NotImplementedError\n"), [("extension_method_changed", "WorkerBase.go", "go(self, x)", "go(self, x, y=1)", False)]),
        ("a hook's parameter has another name at its place", point("    def go(self, x: int):\n        raise NotImplementedError\n"), point("    def go(self, y: int):\n        raise NotImplementedError\n"), [("extension_method_changed", "WorkerBase.go", "go(self, x: int)", "go(self, y: int)", False)]),
        ("a hook's keyword has another name", point("    def go(self, *, x: int):\n        raise NotImplementedError\n"), point("    def go(self, *, y: int):\n        raise NotImplementedError\n"), [("extension_method_changed", "WorkerBase.go", "go(self, *, x: int)", "go(self, *, y: int)", True)]),
        ("a hook loses a parameter", point("    def go(self, x, y):\n        raise NotImplementedError\n"), point("    def go(self, x):\n        raise NotImplementedError\n"), [("extension_method_changed", "WorkerBase.go", "go(self, x, y)", "go(self, x)", True)]),
        ("a stub goes", point('    def go(self):\n        """Old.\n\n        Text.\n        """\n        # dead\n        raise NotImplementedError("dead")\n'), point(""), [("extension_method_removed", "WorkerBase.go", "def go(self):", None, False)]),
        ("a method that refuses only at times goes", point("    def go(self, x):\n        if x:\n            raise NotImplementedError\n        return self.run(x)\n"), point(""), [("extension_method_removed", "WorkerBase.go", "def go(self, x):", None, True)]),
        ("an abstract stub goes", point("    @abstractmethod\n    def go(self):\n        raise NotImplementedError\n"), point(""), [("extension_method_removed", "WorkerBase.go", "def go(self):", None, True)]),
        ("a stub is renamed", point("    def get_nsa_pool(self, x):\n        raise NotImplementedError\n"), point("    def get_dsa_pool(self, x):\n        raise NotImplementedError\n"), [("extension_method_renamed", "WorkerBase.get_nsa_pool", "WorkerBase.get_nsa_pool", "WorkerBase.get_dsa_pool", True)]),
        ("only a type of a hook changes", point("    @abstractmethod\n    def go(self, x: int):\n        pass\n"), point("    @abstractmethod\n    def go(self, x: str):\n        pass\n"), []),
        ("an attribute of a hook class goes", point("    ready: bool = False\n", "AttentionBackend"), point("", "AttentionBackend"), [("internal_field_removed", "AttentionBackend.ready", "ready = False", None, True)]),
        ("an abstract class of the house", point("", "Helper"), point("    @abstractmethod\n    def go(self):\n        pass\n", "Helper"), [("extension_method_added", "Helper.go", None, "def go(self):", True)]),
        ("a method of an abstract class of the house is called with more", point("    @abstractmethod\n    def go(self, x):\n        pass\n", "Policy"), point("    @abstractmethod\n    def go(self, x, context):\n        pass\n", "Policy"), [("extension_method_changed", "Policy.go", "go(self, x)", "go(self, x, context)", True)]),
        ("a method of an abstract class of the house may be called with more", point("    @abstractmethod\n    def go(self, x):\n        pass\n", "Policy"), point("    @abstractmethod\n    def go(self, x, context=None):\n        pass\n", "Policy"), [("extension_method_changed", "Policy.go", "go(self, x)", "go(self, x, context=None)", False)]),
        ("a private abstract class", point("", "_Helper"), point("    @abstractmethod\n    def go(self):\n        pass\n", "_Helper"), []),
        ("a protocol's method goes", point("    def go(self): ...\n", "Runs", "(Protocol)"), point("", "Runs", "(Protocol)"), [("extension_method_removed", "Runs.go", "def go(self): ...", None, False)]),
        ("a plain class", point("", "Helper", ""), point("    def go(self):\n        pass\n", "Helper", ""), []),
    ],
)  # fmt: skip
def test_extension_points(what: str, before: str, after: str, expected: list[Told]) -> None:
    assert one("engine/v1/worker/worker_base.py", before, after) == expected, what


@pytest.mark.parametrize(
    ("called", "kinds"),
    [
        ("apply_weight_name_mapper", ["extension_method_renamed"]),
        ("other_method_of_it", ["extension_method_removed", "extension_method_added"]),
    ],
)
def test_a_hook_that_is_called_where_another_was_is_that_one_under_its_new_name(called: str, kinds: list[str]) -> None:
    old = point("    def apply_mapper(self, mapper: int):\n        pass\n")
    new = point("    def apply_weight_name_mapper(\n        self, mapper: int,\n    ):\n        pass\n")
    callers = tuple(f"def load(q, mapper):\n    q.{name}(mapper)\n" for name in ("apply_mapper", called))
    facts = compared({"engine/v1/worker/worker_base.py": (old, new), "engine/v1/load.py": (callers[0], callers[1])})
    assert [f.kind for f in facts] == kinds


def test_a_flag_that_stays_as_an_alias_keeps_no_field_for_who_writes_python() -> None:
    before = data("    nsa_mode: str = 'a'\n") + "def add(p):\n    p.add_argument('--nsa-mode')\n"
    after = data("    dsa_mode: str = 'a'\n") + "def add(p):\n    p.add_argument('--dsa-mode', '--nsa-mode')\n"
    (fact,) = compared({ARGS: (before, after)})
    assert (fact.kind, fact.breaking, fact.alias and fact.alias.status) == ("field_renamed", True, "none")


STATE = "engine/core/state.py"
HELD = "@dataclass\nclass Held:\n    port: int = 1\n    lens: int = -1\n"
PLAIN = "class Held:\n    def __init__(self):\n        self.port = 1\n        self.lens = 2\n"
READS = "def go(held):\n    lens = held.lens\n    return lens\n"
LIST = READS.replace("held.lens", "held.lens_list[0]")


@pytest.mark.parametrize(
    ("what", "before", "after", "user", "expected"),
    [
        ("a field that another file read", HELD, HELD.replace("    lens: int = -1\n", ""), LIST, ["Held.lens"]),
        ("though a comment still speaks of it", HELD, HELD.replace("    lens: int = -1\n", "    # lens of old\n"), LIST, ["Held.lens"]),
        ("what __init__ gave", PLAIN, PLAIN.replace("        self.lens = 2\n", ""), LIST, ["Held.lens"]),
        ("what another method gives now", PLAIN, PLAIN.replace("        self.lens = 2\n", "\n    def fill(self):\n        self.lens = 2\n"), LIST, []),
        ("what a property gives now", PLAIN, PLAIN.replace("        self.lens = 2\n", "\n    @property\n    def lens(self):\n        return 2\n"), LIST, []),
        ("a field that a file still reads on a new line", HELD, HELD.replace("    lens: int = -1\n", ""), READS.replace("held.lens", "held.part.lens"), []),
        ("a field of a private class", HELD.replace("Held", "_Held"), HELD.replace("Held", "_Held").replace("    lens: int = -1\n", ""), LIST, []),
    ],
)  # fmt: skip
def test_an_attribute_that_the_projects_own_files_read_is_gone_for_forks_too(
    what: str, before: str, after: str, user: str, expected: list[str]
) -> None:
    found = compared({STATE: (before, after), "engine/core/user.py": (READS, user)})
    assert [f.symbol for f in found if f.kind == "internal_field_removed" and f.breaking] == expected, what


RAISES = "if x:\n    raise ValueError('bad x')\n"


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("another type", RAISES, RAISES.replace("ValueError", "TypeError"), [("exception_changed", "TypeError", "ValueError", "TypeError", False)]),
        ("another text", RAISES, RAISES.replace("bad", "odd"), []),
        ("one that derives from it", RAISES.replace("ValueError", "Exception"), RAISES.replace("ValueError", "NotImplementedError"), []),
        ("one of the project's own for any", RAISES.replace("ValueError", "Exception"), RAISES.replace("ValueError", "EngineError"), []),
        ("one that it derives from", RAISES, RAISES.replace("ValueError", "Exception"), [("exception_changed", "Exception", "ValueError", "Exception", False)]),
        ("another type and text", RAISES, RAISES.replace("ValueError('bad", "TypeError('odd"), []),
        ("a new raise", "", RAISES, []),
        ("another place", RAISES, "raise TypeError('bad x')\n", []),
    ],
)  # fmt: skip
def test_exceptions(what: str, before: str, after: str, expected: list[Told]) -> None:
    found = [f for f in read(INNER, before, after) if f.kind == "exception_changed"]
    assert shown(found) == expected, what


PLATFORM = "vllm/platforms/interface.py"
ENGINE = "class Engine:\n    {1}def __init__(self, x):\n        self.other = x\n{0}"
PROPERTY = "    @property\n    def limit(self):\n        return self.other.limit\n"


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("a property is given by the constructor", ENGINE.format(PROPERTY, ""), ENGINE.format("        self.limit = x.limit\n", ""), [("function_removed", "Engine.limit", False)]),
        ("with a type", ENGINE.format(PROPERTY, ""), ENGINE.format("        if x:\n            self.limit: int = x.limit\n", ""), [("function_removed", "Engine.limit", False)]),
        ("a class attribute is given by the constructor", ENGINE.format("        self.limit = 3\n", "limit = 4\n    "), ENGINE.format("        self.limit = 3\n", ""), [("attribute_removed", "Engine.limit", False)]),
        ("the constructor only asks for it", ENGINE.format(PROPERTY, ""), ENGINE.format("        print(self.limit == x)\n        other.limit = x\n", ""), [("function_removed", "Engine.limit", True)]),
        ("the constructor gives another", ENGINE.format(PROPERTY, ""), ENGINE.format("        self.limits = x\n", ""), [("function_removed", "Engine.limit", True)]),
        ("another method gives it", ENGINE.format(PROPERTY, ""), ENGINE.format("    def _go(self):\n        self.limit = 3\n", ""), [("function_removed", "Engine.limit", True)]),
    ],
)  # fmt: skip
def test_what_the_constructor_gives(what: str, before: str, after: str, expected: list[tuple[str, str, bool]]) -> None:
    assert [(f.kind, f.symbol, f.breaking) for f in compared({API: (before, after)})] == expected, what


@pytest.mark.parametrize(
    ("what", "body", "breaks"),
    [
        ("a hook of a platform that refuses", "        raise NotImplementedError\n", False),
        ("a hook of a platform that does nothing", "        pass\n", False),
        ("a hook of a platform with a text alone", "        'Text.'\n", False),
        ("a hook of a platform that answers", "        return 1\n", True),
    ],
)
def test_a_hook_of_a_module_that_users_import_goes(what: str, body: str, breaks: bool) -> None:
    before = point(f"    def go(self):\n{body}", "Platform")
    assert [f.breaking for f in compared({PLATFORM: (before, point("", "Platform"))})] == [breaks], what


@pytest.mark.parametrize(
    ("what", "after", "user", "breaks"),
    [
        ("before others, and given elsewhere", "a: int\n    with_metrics: bool\n    b: int = 0", "Record(a=1, with_metrics=True)", True),
        ("with a default", "a: int\n    with_metrics: bool = False\n    b: int = 0", "Record(a=1, with_metrics=True)", False),
        ("given by no other file", "a: int\n    with_metrics: bool\n    b: int = 0", "read(x.with_metrics)", False),
    ],
)  # fmt: skip
def test_a_field_of_a_structure_inside_that_has_to_be_given_breaks_those_who_build_it(
    what: str, after: str, user: str, breaks: bool
) -> None:
    head = "@dataclass\nclass Record:\n    "
    files = {
        INNER: (f"{head}a: int\n    b: int = 0\n", f"{head}{after}\n"),
        "engine/core/other.py": ("def build(x):\n    return None\n", f"def build(x):\n    return {user}\n"),
    }
    found = [(f.kind, f.symbol, f.breaking) for f in compared(files)]
    assert found == ([("internal_field_required_added", "Record.with_metrics", True)] if breaks else []), what


class Counted(Surface):
    """A file that says how often it is asked for a row."""

    asked = 0

    def __getitem__(self, key: tuple[str, str]) -> Row:
        self.asked += 1
        assert self.asked < 100, "classes are asked for again and again"
        return super().__getitem__(key)


def test_classes_that_are_each_others_bases_are_looked_at_once() -> None:
    names = [f"C{i}" for i in range(12)]
    side = Counted(Row("class", name, 1, details={"bases": "\n".join(names)}) for name in names)
    assert not is_keyed(side, side["class", "C0"])
