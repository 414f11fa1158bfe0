"""What took the place of something else is that under another name; what was out of reach is not told."""

from __future__ import annotations

import pytest

from daybreak.findings import read
from daybreak.findings.languages import dependencies, environment, metrics, options, registries, server
from read.pairs import facts_of, told_of

ARGS = "engine/server_args.py"


def parser(*calls: str) -> str:
    return "def add(parser):\n" + "".join(f"    parser.add_argument({call})\n" for call in calls)


def test_a_flag_in_the_place_of_another_with_its_type_and_default_is_that_flag_renamed() -> None:
    before = parser('"--fast", type=int', '"--metrics-http-port", type=int, default=None, help="a"', '"--slots"')
    after = parser('"--fast", type=int', '"--sidecar-http-port", type=int, default=None, help="else"', '"--slots"')
    assert told_of(options, ARGS, before, after) == [
        ("cli_flag_renamed", "--metrics-http-port", "--metrics-http-port", "--sidecar-http-port", True)
    ]


def test_a_flag_elsewhere_or_of_another_type_is_no_rename() -> None:
    before = parser('"--metrics-port", type=int', '"--slots"')
    for after in (parser('"--slots"', '"--sidecar-port", type=int'), parser('"--sidecar-port", type=str', '"--slots"')):
        assert {f[0] for f in told_of(options, ARGS, before, after)} == {"cli_flag_removed", "cli_flag_added"}


def test_a_flag_whose_old_name_stays_as_its_second_is_renamed_and_breaks_nobody() -> None:
    found = facts_of(options, {ARGS: (parser('"--tier", type=int'), parser('"--level", "--tier", type=int'))})
    assert [(f.kind, f.before, f.after, f.breaking) for f in found] == [
        ("cli_flag_renamed", "--tier", "--level", False)
    ]
    assert found[0].alias is not None
    assert found[0].alias.status == "kept"


@pytest.mark.parametrize(("behind", "breaks"), [("mode = 'original'", False), ("raise ValueError(mode)", True)])
def test_a_choice_that_is_still_translated_is_kept_and_one_that_is_refused_by_name_is_not(
    behind: str, breaks: bool
) -> None:
    before = parser('"--mode", choices=["original", "snapshot"]')
    after = parser('"--mode", choices=["original"]') + f"    if mode == 'snapshot':\n        {behind}\n"
    (found,) = facts_of(options, {ARGS: (before, after)})
    assert (found.kind, found.breaking) == ("cli_choices_changed", breaks)


def test_only_a_table_whose_values_read_the_environment_declares_variables() -> None:
    path = "engine/ops/attention.py"
    heuristics = 'HEURISTICS = {\n    "BLOCK_QH": lambda args: 16 if args["x"] else 32,\n}\n'
    assert told_of(environment, path, "env = 1\n", "env = 1\n" + heuristics) == []
    table = 'environment_variables = {\n    "ENGINE_A": "%s",\n}\n'
    assert told_of(environment, "engine/launch.py", table % 1, (table % 1).replace("ENGINE_A", "ENGINE_B")) == []


METHODS = """
QuantizationMethods = Literal["awq", "fp8"]

def config(name):
    method_to_config = {
        "awq": AWQ,
        "fp8": FP8,
%s    }
"""


def test_a_registered_name_that_no_gate_lets_through_is_neither_gone_nor_new() -> None:
    path = "engine/quantization/__init__.py"
    both = METHODS % '        "auto-round": INC,\n', METHODS % ""
    assert told_of(registries, path, *both) == []
    assert told_of(registries, path, *reversed(both)) == []
    ungated = tuple(text.replace("QuantizationMethods", "Other") for text in both)
    assert [f[:2] for f in told_of(registries, path, *ungated)] == [("registry_removed", "quantization:auto-round")]


@pytest.mark.parametrize("holder", ["class TieringMetrics:\n    QUERIES = %r\n", "METRIC_QUERIES = %r\n"])
def test_a_metric_that_a_constant_names_is_renamed_with_its_value(holder: str) -> None:
    old, new = "engine:block_queries", "engine:chunk_queries"
    found = told_of(metrics, "engine/tiering.py", "x = 1\n" + holder % old, "x = 1\n" + holder % new)
    assert found == [("metric_renamed", old, old, new, True)]


def test_a_constant_that_is_called_a_metric_in_a_file_that_makes_none_names_none() -> None:
    constant = 'METRIC_NODE_DEATHS = "node_deaths"\n'
    assert told_of(metrics, "engine/usage.py", "x = 1\n", f"x = 1\n{constant}") == []
    made = 'c = Counter(METRIC_NODE_DEATHS, "Nodes that died")\n'
    found = told_of(metrics, "engine/usage.py", "x = 1\n", f"x = 1\n{constant}{made}")
    assert found == [("metric_added", "node_deaths", None, "node_deaths", False)]


PYPROJECT = """[project]
name = "engine"
dependencies = [
%s]
[project.optional-dependencies]
%s"""


def depends(main: str, extras: str) -> str:
    return PYPROJECT % ("".join(f'  "{name}",\n' for name in main.split()), extras)


def test_a_package_in_the_place_of_one_with_a_common_word_replaces_it() -> None:
    sides = (depends(f"numpy {name} torch", "") for name in ("mate-deep_gemm", "deep-gemm>=0.1"))
    assert told_of(dependencies, "pyproject.toml", *sides) == [
        ("dependency_renamed", "mate-deep_gemm", "mate-deep_gemm", "deep-gemm", False)
    ]
    sides = (depends(f"numpy {name} torch", "") for name in ("orjson", "pyzmq"))
    assert {f[0] for f in told_of(dependencies, "pyproject.toml", *sides)} == {"dependency_removed", "dependency_added"}


def test_a_list_that_became_an_extra_of_its_own_brings_and_drops_nothing() -> None:
    before = depends("numpy", 'hip = ["imageio", "cloudpickle", "vsa"]\n')
    after = depends("numpy", 'common = ["imageio", "cloudpickle"]\nhip = ["engine[common]", "vsa"]\n')
    assert told_of(dependencies, "pyproject.toml", before, after) == []


def test_a_crate_whose_version_the_workspace_holds_now_is_not_dropped() -> None:
    before, after = '[dependencies]\nserde = "1.0"\n', "[dependencies]\nserde = { workspace = true }\n"
    assert told_of(dependencies, "Cargo.toml", before, after) == []
    assert told_of(dependencies, "Cargo.toml", after, before) == []


def test_a_model_that_another_file_defined_before_is_a_port_and_not_new() -> None:
    known = {"engine/models/nvidia/inkling.py": "class InklingModel(Base):\n    pass\n\n\nEntryClass = InklingModel\n"}
    port = "class %s(Base):\n    pass\n\n\nEntryClass = %s\n"
    for name, kinds in (("InklingModel", set()), ("OtherModel", {"model_added"})):
        after = {**known, "engine/models/amd/inkling.py": port % (name, name)}
        assert {f.kind for f in read(known, after) if f.kind.startswith("model")} == kinds


def test_a_variable_of_the_project_that_nobody_read_before_is_new() -> None:
    known = {"engine/a.py": "import os\nX = os.getenv('ENGINE_KNOWN')\n", "engine/b.py": "import os\n"}
    after = {**known, "engine/b.py": "import os\nX = os.getenv('ENGINE_KNOWN')\nY = os.getenv('ENGINE_NEW', '1')\n"}
    found = {(f.kind, f.symbol) for f in read(known, after)}
    assert ("env_added", "ENGINE_NEW") in found
    assert ("env_added", "ENGINE_KNOWN") not in found


def test_a_field_of_an_answer_in_the_place_of_another_of_its_type_is_that_field_renamed() -> None:
    path, form = (
        "engine/entrypoints/protocol.py",
        "class ChatResponse(BaseModel):\n    a: int\n    %s: list[int] | None = None\n",
    )
    found = told_of(server, path, form % "token_ids", form % "response_token_ids")
    assert found == [
        ("request_field_renamed", "ChatResponse.token_ids", "ChatResponse.token_ids", "response_token_ids", True)
    ]
    other = form.replace("list[int]", "str") % "prompt_token_ids"
    assert {f[0] for f in told_of(server, path, form % "token_ids", other)} == {
        "request_field_removed",
        "request_field_added",
    }


def test_a_method_in_the_place_of_another_that_is_asked_for_the_same_is_that_method_renamed() -> None:
    form = "class State(ABC):\n    @abstractmethod\n    def %s(self, inputs, batch, states) -> int:\n        return batch %s 3\n"
    sides = ({"vllm/core/state.py": form % words} for words in (("get_embeddings", "+"), ("prepare_inputs", "*")))
    assert [(f.kind, f.after) for f in read(*sides, project="vllm-project/vllm")] == [
        ("extension_method_renamed", "State.prepare_inputs")
    ]


def test_a_comment_of_another_file_is_no_use_of_a_name() -> None:
    before = {"vllm/core/a.py": "def sort_requests(x):\n    return x\n", "vllm/core/b.py": "y = 1\n"}
    after = {
        "vllm/core/a.py": "def sort_requests(x, more):\n    return x\n",
        "vllm/core/b.py": "# sort_requests knows\ny = 1\n",
    }
    assert not [f for f in read(before, after) if f.breaking]


def test_a_field_between_the_same_neighbours_by_nearly_the_same_name_is_renamed_whatever_its_type() -> None:
    head = "@dataclass\nclass Mapper:\n    first: int = 0\n    {}\n    last: int = 0\n"
    use = "def f(m):\n    return m.{}\n"
    before = {
        "engine/layers/m.py": head.format("new_names: list[Any] = field(default_factory=list)"),
        "engine/loop.py": use.format("new_names"),
    }
    after = {
        "engine/layers/m.py": head.format('new_name: list["Name"] = field(default_factory=list)'),
        "engine/loop.py": use.format("new_name"),
    }
    found = [(f.kind, f.before, f.after) for f in read(before, after) if "field" in f.kind]
    assert found == [("internal_field_renamed", "new_names", "new_name")]


def test_a_field_that_a_constructor_of_its_own_gave_is_gone_though_another_class_has_one_of_its_name() -> None:
    class_ = "@dataclass\nclass Tensors:\n    tensors: dict\n{}\n    def __init__(self, tensors{}):\n        self.tensors = tensors\n{}"
    kept = "def f(out, hidden):\n    out.sent_blocks = 1\n"
    before = {
        "engine/layers/t.py": class_.format(
            "    sent_blocks: int\n", ", sent_blocks=None", "        self.sent_blocks = sent_blocks\n"
        ),
        "engine/loop.py": f"{kept}    hidden.sent_blocks = 1\n",
        "engine/outputs.py": "x = 1\n",
    }
    after = {
        "engine/layers/t.py": class_.format("", "", ""),
        "engine/loop.py": kept,
        "engine/outputs.py": f"x = 1\n{kept}",
    }
    found = [(f.kind, f.symbol) for f in read(before, after) if "field" in f.kind]
    assert found == [("internal_field_removed", "Tensors.sent_blocks")]
