"""Effects and not texts: what reads otherwise and does the same is no finding, and what does something else is one."""

from __future__ import annotations

import pytest

from daybreak.core.model.findings import Finding
from daybreak.findings import read

BODY = "".join(f"    x = x + {number}  # step {number}\n" for number in range(12))


def told(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, str, str | None, str | None, bool]]:
    return [(f.kind, f.symbol, f.before, f.after, f.breaking) for f in read(before, after)]


def of(found: tuple[Finding, ...], kind: str) -> list[Finding]:
    return [f for f in found if f.kind == kind]


def request(held: str) -> dict[str, str]:
    text = f"from pydantic import BaseModel\n\n\nclass RunRequest(BaseModel):\n    extra: {held} | None = None\n"
    return {"engine/entrypoints/protocol.py": text}


def test_a_request_field_that_holds_more_kinds_of_values_breaks_nobody() -> None:
    few, many = request("dict[str, str | int]"), request("dict[str, str | int | bool]")
    assert not any(f.breaking for f in read(few, many))


def test_a_request_field_that_holds_fewer_kinds_of_values_breaks_who_sends_the_others() -> None:
    few, many = request("dict[str, str]"), request("dict[str, str | int]")
    assert [f.symbol for f in read(many, few) if f.breaking] == ["RunRequest.extra"]


def test_a_parameter_that_may_be_left_out_now_is_no_other_default() -> None:
    assert (
        told({"engine/__init__.py": "def run(x):\n    pass\n"}, {"engine/__init__.py": "def run(x=1):\n    pass\n"})
        == []
    )


def test_off_written_as_none_and_as_false_is_one_default_of_a_parameter() -> None:
    texts = [{"engine/__init__.py": f"def run(x, fast={off}):\n    pass\n"} for off in ("False", "None")]
    assert told(*texts) == []


def settings(source: str, own: str, default: str) -> dict[str, str]:
    return {
        f"engine/config/{source.lower()}.py": f"@dataclass\nclass {source}Config:\n    {own}: int = {default}\n",
        "engine/server_args.py": f"@dataclass\nclass ServerArgs:\n    rounds: int = {source}Config.{own}\n    port: int = 1\n",
    }


def test_a_default_that_is_taken_from_another_class_with_the_same_value_is_no_other_default() -> None:
    before, after = settings("Cache", "rounds", "4"), settings("Mamba", "rounding_rounds", "4")
    assert of(read(before, after), "field_default_changed") == []


def test_a_default_that_is_taken_from_another_class_is_told_by_its_values() -> None:
    before, after = settings("Cache", "rounds", "4"), settings("Mamba", "rounding_rounds", "8")
    assert [(f.before, f.after) for f in of(read(before, after), "field_default_changed")] == [("4", "8")]


def test_the_same_name_on_other_lines_is_no_move() -> None:
    before = {"engine/a.py": f"def combine(x, y):\n{BODY}    return x\n", "engine/b.py": "y = 1\n"}
    after = {"engine/a.py": "", "engine/b.py": "y = 1\n\n\ndef combine(*args, **kwargs):\n    return other(*args)\n"}
    assert [kind for kind, *_ in told(before, after)] == ["function_removed"]


def test_a_name_whose_lines_came_along_has_moved() -> None:
    before = {"engine/a.py": f"def combine(x, y):\n{BODY}    return x\n", "engine/b.py": "y = 1\n"}
    after = {"engine/a.py": "", "engine/b.py": f"y = 1\n\n\ndef combine(x, z=1):\n{BODY}    return x + z\n"}
    assert [kind for kind, *_ in told(before, after)] == ["function_moved"]


def test_a_parameter_of_a_constructor_that_other_files_pass_otherwise_breaks_internals() -> None:
    made = "class Renderer:\n    def __init__(self, engine, {}):\n        self.engine = engine\n"
    call = "from engine.entrypoints.render import Renderer\n\n\ndef start(engine, names):\n    return Renderer(\n        engine,\n        {},\n    )\n"
    before, after = (
        {"vllm/entrypoints/serve/render.py": made.format(name), "vllm/entrypoints/serve/main.py": call.format(given)}
        for name, given in (
            ("served_names: list[str]", "served_names=names"),
            ("model_registry: Registry", "model_registry=names"),
        )
    )
    found = read(before, after, project="vllm-project/vllm")
    assert [(f.kind, f.breaking) for f in found if not f.inner] == [("internal_parameter_replaced", True)]


def variable(read_it: str) -> dict[str, str]:
    return {"engine/run.py": f"import os\n\n\ndef start():\n    {read_it}\n    return wait\n"}


STOOD_IN = (
    'wait = os.environ.get("ENGINE_WAIT", "5")',
    'wait = os.environ.get("ENGINE_WAIT") or "5"',
    'wait = os.getenv("ENGINE_WAIT", None) or "5"',
    'wait = os.environ.get("ENGINE_WAIT", None)\n    if wait is None:\n        wait = "5"',
)


@pytest.mark.parametrize("one", STOOD_IN)
@pytest.mark.parametrize("other", STOOD_IN)
def test_a_variable_whose_default_stands_in_for_nothing_has_that_default(one: str, other: str) -> None:
    assert told(variable(one), variable(other)) == []
    changed = read(variable(one), variable(other.replace('"5"', '"9"')))
    assert [(f.kind, f.before, f.after) for f in changed] == [("env_default_changed", "5", "9")]


def args(condition: str, cache: str = "fp8") -> dict[str, str]:
    body = f'    def settle(self, major):\n        if {condition}:\n            self.cache = "{cache}"\n        else:\n            self.cache = "bf16"\n'
    return {"engine/server_args.py": f'@dataclass\nclass ServerArgs:\n    cache: str = "auto"\n\n{body}'}


def test_a_setting_that_is_filled_under_another_condition_has_another_default_for_some() -> None:
    found = read(args("self.fast and major >= 10"), args("major >= 10"))
    assert [(f.kind, f.symbol, f.before, f.after) for f in found] == [
        ("filled_for_more", "cache", "'fp8' if self.fast and major >= 10", "'fp8' if major >= 10"),
    ], "what it sets is told with the condition: once"


def checked(limit: str) -> dict[str, str]:
    body = f"    def __post_init__(self):\n        if {limit}:\n            raise ValueError('no')\n"
    return {"engine/server_args.py": f"@dataclass\nclass ServerArgs:\n    num_slots: int = 8\n\n{body}"}


def test_a_check_of_settings_that_turns_more_away_breaks_who_passed_it() -> None:
    wide, tight = checked("self.num_slots > 64"), checked("self.num_slots > 32")
    assert [(f.kind, f.breaking) for f in read(wide, tight)] == [("guard_narrowed", True)]
    assert [(f.kind, f.breaking) for f in read(tight, wide)] == [("guard_widened", False)]


def test_private_python_is_told_to_nobody() -> None:
    before = {"engine/_bindings/ops.py": "class Kind:\n    A = 1\n\n\ndef add(x, fast=False):\n    return x\n"}
    after = {"engine/_bindings/ops.py": "def add(x, fast=True):\n    return x\n"}
    assert [f.kind for f in read(before, after) if not f.inner] == []


def route(answer: str) -> dict[str, str]:
    text = f'@router.post("/generate")\nasync def generate(request):\n    found = run(request)\n    {answer}\n\n\n@router.get("/health")\ndef health():\n    return 1\n'
    return {"engine/entrypoints/api.py": text}


def test_a_route_whose_answers_come_in_another_form_breaks_its_clients() -> None:
    json = route("return ORJSONResponse(content=found)")
    packed = route('return Response(content=packed(found), media_type="application/msgpack")')
    assert told(json, packed) == [("route_changed", "/generate", "application/json", "application/msgpack", True)]
    assert told(json, route("return JSONResponse(found)")) == []


def test_a_parameter_that_is_taken_with_all_others_by_name_is_not_gone() -> None:
    before = {"engine/__init__.py": "def run(data, limit=None):\n    pass\n"}
    after = {"engine/__init__.py": "def run(data, **more):\n    pass\n"}
    assert told(before, after) == [("parameter_kind_changed", "run(limit)", "both", "**more", False)]


def test_a_flag_of_a_class_in_brackets_is_the_same_flag() -> None:
    plain, bound = ({"engine/a.py": f"class Server:\n    reuse = {value}\n"} for value in ("True", "(True)"))
    assert {f.kind for f in (*read(plain, bound), *read(bound, plain))} == {"only_formatting"}


def select(body: str) -> dict[str, str]:
    return {"engine/layers/pick.py": f"def pick(platform, size, dtype):\n{body}    return use_kernel(size)\n"}


def test_a_question_that_is_asked_at_another_place_beside_a_new_one_is_not_replaced() -> None:
    before = select("    if is_sm80():\n        use_a()\n    if platform.is_cuda():\n        use_b()\n")
    after = select(
        "    if platform.is_cuda():\n        use_a()\n        use_b()\n    elif platform.is_xpu():\n        use_c()\n"
    )
    assert ["is_xpu" in (f.after or "") for f in read(before, after) if f.kind == "dispatch_changed"] in ([], [False])


def test_a_condition_of_the_same_words_is_not_told_twice_over() -> None:
    ask = "    if width > 64 and dtype == 'fp8':\n        return use_backend(width)\n"
    before, after = select(f"    width = size * 2\n{ask}"), select(f"    width = size * 4\n{ask}")
    assert told(before, after) == []


def test_a_check_under_the_same_condition_names_it_once() -> None:
    inner = "        if config.head_size > 256:\n            {}\n"
    body = "def load(config, kind):\n    if config.head_size > 256:\n        log(kind)\n{}    return 1\n"
    before = {"engine/a.py": body.format(inner.format("shrink(config)"))}
    after = {"engine/a.py": body.format(inner.format("raise ValueError('no')"))}
    assert [f.after for f in read(before, after)] == ["if … and config.head_size > 256: raise ValueError"]


def test_one_parameter_in_the_place_of_another_with_another_default_is_no_other_default() -> None:
    before = {"engine/layers/a.py": "def start(x, fp8=False, size=1):\n    pass\n"}
    after = {"engine/layers/a.py": "def start(x, dtype=Kind.bf16, size=1):\n    pass\n"}
    assert told(before, after) == []


def sized(alias: str, kind: str, default: str) -> dict[str, str]:
    return {
        "engine/config/cache.py": f"{alias}\n\n@dataclass\nclass CacheConfig:\n    block_size: {kind} = None\n",
        "engine/server_args.py": f"@dataclass\nclass ServerArgs:\n    block_size: {kind} | None = {default}\n    port: int = 1\n",
    }


def test_a_type_whose_name_stands_for_plain_values_is_not_proved_to_be_another() -> None:
    before = sized("BlockSize = Literal[8, 16]", "BlockSize", "CacheConfig.block_size")
    after = sized("", "int", "None")
    assert [(f.symbol, f.kind) for f in read(before, after) if f.breaking] == []
    assert of(read(before, after), "field_default_changed") == []


def test_a_plain_type_that_becomes_one_with_a_name_takes_less() -> None:
    before, after = sized("", "str", "None"), sized('BlockSize = Literal["a", "b"]', "BlockSize", "None")
    assert "ServerArgs.block_size" in {f.symbol for f in read(before, after) if f.breaking}


def asked(check: str) -> dict[str, str]:
    body = f'    @model_validator(mode="before")\n    def check_tools(cls, data):\n        tools = data.get("tools")\n{check}        return data\n'
    text = f"class RunRequest(BaseModel):\n    tools: list[str] | None = None\n\n{body}"
    return {"engine/entrypoints/protocol.py": text}


def test_a_new_check_that_every_request_passes_breaks_who_sends_what_it_refuses() -> None:
    new = asked('        if not tools and data.get("tool_choice") == "required":\n            raise ValueError("no")\n')
    assert [(f.kind, f.breaking) for f in read(asked(""), new)] == [("guard_added", True)]
    assert not any(f.breaking for f in read(new, asked("")))


def test_a_check_for_what_is_not_installed_breaks_nobody_who_had_it() -> None:
    new = asked('        if tools and not has_decoder():\n            raise ImportError("install the decoder")\n')
    assert [(f.kind, f.breaking) for f in read(asked(""), new)] == [("guard_added", False)]


def test_a_check_that_reaches_its_value_by_another_way_is_the_same_check() -> None:
    body = "class Receiver:\n    def __init__(self, info, size):\n        {}\n        assert self.pp_size == {} or size == 1\n"
    before = {"engine/a.py": body.format("self.prefill_pp_size = info.pp_size", "self.prefill_pp_size")}
    after = {"engine/a.py": body.format("self.prefill_info = info", "self.prefill_info.pp_size")}
    assert [f for f in read(before, after) if f.kind.startswith("guard")] == []


def test_a_field_whose_default_stands_in_brackets_has_the_same_default() -> None:
    form = "@dataclass\nclass ServerArgs:\n    names: dict = {}\n    port: int = 1\n"
    plain, bound = (
        {"engine/server_args.py": form.format(made)}
        for made in ("field(default_factory=dict)", "(field(default_factory=dict))")
    )
    assert {f.kind for f in (*read(plain, bound), *read(bound, plain))} == {"only_formatting"}


def test_an_option_of_a_structure_in_other_quotes_is_the_same_option() -> None:
    form = "class Page(msgspec.Struct, rename={}):\n    size: int\n"
    single, double = ({"engine/a.py": form.format(text)} for text in ("'camel'", '"camel"'))
    assert [f for f in read(single, double) if f.kind.startswith("struct")] == []
