"""What a program chooses where the choice is left open is a default, though no line declares it."""

from __future__ import annotations

import pytest

from daybreak.findings import read

RESOLVE = """def resolve():
    backend = envs.ENGINE_BACKEND
    if backend != "auto":
        return backend
{}
    return backend
"""
SPLIT = '    if nodes() > 1:\n        backend = "wide"\n    else:\n        backend = "near"\n'
ONE = '    backend = "wide"\n'


def _choices(before: str, after: str) -> list[tuple[str, str | None, str | None]]:
    found = read({"engine/comm/reduce.py": before}, {"engine/comm/reduce.py": after})
    return [(f.symbol, f.before, f.after) for f in found if f.kind == "choice_default_changed"]


def test_another_constant_where_auto_was_left_is_another_default() -> None:
    said = [("ENGINE_BACKEND", "'wide' if nodes() > 1 else 'near'", "'wide'")]
    assert _choices(RESOLVE.format(SPLIT), RESOLVE.format(ONE)) == said
    assert _choices(RESOLVE.format(ONE), RESOLVE.format(ONE.replace("wide", "near"))) == [
        ("ENGINE_BACKEND", "'wide'", "'near'")
    ]


@pytest.mark.parametrize(
    "after",
    [
        RESOLVE.format('    # why\n    backend = ("wide")\n'),
        RESOLVE.format('    if nodes() > 1:\n        backend = "wide"\n    else:\n        backend = "wide"\n'),
        RESOLVE.format(ONE).replace("return backend\n    backend", "log(backend)\n        return backend\n    backend"),
    ],
)
def test_the_same_choice_in_other_words_says_nothing(after: str) -> None:
    assert _choices(RESOLVE.format(ONE), after) == []


def test_a_choice_is_read_in_whichever_block_it_stands() -> None:
    caught = "def resolve(backend):\n    try:\n        load()\n    except OSError:\n        if backend == 'auto':\n            backend = '{}'\n    return backend\n"
    assert _choices(caught.format("wide"), caught.format("near")) == [("backend", "'wide'", "'near'")]


def test_a_choice_within_a_condition_is_told_with_it() -> None:
    text = "def resolve(arch, backend):\n    if arch in ['A']:\n        if backend == 'auto':\n{}            backend = 'near'\n    return backend\n"
    kept = "            if fast():\n                return 'auto'\n"
    said = [("backend", "if arch in ['A']: 'near'", "if arch in ['A']: 'wide'")]
    assert _choices(text.format(""), text.format("").replace("near", "wide")) == said
    assert _choices(text.format(kept), text.format(f"            # why\n{kept}")) == []


SETTLE = 'class Args:\n    def settle(self, arch):\n        if arch in ["A"]:\n            self.fill({0})\n        elif arch in ["B"]:\n            self.fill({1})\n'


def test_a_default_that_a_call_is_handed_by_name_is_told_with_its_condition() -> None:
    first, second = 'new_default_backend="one"', 'new_default_backend="two"'
    assert _choices(SETTLE.format(first, first), SETTLE.format(first, second)) == [
        ("new_default_backend", "'one' if arch in ['B']", "'two' if arch in ['B']")
    ]
    assert _choices(SETTLE.format(first, second), SETTLE.format(first, second) + "    x = 1\n") == []
    assert _choices(SETTLE.format('name="one"', first), SETTLE.format('name="two"', first)) == []


def test_a_default_of_a_declared_option_is_not_told_a_second_time() -> None:
    declares = "def add(parser):\n    parser.add_argument('--n', default={})\n    field(default_factory={})\n"
    assert _choices(declares.format(1, 1), declares.format(2, 2)) == []


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        ('DEFAULT_BACKEND = "one"\n', 'DEFAULT_BACKEND = "two"\n', ["choice_default_changed"]),
        ('DEFAULT_BACKEND = "one"\n', "DEFAULT_BACKEND = 'one'\n", []),
        ("BLOCK = 16\n", "BLOCK = 32\n", []),
        ("_DEFAULT_SIZE = 16\n", "_DEFAULT_SIZE = 32\n", []),
    ],
)
def test_a_constant_that_is_called_the_default_is_told_wherever_it_stands(
    before: str, after: str, kinds: list[str]
) -> None:
    path = "engine/comm/reduce.py"
    found = read({path: before}, {path: after})
    assert [f.kind for f in found if not f.kind.startswith("only_")] == kinds


COPY = "DEFAULT_PREFIXES: set[str] = {{{}}}\n\n\ndef copied(names):\n    return [n for n in names if n.startswith(tuple(DEFAULT_PREFIXES))]\n"
BARE = "def copied(names):\n    return names\n"


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("one more element", COPY.format('"A_"'), COPY.format('"A_", "B_"'), [("listed_added", None, "B_")]),
        ("one for another", COPY.format('"A_"'), COPY.format('"B_"'), [("listed_removed", "A_", None), ("listed_added", None, "B_")]),
        ("a list that a function takes which stood there", BARE, COPY.format('"A_", "B_"'), [("choice_added", None, "{'A_', 'B_'}")]),
        ("another order and a remark", COPY.format('"A_", "B_"'), COPY.format('\n    "B_",  # first\n    "A_",\n'), []),
        ("a list that comes with its function", "x = 1\n", COPY.format('"A_"'), []),
        ("what is worked out", COPY.format("*one()"), COPY.format("*two()"), []),
    ],
)  # fmt: skip
def test_a_list_that_is_called_the_default_is_told_with_what_came_and_went(
    what: str, before: str, after: str, expected: list[tuple[str, str | None, str | None]]
) -> None:
    found = read({"engine/comm/reduce.py": before}, {"engine/comm/reduce.py": after})
    assert [(f.kind, f.before, f.after) for f in found if f.kind.startswith(("choice", "listed"))] == expected, what


ENUM = "class Act(Enum):\n    SILU = 'silu'\n    OAI = 'oai'\n\n\ndef run(x, act={}):\n    return act\n"


@pytest.mark.parametrize(("after", "expected"), [("Act.OAI", [("'silu'", "Act.OAI")]), ("Act.SILU", [])])
def test_a_member_of_an_enum_is_never_shown_as_the_text_that_it_holds(
    after: str, expected: list[tuple[str, str]]
) -> None:
    path = "vllm/model_executor/layers/act.py"
    found = read({path: ENUM.format("'silu'")}, {path: ENUM.format(after)}, project="vllm-project/vllm")
    assert [(f.before, f.after) for f in found if "default_changed" in f.kind] == expected
