"""A new name is a rename only where it is used as the old one was; what means the opposite is another thing."""

from __future__ import annotations

import pytest

from daybreak.findings import read


def _said(before: dict[str, str], after: dict[str, str], family: str) -> list[tuple[str, str, str | None]]:
    return [(f.kind, f.symbol, f.after) for f in read(before, after) if f.kind.split("_")[0] in family.split()]


def _config(field: str, use: str, more: str = "") -> dict[str, str]:
    return {
        "engine/config/parser.py": f"from dataclasses import dataclass\n\n@dataclass\nclass ParserConfig:\n    {field}\n",
        "engine/parser/loop.py": f"def run(config, found):\n    {use}\n    return found\n{more}",
    }


def test_a_field_whose_uses_move_one_for_one_is_renamed() -> None:
    before = _config("drop_tokens: bool = True", "if config.drop_tokens:\n        found = []")
    after = _config("discard_tokens: bool = True", "if config.discard_tokens:\n        found = []")
    assert _said(before, after, "field") == [("field_renamed", "ParserConfig.drop_tokens", "discard_tokens")]


def test_a_field_that_is_asked_the_other_way_round_is_another() -> None:
    before = _config("drop_tokens: bool = True", "if config.drop_tokens:\n        found = []")
    after = _config("preserve_tokens: bool = True", "if not config.preserve_tokens:\n        found = []")
    assert _said(before, after, "field") == [
        ("field_removed", "ParserConfig.drop_tokens", None),
        ("field_added", "ParserConfig.preserve_tokens", "preserve_tokens: bool = True"),
    ]


def test_a_field_that_is_used_elsewhere_in_another_way_is_another() -> None:
    before = _config("drop_tokens: frozenset = frozenset()", "found -= config.drop_tokens | ALWAYS")
    after = _config(
        "preserve_tokens: frozenset = frozenset()", "found = [x for x in found if x in config.preserve_tokens]"
    )
    assert [kind for kind, *_ in _said(before, after, "field")] == ["field_removed", "field_added"]


def test_a_field_without_any_use_in_the_commit_is_known_by_its_type_and_default() -> None:
    before, after = _config("drop_tokens: bool = True", "pass"), _config("discard_tokens: bool = True", "pass")
    assert [kind for kind, *_ in _said(before, after, "field")] == ["field_renamed"]


@pytest.mark.parametrize(
    ("first", "second", "kinds"),
    [
        ("keep: bool = True", "hold: bool = True", ["parameter_renamed"]),
        ("skip: bool = True", "run_it: bool = False", ["parameter_removed", "parameter_added"]),
    ],
)
def test_a_parameter_with_the_opposite_default_is_another(first: str, second: str, kinds: list[str]) -> None:
    source = "def run(x, {}):\n    return x\n"
    before, after = ({"engine/__init__.py": source.format(one)} for one in (first, second))
    assert sorted(k for k, *_ in _said(before, after, "parameter")) == sorted(kinds)


def test_a_parameter_whose_argument_is_turned_round_is_another() -> None:
    source = "def run(x, {0}: bool):\n    return x if {1} else None\n"
    before = {"engine/__init__.py": source.format("enable_it", "enable_it")}
    after = {"engine/__init__.py": source.format("disable_it", "not disable_it")}
    same = {"engine/__init__.py": source.format("switch_it", "switch_it")}
    assert "parameter_renamed" not in [k for k, *_ in _said(before, after, "parameter")]
    assert [k for k, *_ in _said(before, same, "parameter")] == ["parameter_renamed"]


def test_a_flag_that_switches_off_what_another_switched_on_is_no_rename() -> None:
    flag = 'parser.add_argument("--{0}", action="store_true", help="the overlap of steps")\nargs = parser.parse_args()\nif {1}:\n    start()\n'
    before = {"engine/server_args.py": flag.format("enable-overlap", "args.enable_overlap")}
    after = {"engine/server_args.py": flag.format("disable-overlap", "not args.disable_overlap")}
    same = {"engine/server_args.py": flag.format("use-overlap", "args.use_overlap")}
    assert [(k, s) for k, s, _ in _said(before, after, "cli")] == [
        ("cli_flag_removed", "--enable-overlap"),
        ("cli_flag_added", "--disable-overlap"),
    ]
    assert [k for k, *_ in _said(before, same, "cli")] == ["cli_flag_renamed"]


def test_a_request_field_that_means_the_opposite_is_another() -> None:
    model = "from pydantic import BaseModel\n\nclass ChatRequest(BaseModel):\n    model: str\n    {0}: bool = False\n    top: int = 1\n\ndef serve(request):\n    return [] if {1} else None\n"
    path = "engine/entrypoints/openai/protocol.py"
    before = {path: model.format("skip_special_tokens", "request.skip_special_tokens")}
    after = {path: model.format("keep_special_tokens", "not request.keep_special_tokens")}
    same = {path: model.format("omit_special_tokens", "request.omit_special_tokens")}
    assert [k for k, *_ in _said(before, after, "request")] == ["request_field_removed", "request_field_added"]
    assert [k for k, *_ in _said(before, same, "request")] == ["request_field_renamed"]


def test_a_field_that_is_given_another_value_is_another() -> None:
    made = "\n\ndef make():\n    return ParserConfig(\n        {}=frozenset({}),\n    )\n"
    use = "found = found - config.{}"
    before = _config(
        "drop_tokens: frozenset = frozenset()",
        use.format("drop_tokens | ALWAYS"),
        made.format("drop_tokens", "ALL - USED"),
    )
    after = _config(
        "preserve_tokens: frozenset = frozenset()",
        "keep(\n        config.preserve_tokens)",
        made.format("preserve_tokens", "USED"),
    )
    assert [kind for kind, *_ in _said(before, after, "field")] == ["field_removed", "field_added"]


def test_a_class_with_all_methods_of_one_that_went_is_that_one_whatever_it_got() -> None:
    methods = "".join(
        f"    def {name}(self, x):\n        self.{name}s = x\n        return x\n\n" for name in ("start", "step", "end")
    )
    more = "    def weigh(self):\n        return self.weights\n"
    before, after = (
        f"class Timings:\n{methods}",
        f"class Memory:\n    def end(self, x):\n        return 1\n\n\nclass Metrics:\n{methods}{more}",
    )
    told = {
        one.kind: one.after
        for one in read({"engine/perf.py": before}, {"engine/perf.py": after})
        if one.symbol == "Timings"
    }
    assert told == {"class_renamed": "Metrics"}
    other = after.replace("def step(self, x)", "def step(self, x, y)")
    told = {
        one.kind: one.after
        for one in read({"engine/perf.py": before}, {"engine/perf.py": other})
        if one.symbol == "Timings"
    }
    assert told == {"class_removed": None}


def test_a_class_that_only_named_its_base_and_is_a_plain_name_elsewhere_moved() -> None:
    base = "class ServeContext(Generic[T]):\n    pass\n"
    named = "\n\nclass EmbedContext(ServeContext[EmbedRequest]):\n    pass\n"
    user = "from engine.serving import ServeContext{}\n\n{}\n\ndef serve(ctx: EmbedContext):\n    return ctx\n"
    before = {"engine/serving.py": base + named, "engine/embed.py": user.format(", EmbedContext", "")}

    def told(value: str) -> list[tuple[str, str | None]]:
        after = {"engine/serving.py": base, "engine/embed.py": user.format("", f"EmbedContext = {value}")}
        return [(one.kind, one.after) for one in read(before, after) if one.symbol == "EmbedContext"]

    assert told("ServeContext[EmbedRequest]") == [("class_moved", "engine.embed.EmbedContext")]
    assert told("make_context(EmbedRequest)") == [("class_removed", None)]


_HEAD = "class Head:\n    def __init__(self, x, {head}):\n        {sets}\n\n    def run(self, rows):\n        return {use}\n"


@pytest.mark.parametrize(
    ("what", "use", "kinds"),
    [
        ("used where the other was", "self.activation(rows) + self.bias", ["parameter_added", "parameter_renamed"]),
        ("used for something else", "self.activation(self.bias)", ["parameter_added"] * 2 + ["parameter_removed"]),
        ("two of them are", "self.activation(rows) + self.bias(rows)", ["parameter_added"] * 2 + ["parameter_removed"]),
    ],
)
def test_a_parameter_that_is_used_where_one_was_that_went_is_that_one(what: str, use: str, kinds: list[str]) -> None:
    old = _HEAD.format(
        head="act_fn: Act | str | None = None", sets="self.act_fn = find(act_fn)", use="self.act_fn(rows)"
    )
    new = _HEAD.format(
        head="bias: float | None = None, activation: Act | None = None",
        sets="self.bias, self.activation = bias, activation",
        use=use,
    )
    found = _said({"engine/__init__.py": old}, {"engine/__init__.py": new}, "parameter")
    assert sorted(kind for kind, *_ in found) == kinds, what


def test_a_function_in_whose_place_another_is_called_is_that_one_whatever_its_body() -> None:
    was = "def flatten_chat_content(content):\n    if content:\n        return ''.join(content)\n    return content\n"
    now = "def flatten_input_content(content):\n    texts = []\n    for one in content or ():\n        if one:\n            texts.append(one)\n        else:\n            continue\n    return ''.join(texts)\n"
    calls = "\n\ndef render(message):\n    text = {}(message.content)\n    return text\n"
    first, second = was + calls.format("flatten_chat_content"), now + calls.format("flatten_input_content")
    path = "engine/messages.py"
    assert _said({path: first}, {path: second}, "function") == [
        ("function_renamed", "flatten_chat_content", "flatten_input_content")
    ]
    unused = now + calls.format("plain")
    assert ("function_removed", "flatten_chat_content", None) in _said({path: first}, {path: unused}, "function")


KINDS = "class MaskType(enum.IntEnum):\n    NONE = 0\n    CAUSAL = 1\n    WINDOW = 2\n\n\ndef mask(of: {0}):\n    return {0}.of(of)\n"
SPEC = "@dataclass(frozen=True)\nclass MaskSpec:\n    left: bool = False\n    right: bool = False\n"


@pytest.mark.parametrize(
    ("now", "kind"),
    [
        (f"{SPEC}\n\ndef mask(of: MaskSpec):\n    return MaskSpec.of(of)\n", "class_removed"),
        (KINDS.format("MaskSpec").replace("MaskType", "MaskSpec"), "class_renamed"),
    ],
    ids=["another class", "the same class"],
)
def test_a_class_used_in_place_of_another_is_that_one_only_where_bases_and_members_agree(now: str, kind: str) -> None:
    """Who wrote the new name for the old one would ask it for what it has not."""
    before = KINDS.format("MaskType")
    told = {one.kind for one in read({"engine/mask.py": before}, {"engine/mask.py": now}) if one.symbol == "MaskType"}
    assert told == {kind}
