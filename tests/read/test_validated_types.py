"""A type under a name of its own keeps the type; the checks beside it are told of the field they are asked of."""

from __future__ import annotations

import pytest

from daybreak.core.model.findings import Finding
from daybreak.findings import read

PROTOCOL = "engine/entrypoints/openai/protocol.py"
PARAMS = "engine/sampling_params.py"
MODEL = "from pydantic import BaseModel\n\nclass ChatRequest(BaseModel):\n    model: str\n    budget: {} = None\n"
CHECK = "def check_budget(value):\n    if value is None:\n        return None\n    if value < 0:\n        raise ValueError('budget')\n    return value\n"


def _findings(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, str, str | None, bool]]:
    def row(f: Finding) -> tuple[str, str, str | None, bool]:
        return f.kind, f.symbol, f.after, f.breaking

    return [row(f) for f in read(before, after) if f.kind.startswith(("request_field", "guard"))]


def test_a_validator_beside_the_same_type_is_a_check_of_the_field() -> None:
    before = {PROTOCOL: MODEL.format("int | None"), PARAMS: "x = 1\n"}
    made = f"x = 1\n\n{CHECK}\nBudget = Annotated[\n    int | None,\n    BeforeValidator(check_budget),\n]\n"
    after = {PROTOCOL: MODEL.format("Budget"), PARAMS: made}
    assert _findings(before, after) == [
        ("guard_added", "ChatRequest.budget", "if … and budget < 0: raise ValueError", True)
    ]


def test_bounds_are_told_as_the_check_that_they_are_with_field_and_class() -> None:
    before, after = ({PROTOCOL: MODEL.format(one)} for one in ("int", "Annotated[int, Field(ge=0, le=9)]"))
    asked = "if ChatRequest.budget < 0 or ChatRequest.budget > 9: raise ValidationError"
    assert _findings(before, after) == [("guard_added", "ChatRequest.budget", asked, True)]


CONFIG = "from pydantic import Field\n\n@config\nclass BalanceConfig:\n    window: int = {}\n    other: int = 1\n"


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("8", "Field(default=8, gt=4)", ("guard_added", "if BalanceConfig.window <= 4: raise ValidationError")),
        ("8", "Field(default=8, gt=0)", None),
        ("8", "Field(8, max_length=3)", ("guard_added", "if len(BalanceConfig.window) > 3: raise ValidationError")),
        ("Field(8, ge=1)", "Field(8, ge=2)", ("guard_narrowed", "if BalanceConfig.window < 2: raise ValidationError")),
        ("Field(8, ge=2)", "Field(8, ge=1)", None),
        ("Field(8, gt=0)", "Field(8, ge=1)", None),
        ("8", "Field(default=8, description='gt=0')", None),
        ("8", "Field(default=8, le=_LONG_INFO.max)", None),
        ("8", "Field(default=8, ge=-(2**31), le=torch.iinfo(torch.int64).max)", None),
        ("8", "Field(8, le=9223372036854775807)", None),
        (
            "8",
            "Field(8, ge=1000000000)",
            ("guard_added", "if BalanceConfig.window < 1000000000: raise ValidationError"),
        ),
        (
            "8",
            "Field(8, le=1000000000)",
            ("guard_added", "if BalanceConfig.window > 1000000000: raise ValidationError"),
        ),
        ("8", "Field(8, le=2**31)", ("guard_added", "if BalanceConfig.window > 2**31: raise ValidationError")),
        (
            "8",
            "Field(8, ge=sys.maxsize)",
            ("guard_added", "if BalanceConfig.window < sys.maxsize: raise ValidationError"),
        ),
        (
            "8",
            "Field(default=8, le=MOST.max)",
            ("guard_added", "if BalanceConfig.window > MOST.max: raise ValidationError"),
        ),
    ],
)
def test_bounds_beside_a_default_are_checks_of_the_field_that_break_who_was_beyond_them(
    before: str, after: str, found: tuple[str, str] | None
) -> None:
    files = ({"engine/config/parallel.py": CONFIG.format(one)} for one in (before, after))
    told = [
        (kind, text) for kind, symbol, text, breaks in _findings(*files) if breaks and symbol == "BalanceConfig.window"
    ]
    assert told == ([found] if found else [])


def test_a_name_for_the_same_type_says_nothing() -> None:
    before = {PROTOCOL: MODEL.format("int | None"), PARAMS: "x = 1\n"}
    for made in (
        "Budget = Annotated[int | None, 'tokens']\n",
        "Budget = Annotated[int | None, BeforeValidator(str)]\n",
    ):
        assert _findings(before, {PROTOCOL: MODEL.format("Budget"), PARAMS: f"x = 1\n{made}"}) == []


def test_a_name_for_another_type_is_another_type() -> None:
    before = {PROTOCOL: MODEL.format("int | None"), PARAMS: "x = 1\n"}
    after = {PROTOCOL: MODEL.format("Budget"), PARAMS: "x = 1\nBudget = Annotated[str, 'tokens']\n"}
    assert [row[0] for row in _findings(before, after)] == ["request_field_changed"]


def test_a_check_that_stood_there_is_no_news() -> None:
    checked = "Annotated[int, Field(ge=0)]"
    before, after = {PROTOCOL: MODEL.format(checked)}, {PROTOCOL: MODEL.format(checked) + "    other: int = 1\n"}
    assert [row[0] for row in _findings(before, after)] == ["request_field_added"]


@pytest.mark.parametrize(("alias", "breaks"), [("dict[str, Base]", False), ("list[Base]", True)])
def test_a_name_that_the_file_gives_to_a_type_is_that_type(alias: str, breaks: bool) -> None:
    body = "@config\nclass BalanceConfig:\n    limits: {} = Field(default_factory=dict)\n    other: int = 1\n"
    before, after = body.format("dict[str, Some]"), f"Options: TypeAlias = {alias}\n\n\n{body.format('Options')}"
    found = read({"engine/config/balance.py": before}, {"engine/config/balance.py": after})
    assert any(f.kind == "field_changed" for f in found) == breaks


PLAIN = "from dataclasses import dataclass\n\n@dataclass\n"


@pytest.mark.parametrize(
    ("what", "head", "field", "breaks"),
    [
        ("nobody looks at it", PLAIN, "mode: {} = CacheConfig.mode", False),
        ("its values written out", PLAIN, "mode: {} = 'a'", False),
        ("its dataclass checks", PLAIN.replace("dataclasses", "pydantic.dataclasses"), "mode: {} = 'a'", True),
        ("a decorator of the house checks", PLAIN.replace("@dataclass", "@config"), "mode: {} = 'a'", True),
        ("options are made of it", f"from transformers import HfArgumentParser\n{PLAIN}", "mode: {} = 'a'", True),
        ("and told so beside it", PLAIN, "mode: {} = field(default='a', metadata=HELP)", True),
        ("another default came with it", PLAIN, "mode: {} = {}", True),
    ],
)
def test_the_hint_of_a_plain_dataclass_refuses_nobody(what: str, head: str, field: str, breaks: bool) -> None:
    for kind in ("Mode", "Literal['a', 'b']") if "{} = {}" not in field else ("Mode",):
        sides = (field.format(*side) for side in (("str", "'a'"), (kind, "Mode.A")))
        files = ({"engine/server_args.py": f"{head}class ServerArgs:\n    {one}\n    port: int = 1\n"} for one in sides)
        found = [f.breaking for f in read(*files) if f.kind == "field_changed"]
        assert found == [breaks], (what, kind)


@pytest.mark.parametrize(("heads", "refused"), [("class Config(Base):\n    pass\n", False), ("", True)])
def test_a_class_is_not_refused_where_its_base_is_asked_for(heads: str, refused: bool) -> None:
    old = "def run(cfg: Config):\n    return cfg.x\n"
    new = f"class Base:\n    x = 1\n\n\n{heads}\ndef run(cfg: Base):\n    assert isinstance(cfg, Base)\n    return cfg.x\n"
    front = {"kit/__init__.py": "from .m import run\n"}
    class_of = "class Config:\n    x = 1\n\n\n" if heads else ""
    found = read({**front, "kit/m.py": class_of + old}, {**front, "kit/m.py": new})
    assert any(f.kind == "parameter_changed" for f in found) == refused
