"""What others rely on without calling it is compared: structures, flags, answers, return types, messages, trees."""

from __future__ import annotations

import pytest

from daybreak.findings import read
from daybreak.findings.languages import dependencies
from daybreak.findings.languages.python_types import step
from read.pairs import told_of

Told = tuple[str, str, str | None, str | None, bool]
INSIDE = "vllm/model_executor/models/inside.py"
USER = "vllm/core/user.py"


def inside(before: str, after: str, followed: tuple[str, str] = ("", "")) -> list[Told]:
    """What is told of a module that nobody outside is said to import, beside one that follows the change or does not."""
    sides = ({INSIDE: text, USER: "import os\n" + other} for text, other in zip((before, after), followed, strict=True))
    found = read(*sides, project="vllm-project/vllm")
    return [(f.kind, f.symbol, f.before, f.after, f.breaking) for f in found if f.symbol]


def each(form: str, before: str, after: str) -> tuple[str, str]:
    return form % before, form % after


DATA = "@dataclass\nclass ForwardState:\n    tokens: int\n%s"
FOLLOWED = ("x = state.virtual_engine\n", "x = 0\n")


def test_a_field_that_a_structure_inside_lost_is_told_when_other_files_had_to_follow() -> None:
    sides = DATA % "    virtual_engine: int = 0\n", DATA % ""
    gone = ("internal_field_removed", "ForwardState.virtual_engine", "virtual_engine: int = 0", None, True)
    assert inside(*sides, FOLLOWED) == [gone]
    assert inside(*sides) == []


@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        ("List[int]", "list[int]", None),
        ("list[int]", "list[list[int]]", True),
        ("int", "float", False),
        ("int", "int | None", None),
    ],
)
def test_the_type_of_a_field_changes_only_where_it_means_another_one(
    before: str, after: str, breaks: bool | None
) -> None:
    found = inside(*each(DATA % "    virtual_engine: %s\n", before, after), FOLLOWED)
    told = [("internal_field_changed", "ForwardState.virtual_engine", before, after, breaks)]
    assert found == (told if breaks is not None else [])


def test_a_record_without_decorator_and_a_child_of_a_struct_of_the_file_have_fields() -> None:
    record = "class TransferArgs:\n    engine: int\n    pointers: list\n%s"
    found = inside(record % "    virtual_engine: str\n", record % "", FOLLOWED)
    assert [f[:2] for f in found] == [("internal_field_removed", "TransferArgs.virtual_engine")]
    event = "class Event(msgspec.Struct, array_like=True):\n    pass\n\n\nclass Stored(Event):\n    a: int\n%s"
    assert inside(event % "", event % "    kind: str | None = None\n") == [
        ("internal_field_added", "Stored.kind", None, "kind: str | None = None", False)
    ]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("class E(Struct, omit_defaults=True):", "class E(Struct, array_like=True):", ("struct_options_changed", "E", "omit_defaults=True", "array_like=True", True)),
        ("@dataclass\nclass E:", "@dataclass(frozen=True)\nclass E:", ("struct_use_changed", "E", None, "frozen=True", True)),
        ("@dataclass(kw_only=True)\nclass E:", "@dataclass\nclass E:", ("struct_use_changed", "E", "kw_only=True", None, False)),
    ],
)  # fmt: skip
def test_options_of_a_structure_are_told_with_what_they_were_and_how_it_is_sent_apart_from_how_it_is_used(
    before: str, after: str, told: tuple[str, str, str | None, str | None, bool]
) -> None:
    assert inside(*each("%s\n    a: int\n", before, after)) == [told]


def test_a_constructor_that_a_class_inherited_and_writes_itself_now_asks_for_more() -> None:
    base = (
        "class Spec:\n    def __init__(self, ids):\n        self.ids = ids\n\n\nclass StoreSpec(Spec):\n%s    x = 1\n"
    )
    own = "    def __init__(self, ids, sizes):\n        self.sizes = sizes\n"
    found = inside(base % "", base % own, ("StoreSpec(a)\n", "StoreSpec(a, b)\n"))
    assert found == [("internal_parameter_required_added", "StoreSpec.__init__(sizes)", None, "sizes", True)]


def test_a_parameter_that_went_inside_is_told_when_its_callers_changed_in_other_files() -> None:
    sides = "def set_context(a, engine_index=0):\n    pass\n", "def set_context(a):\n    pass\n"
    gone = ("internal_parameter_removed", "set_context(engine_index)", "engine_index=0", None, True)
    assert inside(*sides, ("set_context(1, 2)\n", "set_context(1)\n")) == [gone]
    assert inside(*sides) == []


POLICY = "class Policy(ABC):\n    @abstractmethod\n    def balance(self, load) -> %s:\n        ...\n"


def test_implementers_hear_of_another_return_type_and_not_of_another_spelling() -> None:
    sides = "tuple[torch.Tensor, int]", "torch.Tensor"
    assert inside(*each(POLICY, *sides)) == [("extension_return_changed", "Policy.balance", *sides, True)]
    assert inside(*each(POLICY, "Optional[Tensor]", "torch.Tensor | None")) == []


def test_a_method_of_an_abstract_class_that_does_nothing_is_one_that_others_override() -> None:
    cache = (
        "class Cache(ABC):\n    def flush(self) -> None:\n        pass\n\n    @abstractmethod\n    def go(self): ...\n"
    )
    after = "class Cache(ABC):\n    @abstractmethod\n    def go(self): ...\n"
    assert [f[:2] for f in inside(cache, after)] == [("extension_method_removed", "Cache.flush")]


@pytest.mark.parametrize(
    ("before", "after", "texts"),
    [
        ("    supports_x: bool = False\n", "    supports_x: bool = True\n", ("Parser.supports_x", "False", "True")),
        ("    supports_x = False\n", "    supports_x = not STRICT\n", ("Parser.supports_x", "False", "not STRICT")),
        ("    def is_x(self):\n        return False\n", "    def is_x(self):\n        return True\n", ("Parser.is_x()", "False", "True")),
    ],
)  # fmt: skip
def test_a_class_that_says_yes_where_it_said_no_is_told_by_its_flag(
    before: str, after: str, texts: tuple[str, str, str]
) -> None:
    found = [f for f in inside(*each("class Parser(Base):\n%s    y = 1\n", before, after)) if f[0] == "flag_changed"]
    assert found == [("flag_changed", *texts, False)]


WIRE = "class Event(msgspec.Struct, tag=True):\n    medium: str\n\n\n%s"


def test_values_that_messages_no_longer_carry_are_told_as_the_set_they_belong_to() -> None:
    old, new = 'MEDIUM_CPU = "CPU"\nMEDIUM_FS = "FS"\n', 'MEDIUM_CPU = "CPU"\nMEDIUM_STORAGE = "STORAGE"\n'
    told = ("message_value_changed", "MEDIUM_*", '"CPU", "FS"', '"CPU", "STORAGE"', True)
    assert told in inside(WIRE % old, WIRE % new)
    assert not any(f[0] == "message_value_changed" for f in inside(old, new))


def test_a_module_that_stays_to_hand_on_what_moved_keeps_the_old_way_in() -> None:
    body = "".join(f"def quantize_{n}(x):\n    return x + {n} + len(str(x)) * 3\n\n\n" for n in range(4))
    names = ", ".join(f"quantize_{n}" for n in range(4))
    before = {"pkg/__init__.py": "", "pkg/quant.py": body}
    after = {"pkg/__init__.py": "", "pkg/quant.py": f"from pkg.deep.quant import {names}\n", "pkg/deep/quant.py": body}
    for fact in read(before, after):
        assert not fact.breaking
        assert fact.alias is None or fact.alias.status == "kept"


def test_a_tree_that_moves_with_its_project_file_keeps_its_import_names() -> None:
    tree = {f"kernel/csrc/k{n}.cu": f"__global__ void k{n}() {{ f({n}); }}\n" * 4 for n in range(24)}
    tree |= {
        "kernel/pyproject.toml": '[project]\nname = "kernel"\n',
        "kernel/python/kernel/ops.py": "def go(x):\n    return x\n" * 3,
    }
    moved = {path.replace("kernel/", "python/engine/aot/", 1): text for path, text in tree.items()}
    found = read({**tree, "Dockerfile": "COPY kernel/ .\n"}, {**moved, "Dockerfile": "COPY python/engine/aot/ .\n"})
    told = [(f.kind, f.before, f.after) for f in found if f.kind.endswith("_moved")]
    assert told == [("tree_moved", "kernel/", "python/engine/aot/")]


@pytest.mark.parametrize(("files", "told"), [(8, True), (7, False)])
def test_a_few_files_that_move_are_no_tree(files: int, told: bool) -> None:
    tree = {f"csrc/moe/k{n}.cu": f"__global__ void k{n}() {{ f({n}); }}\n" * 4 for n in range(files - 1)}
    tree["csrc/moe/.ignore"] = "built\n"
    moved = {path.replace("csrc/moe", "csrc/stable/moe"): text for path, text in tree.items()}
    found = read({**tree, "setup.py": "a = 1\n"}, {**moved, "setup.py": "a = 2\n"})
    assert [f.path for f in found if f.kind == "tree_moved"] == ["csrc/stable/moe/k0.cu"] * told


def test_a_folder_that_moves_out_of_another_is_told_without_what_stays_there() -> None:
    tree = {
        f"csrc/flat/{'deep/' if n % 2 else ''}k{n}.cuh": f"__global__ void k{n}() {{ f({n}); }}\n" * 4
        for n in range(24)
    }
    moved = {path.replace("csrc/", "include/engine/"): text for path, text in tree.items()}
    found = read(tree | {"csrc/run.cu": "void run() {}\n"}, moved | {"csrc/run.cu": "void run() { go(); }\n"})
    told = [(f.symbol, f.before, f.after) for f in found if f.kind == "tree_moved"]
    assert told == [("csrc/flat/ (24 files)", "csrc/flat/", "include/engine/flat/")]


def test_an_image_in_the_place_of_another_is_told_with_both() -> None:
    found = told_of(dependencies, "docker/Dockerfile", "FROM nvidia/cuda:12.9\nRUN x\n", "FROM rocm/dev:7.1\nRUN x\n")
    assert found == [("image_changed", "nvidia/cuda", "nvidia/cuda:12.9", "rocm/dev:7.1", False)]


def test_the_same_exception_at_many_places_of_a_file_is_told_once() -> None:
    body = (
        "def a(x):\n    if x:\n        raise ValueError(x)\n\n\n"
        + "#\n" * 9
        + "def b(x):\n    if x:\n        raise ValueError(x)\n"
    )
    found = inside(body, body.replace("ValueError", "EngineError"))
    assert [f[0] for f in found].count("exception_changed") == 1


def test_a_raise_that_stands_in_another_file_now_is_no_other_exception() -> None:
    form = "def a(x):\n    if x:\n        raise %s(x)\n"
    assert "exception_changed" in {f[0] for f in inside(*each(form, "ValueError", "EngineError"))}
    split = inside(
        *each(form, "ValueError", "EngineError"), ("", "def b(x):\n    if x:\n        raise ValueError(x)\n")
    )
    assert "exception_changed" not in {f[0] for f in split}


def test_parameters_that_were_all_renamed_in_their_places_are_told_one_by_one() -> None:
    before, after = "def copy_cuda(nsa_src, nsa_dst, n):\n    pass\n", "def copy_cuda(dsa_src, dsa_dst, n):\n    pass\n"
    found = inside(before, after, ("copy_cuda(nsa_src=1)\n", "copy_cuda(dsa_src=1)\n"))
    assert [(f[0], f[2], f[3]) for f in found] == [
        ("internal_parameter_renamed", "nsa_dst", "dsa_dst"),
        ("internal_parameter_renamed", "nsa_src", "dsa_src"),
    ]


@pytest.mark.parametrize(
    ("before", "after", "symbol"),
    [
        ("engine_config: Config", "tier_spec: Spec", "TierManager.__init__(engine_config)"),
        ("engine_config: dict | None = None", "cfg_path: str | None = None", "TierManager.__init__(engine_config)"),
        ("runner: Runner, engine_config: int = 0", "worker: Worker", "TierManager.__init__"),
    ],
)
def test_what_takes_the_place_of_a_parameter_that_went_is_told_as_one_step(
    before: str, after: str, symbol: str
) -> None:
    form = "class TierManager:\n    def __init__(self, view, %s):\n        pass\n"
    found = inside(*each(form, before, after), ("super().__init__(engine_config=1)\n", "super().__init__(2)\n"))
    assert found == [("internal_parameter_replaced", symbol, before, after, True)]


def test_a_method_that_became_a_property_is_read_whatever_it_took() -> None:
    form = "class Experts:\n    %s\n    def expects_plain(%s) -> bool:\n        return True\n"
    before, after = form % ("@staticmethod", "moe_config, quant_config"), form % ("@property", "self")
    calls = "x = self.experts.expects_plain(a, b)\n", "x = self.experts.expects_plain\n"
    found = [f for f in inside(before, after, calls) if "parameter" in f[0]]
    assert found == [("internal_parameter_read", "Experts.expects_plain", None, "@property", True)]


WHERE = "class Where:\n    %s\n    def count_items(self) -> int:\n        return len(self.items)\n"


@pytest.mark.parametrize(
    ("marks", "calls", "told"),
    [
        (("@cached_property", "# counted anew"), ("n = at.count_items\n", "n = at.count_items()\n"), ["internal_parameter_called"]),
        (("# counted anew", "@property"), ("n = at.count_items()\n", "n = at.count_items\n"), ["internal_parameter_read"]),
        (("@cached_property", "# counted anew"), ("n = at.count_items\n", "n = at.size\n"), []),  # asked for no more
        (("@cached_property", "@property"), ("n = at.count_items\n", "m = at.count_items\n"), []),  # read either way
        (("@cached_property", "# counted anew"), ("", ""), []),  # nobody else asks
    ],
)  # fmt: skip
def test_a_property_inside_that_others_call_now_is_told(
    marks: tuple[str, str], calls: tuple[str, str], told: list[str]
) -> None:
    found = inside(WHERE % marks[0], WHERE % marks[1], calls)
    assert [(f[0], f[1], f[4]) for f in found] == [(kind, "Where.count_items", True) for kind in told]


@pytest.mark.parametrize(
    ("beside", "kind", "instead"),
    [
        ("dispatch_logits(self, states, logits, parallel=False, more=None)", "elsewhere", "dispatch_logits"),
        ("dispatch_logits(self, states, logits, parallel, more)", "replaced", "weights: Tensor, ids: Tensor"),
        ("dispatch_other(self, states, other, parallel=False)", "replaced", "weights: Tensor, ids: Tensor"),
    ],
)
def test_what_a_method_took_and_another_takes_now_is_told_with_the_others_name(
    beside: str, kind: str, instead: str
) -> None:
    form = "class Group:\n    def dispatch_all(self, states, %s, parallel=False):\n        return states\n"
    before, after = form % "logits: Tensor", form % "weights: Tensor, ids: Tensor"
    calls = "x = group.dispatch_all(a, logits)\n", "x = group.dispatch_all(a, weights, ids)\n"
    found = inside(before, f"{after}\n    def {beside}:\n        return states\n", calls)
    (told,) = (f for f in found if f[0].startswith("internal_parameter"))
    assert told == (f"internal_parameter_{kind}", "Group.dispatch_all(logits)", "logits: Tensor", instead, True)


def test_an_option_that_came_elsewhere_takes_no_parameters_place() -> None:
    sides = "def set_context(a, engine_index=1, c=2):\n    pass\n", "def set_context(a, c=2, *, d=3):\n    pass\n"
    found = inside(*sides, ("set_context(1, 2)\n", "set_context(1)\n"))
    assert [f[:2] for f in found if "removed" in f[0]] == [("internal_parameter_removed", "set_context(engine_index)")]


@pytest.mark.parametrize(
    ("before", "after", "how"),
    [
        ("tuple[Embeddings, int]", "tuple[Sequence[Tensor], int]", "same"),
        ("str", "str | Formats", "same"),
        ("list", "list[int]", "same"),
        ("Any", "int", "same"),
        ("'Foo'", "Foo", "same"),
        ("Union[int, None]", "Optional[int]", "same"),
        ("int", "float", "wider"),
        ("Literal['a']", "str", "wider"),
        ("str | None", "Literal['a', 'b'] | None", "narrower"),
        ("str", "float", "other"),
        ("list[int]", "list[list[int]]", "other"),
        ("bool | None", "LookupResult", "other"),
        ("][", "int", "same"),
        ("list[" * 400, "int", "same"),
    ],
)
def test_types_are_compared_by_what_they_mean(before: str, after: str, how: str) -> None:
    assert step(before, after) == how


KERNEL = "@triton.jit\ndef scatter_kernel(src_ptr, BLOCK: tl.constexpr):\n    pass\n\n\ndef scatter(src):\n    scatter_kernel[grid](src, 64)\n"
CHECKED = KERNEL.replace("BLOCK: tl.constexpr", "BLOCK: tl.constexpr, check_freed: tl.constexpr").replace(
    "64)", "64, True)"
)


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        ("pool = Pool(check_freed=True)\n", []),
        ("scatter_kernel[grid](src, 64, True)\n", ["scatter_kernel(check_freed)"]),
    ],
)
def test_a_kernel_that_only_its_own_file_launches_is_judged_by_its_launcher(user: str, expected: list[str]) -> None:
    found = inside(KERNEL, CHECKED, ("pool = Pool()\n", user))
    assert [f[1] for f in found if f[0] == "internal_parameter_required_added"] == expected


SENT = "import msgspec\n\n\nclass Hello(msgspec.Struct, omit_defaults=True):\n    {}: str\n    blocks: list[int]\n{}"


@pytest.mark.parametrize(
    ("names", "kinds"),
    [("remote_host", [("sent_field_required_added", True)]), ("label", [("internal_field_required_added", True)])],
)
def test_a_message_to_another_machine_breaks_whose_two_sides_differ(names: str, kinds: list[tuple[str, bool]]) -> None:
    """Within one machine both ends are of one version; only forks build such a structure."""
    path, more = "engine/links/link.py", "    lengths: list[int]\n"
    found = read({path: SENT.format(names, "")}, {path: SENT.format(names, more)})
    assert [(f.kind, f.breaking) for f in found if f.symbol == "Hello.lengths"] == kinds


STORE = "class Store:\n    def __init__(self):\n        self.a = 1\n\n    def release_session(self, name{}):\n        pass\n"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("tree.release_session(name, req)\n", "tree.release_session(name)\n", True),
        ("a = (\n    tree.release_session(\n        name,\n        req,\n    )\n)\n", "a = (\n    tree.release_session(\n        name,\n    )\n)\n", True),
        ("self.release_session(name, req)\n", "self.release_session(name)\n", False),  # a method of its own
        ("x = 1\ntree.release_session(name)\n", "x = 2\ntree.release_session(name)\n", False),
    ],
)  # fmt: skip
def test_a_parameter_of_a_method_is_told_when_another_file_calls_it_otherwise(
    before: str, after: str, told: bool
) -> None:
    found = inside(STORE.format(", req=None"), STORE.format(""), (before, after))
    gone = ("internal_parameter_removed", "Store.release_session(req)", "req=None", None, True)
    assert found == ([gone] if told else [])


def test_a_plain_word_is_many_methods_name_and_counts_where_the_call_names_the_argument() -> None:
    store = STORE.replace("release_session", "update")
    sides = store.format(", force=False"), store.format("")
    assert inside(*sides, ("words.update(a, b)\n", "words.update(a)\n")) == []
    assert [f[1] for f in inside(*sides, ("s.update(a, force=True)\n", "s.update(a)\n"))] == ["Store.update(force)"]


REDUCE = "class Reduce{}:\n{}    def go(self):\n        pass\n"
LOST = "    def reduce_fast(self):\n        pass\n\n    def reduce_slow(self):\n        pass\n\n"


@pytest.mark.parametrize(
    ("base", "user", "expected"),
    [
        ("", ("comm.reduce_fast(x)\n", "comm(x)\n"), ["Reduce.reduce_fast", "Reduce.reduce_slow"]),
        ("(Base)", ("comm.reduce_fast(x)\n", "comm(x)\n"), ["Reduce.reduce_fast"]),  # the base may have the other
        ("", ("comm.reduce_fast(x)\n", "1\ncomm.reduce_fast(x)\n"), []),
        ("", ("comm.reduce_fast(x)\n", "comm.reduce_fast(x, 1)\n"), []),
    ],
)
def test_a_method_that_left_its_class_is_told_where_another_file_had_to_stop_asking_for_it(
    base: str, user: tuple[str, str], expected: list[str]
) -> None:
    found = inside(REDUCE.format(base, LOST), REDUCE.format(base, ""), user)
    assert [f[1] for f in found if f[0] == "function_removed"] == expected
    assert len(found) == len(expected)


PROCESSOR = "class Processor{}(BaseProcessor):\n    def process(self, data):\n        self.a = 1\n        return {}\n"
BASE = "class BaseProcessor(ABC):\n    @abstractmethod\n    def process(self, data) -> Optional[dict]: ...\n{}"


@pytest.mark.parametrize(("count", "private", "told"), [(3, "", True), (2, "", False), (3, "_", False)])
def test_an_object_that_several_classes_of_a_base_give_in_place_of_a_dictionary_is_asked_of_all(
    count: int, private: str, told: bool
) -> None:
    def side(given: str, more: str) -> dict[str, str]:
        some = {f"vllm/core/p{n}.py": PROCESSOR.format(n, given) for n in range(count)}
        texts = {"vllm/core/base.py": BASE.format(more), **some}
        return {path: text.replace("process(", f"{private}process(") for path, text in texts.items()}

    found = read(side('{"ids": 1}', ""), side("Output(ids=1)", "X = 1\n"), project="vllm-project/vllm")
    told_of = ("BaseProcessor.process", "dict", "Output", True)
    gone = [(f.symbol, f.before, f.after, f.breaking) for f in found if f.kind == "extension_return_changed"]
    assert gone == ([told_of] if told else [])


def test_a_function_of_no_class_that_gives_an_object_for_a_dictionary_does_not_cost_its_files_their_findings() -> None:
    """Nobody else writes it; what else the change did to the file is told."""
    free = "def process(data):\n    return {}\n\n\ndef make(a{}):\n    return a\n"
    found = read(
        {"vllm/entrypoints/llm.py": free.format('{"ids": 1}', ", b=1")},
        {"vllm/entrypoints/llm.py": free.format("Output(ids=1)", "")},
        project="vllm-project/vllm",
    )
    assert [(f.kind, f.symbol) for f in found if f.breaking] == [("parameter_removed", "make(b)")]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("p = self.tool_parser_cls(tokenizer)\n", "p = self.tool_parser_cls(tokenizer, tools)\n", True),
        ("p = self.tool_parser_cls(tokenizer)\n", "p = self.tool_parser_cls(\n    tokenizer,\n    tools=tools,\n)\n", True),
        ("p = self.tool_parser_cls(tokenizer)\n", "p = self.tool_parser_cls(other)\n", False),
        ("p = self.tool_parser_cls(a, b)\n", "p = self.tool_parser_cls(a)\n", False),
        ("p = self.helper_cls(tokenizer)\n", "p = self.helper_cls(tokenizer, tools)\n", False),  # nobody else writes one
    ],
)  # fmt: skip
def test_a_class_of_plug_ins_that_is_made_with_an_argument_more_is_told_to_them(
    before: str, after: str, told: bool
) -> None:
    found = inside("x = 1\n", "x = 2\n", (before, after))
    assert [f[:2] for f in found if f[4]] == ([("extension_method_changed", "ToolParser.__init__")] if told else [])


def test_of_an_argument_that_an_image_gives_twice_the_last_value_counts() -> None:
    twice, once = "ARG FAST_VERSION=0.6.1\nARG TOP=1\nARG FAST_VERSION=0.6.2\n", "ARG FAST_VERSION=0.6.2\nARG TOP=1\n"
    run = "RUN pip install fast==${FAST_VERSION}\n"
    assert told_of(dependencies, "docker/Dockerfile", f"FROM a:1\n{twice}{run}", f"FROM a:1\n{once}{run}") == []
    used = twice.replace("ARG TOP=1\n", run)
    found = told_of(dependencies, "docker/Dockerfile", f"FROM a:1\n{used}{run}", f"FROM a:1\n{once}{run}")
    assert found == [("pin_changed", "FAST_VERSION", "0.6.1 / 0.6.2", "0.6.2", False)]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("x: bool = Query(True)", "x: Annotated[bool, Query()] = True", []),
        ("x: bool = fastapi.Body(default=True, embed=True)", "x: Annotated[bool, Body(embed=True)] = True", []),
        ("x: Store = Depends(store)", "x: Annotated[Store, Depends(store)]", []),
        ("x: bool = Query(...)", "x: Annotated[bool, Query()]", []),
        ("x: bool = Query(True)", "x: Annotated[bool, Query()] = False", ["parameter_default_changed"]),
        ("x: bool = Query(True)", "x: Annotated[bool, Body()] = True", ["annotation_changed"]),
        ("x: bool = Query(True)", "x: Annotated[bool, Query()]", ["parameter_required_added"]),
        ("x: int = Query(1)", "x: Annotated[int, Query(ge=2)] = 1", ["annotation_changed"]),
    ],
)
def test_where_an_argument_comes_from_is_one_beside_its_type_and_in_the_place_of_its_default(
    before: str, after: str, told: list[str]
) -> None:
    form = "@router.post('/pause')\ndef pause(%s):\n    return 1\n"
    path = "engine/entrypoints/api_router.py"
    found = read({path: form % before}, {path: form % after})
    assert [f.kind for f in found] == told


GIVES = "class Worker:\n    def verify(self, batch):\n        if not batch:\n            return %s\n        return %s\n"
THREE, FOUR = "(\n            None,\n            None,\n            0,\n        )", "out, batch.ids, 3, 4"


@pytest.mark.parametrize(
    ("before", "after", "calls", "told"),
    [
        ((FOUR, FOUR), (THREE, "out, (1, 2), 3"), ("a, b, _, c = w.verify(x)\n", "a, b, c = w.verify(x)\n"), True),
        (
            (FOUR, FOUR),
            (THREE, "a, b, c"),
            ("a, b, _, c = (\n    self.verify(x)\n)\n", "a, b, c = self.verify(x)\n"),
            True,
        ),
        ((FOUR, FOUR), (THREE, "a, b, c"), ("out = w.verify(x)\n", "out = w.verify(x, 1)\n"), False),  # not taken apart
        ((FOUR, FOUR), (THREE, "a, b, c"), ("", ""), False),  # nobody else had to follow
        ((FOUR, FOUR), (THREE, FOUR), ("a, b, _, c = w.verify(x)\n", "a, b, c = w.verify(x)\n"), False),  # both
        ((FOUR, FOUR), (THREE, "made"), ("a, b, _, c = w.verify(x)\n", "a, b, c = w.verify(x)\n"), False),  # not known
        ((THREE, "a, b, c"), ("a, b, c", "a, (b), c"), ("a, b, c = w.verify(x)\n", "a, b, d = w.verify(x)\n"), False),
    ],
)
def test_another_number_of_values_is_told_where_every_way_out_gives_it_and_another_file_takes_it(
    before: tuple[str, str], after: tuple[str, str], calls: tuple[str, str], told: bool
) -> None:
    found = [f for f in inside(GIVES % before, GIVES % after, calls) if "value_count" in f[0]]
    assert found == ([("internal_value_count_changed", "Worker.verify()", "4", "3", True)] if told else [])


def test_another_number_of_values_of_what_users_call_breaks_them() -> None:
    form = 'def run(x):\n    """Gives a, b.\n\n    return a, b, c, d\n    """\n    return x, %s\n'
    assert told_python(form % "1", form % "1, 2") == [("value_count_changed", "run()", "2", "3", True)]
    nested = "def run(x):\n    def inner():\n        return 1, 2\n    return %s\n"
    assert told_python(nested % "1, 2", nested % "1, 2, 3") == []


def told_python(before: str, after: str) -> list[Told]:
    found = read({"engine/__init__.py": before}, {"engine/__init__.py": after})
    return [(f.kind, f.symbol, f.before, f.after, f.breaking) for f in found]
