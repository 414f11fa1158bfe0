"""Predicates of settings before and after: for whom something is on by default."""

from __future__ import annotations

import pytest

from daybreak.findings import read
from daybreak.findings.languages import predicates
from read.behaviour import Told, facts_of, file_of

CONFIG = "vllm/config/engine.py"
INNER = "engine/core/loop.py"


def config(body: str, head: str = "def use_new_runner(self) -> bool:") -> str:
    lines = "".join(f"        {line}\n" for line in body.split("\n"))
    return f"class EngineConfig:\n    @property\n    {head}\n{lines}"


ONE = config("if self.model is None:\n    return False\nreturn self.kind in KNOWN")
WIDER = config("if self.model is None:\n    return False\nreturn self.kind in KNOWN or not self.model.is_moe")
VALUE = config('default = (\n    "1"\n    if newer("{}")\n    else "0"\n)\n\n\n\nreturn read("FAST", default) == "1"')
PLACE = "EngineConfig.use_new_runner"


@pytest.mark.parametrize(
    ("what", "path", "before", "after", "expected"),
    [
        ("it holds for more", CONFIG, ONE, WIDER, [("predicate_changed", PLACE, "self.kind in KNOWN", "self.kind in KNOWN or not self.model.is_moe")]),
        ("it holds for fewer", CONFIG, WIDER, ONE, [("predicate_changed", PLACE, "self.kind in KNOWN or not self.model.is_moe", "self.kind in KNOWN")]),
        ("one more way out", CONFIG, ONE, ONE.replace("        return self", "        if self.hybrid:\n            return False\n        return self"), [("predicate_changed", PLACE, "self.kind in KNOWN", "self.kind in KNOWN and not (self.hybrid)")]),
        ("one more way out to the same constant", CONFIG, "draft = 1\n" + config("if self.old:\n    return False\nreturn True"), "draft = 1\n" + config("if self.draft:\n    return True\nif self.old:\n    return False\nreturn True"), [("predicate_changed", PLACE, "…; else True", "if self.draft: True; …; else True")]),
        ("ways out in another order", CONFIG, config("if self.a:\n    return True\nif self.b:\n    return False\nreturn True"), config("if self.b:\n    return False\nif self.a:\n    return True\nreturn True"), [("predicate_changed", PLACE, "if self.a: True; if self.b: False; else True", "if self.b: False; if self.a: True; else True")]),
        ("a way out that gives what it is asked for", CONFIG, ONE, ONE.replace("        return self", "        if self.told is not None:\n            return bool(self.told)\n        return self"), [("predicate_changed", PLACE, "self.kind in KNOWN", "bool(self.told) if self.told is not None else self.kind in KNOWN")]),
        ("a value worked out before, behind another version", CONFIG, VALUE.format("2.11"), VALUE.format("2.10"), [("predicate_changed", PLACE, '"1" if newer("2.11") else "0"', '"1" if newer("2.10") else "0"')]),
        ("a value worked out before, in other words", CONFIG, VALUE.format("2.11"), VALUE.format("2.11").replace('(\n            "1"\n', '("1"\n'), []),
        ("the same in other words", CONFIG, ONE, config("return self.model is not None and self.kind in KNOWN"), []),
        ("a setting that comes with it", CONFIG, ONE, "FAST = 1\n" + config("self.fast_path = read()\nif self.model is None:\n    return False\nreturn self.kind in KNOWN or self.fast_path"), []),
        ("a method that only gives a value", CONFIG, config("return self.a", "def size(self) -> int:"), config("return self.b", "def size(self) -> int:"), []),
        ("a check refuses and chooses nothing", CONFIG, ONE.replace("use_new", "validate_new"), WIDER.replace("use_new", "validate_new"), []),
        ("code that no setting reads", INNER, ONE.replace("EngineConfig", "Loop"), WIDER.replace("EngineConfig", "Loop"), []),
        ("a way out in a loop is not followed", CONFIG, config("for a in KNOWN:\n    return True\nreturn self.a == 1"), config("for a in KNOWN:\n    return True\nreturn self.a == 2"), []),
    ],
)  # fmt: skip
def test_a_predicate_of_settings_that_answers_otherwise_is_another_default(
    what: str, path: str, before: str, after: str, expected: list[Told]
) -> None:
    assert facts_of(predicates.facts, file_of(path, before, after)) == expected, what


@pytest.mark.parametrize("way", ["handed on", "taken back"])
def test_a_question_that_a_function_elsewhere_answers_about_the_same_object_may_be_the_same_question(way: str) -> None:
    asks = config("return self.cache is False and self.kind in KNOWN", "def use_cache(self) -> bool:")
    hands_on = config("return cache_is_used(self)", "def use_cache(self) -> bool:")
    before, after = (asks, hands_on) if way == "handed on" else (hands_on, asks)
    assert facts_of(predicates.facts, file_of(CONFIG, before, after)) == []
    narrower = hands_on.replace("(self)\n", "(self) and self.kind in KNOWN\n")
    assert [kind for kind, *_ in facts_of(predicates.facts, file_of(CONFIG, hands_on, narrower))] == [
        "predicate_changed"
    ]


def test_a_list_of_its_own_that_gets_the_name_of_something_new_holds_for_all_others_as_before() -> None:
    def asks(*kinds: str) -> str:
        held = "".join(f'    "{kind}",\n' for kind in kinds)
        return config(f"WITH_PREFIX = (\n{held})\nreturn self.kind in WITH_PREFIX")

    before, after = asks("first", "second"), asks("first", "newcomer", "second")
    choices = 'Kind = Literal[\n    "first",\n    "second",\n]\n'
    wider = choices.replace("]", '    "newcomer",\n]')
    assert facts_of(predicates.facts, file_of(CONFIG, choices + before, wider + after)) == []
    model = file_of("vllm/models/newcomer.py", "", "class Newcomer:\n    pass\n", status="A")
    assert facts_of(predicates.facts, file_of(CONFIG, before, after), model) == []
    assert [kind for kind, *_ in facts_of(predicates.facts, file_of(CONFIG, before, after))] == ["predicate_changed"]


def test_a_predicate_that_reads_itself_what_a_function_that_went_read_answers_the_same() -> None:
    reads = 'def _read() -> bool:\n    val = os.getenv("ENGINE_SAME", "0")\n    return int(val) != 0\n\n\n'
    gone = f"{reads}ENGINE_SAME: bool = _read()\n\n\ndef is_same() -> bool:\n    return ENGINE_SAME\n"
    rest = 'os.environ.get("ENGINE_FAST", "1") == "1"\n'
    before = f"import os\n\n\ndef use_fast() -> bool:\n    return not is_same() and {rest}"
    after = before.replace("is_same()", 'bool(int(os.getenv("ENGINE_SAME", "0")))')
    helper = file_of("vllm/same.py", f"import os\n\n\n{gone}", "import os\n")
    assert facts_of(predicates.facts, file_of("vllm/envs.py", before, after), helper) == []
    other = file_of("vllm/envs.py", before, after.replace('getenv("ENGINE_SAME"', 'getenv("ENGINE_OTHER"'))
    assert [kind for kind, *_ in facts_of(predicates.facts, other, helper)] == ["predicate_changed"]


SERVING = "class EmbedConfig:\n    def __init__(self, model):\n        pooler = model.pooler\n{}\n    def use_chunks(self, request) -> bool:\n        return isinstance(request, str) and {}\n"


@pytest.mark.parametrize(
    ("what", "given", "asked", "told"),
    [
        ("what the attribute stood for", "        self.pooler = pooler\n", "self.pooler.chunked", []),
        ("something else", "        self.pooler = pooler\n", "self.pooler.split", ["predicate_changed"]),
        ("the opposite", "        self.pooler = pooler\n", "not self.pooler.chunked", ["predicate_changed"]),
    ],
)
def test_an_attribute_that_went_is_asked_as_what_it_was_given(
    what: str, given: str, asked: str, told: list[str]
) -> None:
    before = SERVING.format("        self.chunks = bool(pooler and pooler.chunked)\n", "self.chunks")
    found = facts_of(predicates.facts, file_of("vllm/config/embed.py", before, SERVING.format(given, asked)))
    assert [kind for kind, *_ in found] == told, what


FIELD = "@config\nclass PoolerConfig:\n    chunked: {}\n\n    def use(self, n) -> bool:\n        {}\n"


@pytest.mark.parametrize(
    ("what", "asks", "told"),
    [
        ("only yes or no is asked", "return n > 1 and self.chunked", []),
        ("only yes or no is asked, of a condition", "if not self.chunked:\n            return False\n        return True", []),
        ("whether it is set is asked", "return self.chunked is None", ["field_default_changed"]),
        ("its value goes on", "return keep(self.chunked)", ["field_default_changed"]),
    ],
)  # fmt: skip
def test_none_that_became_false_is_no_other_default_where_it_is_asked_for_yes_or_no(
    what: str, asks: str, told: list[str]
) -> None:
    before, after = (FIELD.format(one, asks) for one in ("bool | None = None", "bool = False"))
    found = read(
        {CONFIG: before}, {CONFIG: after.replace("n)", "m)").replace("n >", "m >")}, project="vllm-project/vllm"
    )
    assert [f.kind for f in found if f.kind == "field_default_changed"] == told, what
