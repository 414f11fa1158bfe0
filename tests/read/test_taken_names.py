"""Names that a module takes from elsewhere: what it uses itself it does not hand on, and a stand-in is the import."""

from __future__ import annotations

import pytest

from daybreak.findings import read

PACKAGE = "engine/gemm/__init__.py"
USES = (
    "from engine.config import ModelConfig\nfrom engine.log import (\n    make_log,\n)\n\n\nlog = make_log(__name__)\n\n\n"
    "def register(config: ModelConfig):\n    log.info(config)\n"
)
STRICT = "try:\n    from hub import strict\nexcept ImportError:\n\n    def strict(cls):\n        return cls\n\n\n"
TYPED = "if TYPE_CHECKING:\n    from engine.log import RequestLog\nelse:\n    RequestLog = object\n\n\n"
RUN = "def run(x):\n    return x\n"


def _told(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, str, bool]]:
    return [(f.kind, f.symbol, f.breaking) for f in read(before, after)]


def test_what_a_package_takes_for_its_own_code_is_no_export_that_goes_with_it() -> None:
    moved = USES.partition("\n\n\ndef")[2]
    told = _told({PACKAGE: USES}, {PACKAGE: "", "engine/gemm/factories.py": "def" + moved})
    assert not [one for one in told if one[0] == "export_removed"]


def test_what_a_package_takes_and_does_not_use_is_an_export_that_goes() -> None:
    taken = "from engine.config import (\n    ModelConfig,\n)\n"
    assert _told({PACKAGE: taken + RUN}, {PACKAGE: RUN}) == [("export_removed", "engine.gemm.ModelConfig", False)]


def test_a_name_in_a_list_of_texts_is_not_used_there() -> None:
    listed = "if FAST:\n    from engine.gemm.base import (\n        bmm,\n        run,\n    )\n\n    _names = [\n        'bmm',\n    ]\n"
    before = {PACKAGE: listed, "engine/gemm/base.py": "def bmm(x):\n    return x\n" + RUN}
    after = {PACKAGE: "if FAST:\n    from engine.gemm.base import run\n", "engine/gemm/base.py": RUN}
    assert ("export_removed", "engine.gemm.bmm", False) in [
        *_told(before, after),
        *_told({PACKAGE: listed}, {PACKAGE: after[PACKAGE]}),
    ]


def test_what_a_package_begins_to_take_for_its_own_code_is_no_new_export() -> None:
    told = _told({PACKAGE: RUN}, {PACKAGE: USES + RUN})
    assert not [one for one in told if one[0] == "export_added"]


@pytest.mark.parametrize("stand_in", [STRICT, TYPED], ids=["where an import fails", "where no types are checked"])
@pytest.mark.parametrize("path", ["engine/sampling_params.py", "engine/core/quant.py"])
def test_a_stand_in_for_an_import_neither_comes_nor_goes_as_a_definition(stand_in: str, path: str) -> None:
    assert _told({path: stand_in + RUN}, {path: RUN}) == []
    assert _told({path: RUN}, {path: stand_in + RUN}) == []


def test_one_definition_under_two_conditions_goes_as_one() -> None:
    either = "if FAST:\n    def pick(x):\n        return x\nelse:\n    def pick(x):\n        return x + 1\n\n\n"
    told = _told({"engine/sampling_params.py": either + RUN}, {"engine/sampling_params.py": RUN})
    assert [(kind, name) for kind, name, _ in told] == [("function_removed", "pick")]


LISTED = "from .base import {0} as {0}\n\n_more = []\n__all__ = [\n    '{0}',\n] + _more\n"
BODY = "def {}(x, y):\n    total = x * 3 + y\n    return total + x * y\n"


def test_a_name_that_a_list_made_of_several_no_longer_holds_breaks_whoever_took_it() -> None:
    old, new = "build_fp4_gemm_graph", "build_gemm_fp4_graph"
    before = {"flashinfer/gemm/__init__.py": LISTED.format(old), "flashinfer/gemm/base.py": BODY.format(old)}
    after = {"flashinfer/gemm/__init__.py": LISTED.format(new), "flashinfer/gemm/base.py": BODY.format(new)}
    found = read(before, after, project="flashinfer-ai/flashinfer")
    assert [(f.kind, f.symbol, f.breaking) for f in found] == [("function_renamed", old, True)]


OWN = "class {}:\n    def __init__(self, config):\n        self.config = config\n{}"
GIVEN = "        self.is_fp4_format = config.fp4\n        if self.is_fp4_format:\n            self.weight = 1\n"


def test_an_attribute_that_two_classes_had_each_for_itself_is_missed_by_neither() -> None:
    before = {"engine/core/a.py": OWN.format("First", GIVEN), "engine/core/b.py": OWN.format("Second", GIVEN)}
    after = {"engine/core/a.py": OWN.format("First", ""), "engine/core/b.py": OWN.format("Second", "")}
    assert "internal_field_removed" not in {f.kind for f in read(before, after)}


def test_an_attribute_that_another_class_asked_an_object_for_is_missed() -> None:
    asks = "def use(first):\n    {}return first\n"
    before = {
        "engine/core/a.py": OWN.format("First", GIVEN),
        "engine/core/b.py": asks.format("if first.is_fp4_format:\n        return 1\n    "),
    }
    after = {"engine/core/a.py": OWN.format("First", ""), "engine/core/b.py": asks.format("")}
    assert ("internal_field_removed", "First.is_fp4_format", True) in _told(before, after)


MODEL = "{}class {}(Base):\n    size = 1\n\n\n"


def test_a_decorator_that_the_change_puts_on_another_definition_only_moved() -> None:
    path, mark = "engine/model_executor/models/base.py", "@support_compile(enable_if=fast)\n"
    before = MODEL.format(mark, "Wrapper") + MODEL.format("", "Decoder")
    assert _told({path: before}, {path: MODEL.format("", "Wrapper") + MODEL.format(mark, "Decoder")}) == []
    gone = _told({path: before}, {path: before.replace(mark, "")})
    assert gone == [("decorator_changed", "Wrapper", False)]


def test_a_property_that_becomes_a_method_is_called_otherwise_whatever_becomes_one() -> None:
    body = "class LLM:\n    {}def size(self):\n        return 1\n\n    {}def rank(self):\n        return 1\n"
    mark = "@property\n    "
    told = _told(
        {"engine/sampling_params.py": body.format(mark, "")}, {"engine/sampling_params.py": body.format("", mark)}
    )
    assert {row[:2] for row in told} == {("decorator_changed", "LLM.size"), ("decorator_changed", "LLM.rank")}


def test_an_import_that_moves_into_the_function_that_needs_it_was_no_export() -> None:
    taken = "from engine.state import StateManager\n"
    code = "def run(x):\n{}    if x:\n        return 1\n\n    y = 2\n    z = 3\n    return StateManager(y, z)\n"
    before, after = taken + "\n\n" + code.format(""), code.format("    " + taken)
    assert not [one for one in _told({PACKAGE: before}, {PACKAGE: after}) if one[0] == "export_removed"]


def test_a_name_that_a_moved_file_defines_anew_moved_with_it() -> None:
    helpers = "".join(f"def helper_{n}(x):\n    y = x * {n}\n    return y + {n}\n\n\n" for n in range(4))
    model = "class {}:\n    def run(self, {}):\n        return x\n"
    before = {"engine/models/flash.py": helpers + model.format("ModelFlash", "x")}
    after = helpers + model.format("Model", "x, y") + "\n\nclass ModelFlash(Model):\n    pass\n"
    told = _told(before, {"engine/models/model.py": after})
    assert [(kind, name) for kind, name, _ in told] == [("module_moved", "engine.models.flash (5 names)")]


@pytest.mark.parametrize(("now", "told"), [("256", []), ("512", [("256", "512")])])
def test_a_default_that_a_variable_gave_is_compared_by_its_value(now: str, told: list[tuple[str, str]]) -> None:
    envs = "if TYPE_CHECKING:\n    ENGINE_CHUNK: int = 256\n    ENGINE_REST: int = 1\n"
    config = "from dataclasses import dataclass\n\n\n@dataclass\nclass MoEConfig:\n    most: int = {}\n"
    before = {"engine/envs.py": envs, "engine/config.py": config.format("envs.ENGINE_CHUNK")}
    after = {
        "engine/envs.py": envs.replace("    ENGINE_CHUNK: int = 256\n", ""),
        "engine/config.py": config.format(now),
    }
    found = read(before, after)
    assert [(f.before, f.after) for f in found if f.symbol == "MoEConfig.most"] == told


CALLED = "class Engine:\n    def run(self):\n        return self.{}.reset_all_rows()\n"


@pytest.mark.parametrize("now", ["renderer", "inputs"], ids=["of something else", "of the same"])
def test_a_method_that_others_call_of_something_else_from_now_on_is_missed_where_it_was(now: str) -> None:
    method = "    def reset_all_rows(self):\n        self.rows = 0\n\n    def size(self):\n        return 1\n"
    rest = "    def stays(self):\n        return 2\n\n"
    before = {"engine/core/inputs.py": f"class Inputs:\n{rest}{method}", "engine/core/run.py": CALLED.format("inputs")}
    after = {
        "engine/core/inputs.py": f"class Inputs:\n{rest}",
        "engine/core/renderer.py": f"class Renderer:\n{method}",
        "engine/core/run.py": CALLED.format(now) if now != "inputs" else CALLED.format(now) + "\n",
    }
    gone = {symbol for kind, symbol, _ in _told(before, after) if kind == "function_removed"}
    assert gone == ({"Inputs.reset_all_rows", "Inputs.size"} if now == "renderer" else set())
