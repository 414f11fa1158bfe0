"""Checks in new functions that requests and settings are handed to."""

from __future__ import annotations

import pytest

from daybreak.findings.languages import called_checks
from read.behaviour import Told, facts_of, file_of

TASKS = "engine/tasks.py"
PARAMS = "engine/config/params.py"
PROTOCOL = "engine/entrypoints/protocol.py"
CHECK = 'def check_removed(data):\n    if "old" in data:\n        raise ValueError("`old` was removed; use `new` instead.", parameter="old")\n'
CLASS = "class PoolConfig:\n    def __post_init__(self):\n        self.size = 1\n"
CALLS = CLASS.replace("        self", "        check_removed(self.task)\n        self")
UNION = "PoolRequest = (\n    ChatRequest | TextRequest\n)\n"
TYPED = "PoolRequest = Annotated[\n    ChatRequest | TextRequest,\n    BeforeValidator(check_removed),\n]\n"
SAID = 'if "old" in data: raise ValueError("`old` was removed; use `new` instead.")'


def told(check: str, *others: tuple[str, str, str]) -> list[Told]:
    files = [file_of(TASKS, "x = 1\n", f"x = 1\n\n\n{check}"), *(file_of(*one) for one in others)]
    return facts_of(called_checks.facts, *files)


def test_a_check_that_settings_are_handed_to_now_refuses_them() -> None:
    assert told(CHECK, (PARAMS, CLASS, CALLS)) == [("guard_added", "PoolConfig", None, SAID)]


def test_a_check_beside_the_type_of_a_request_refuses_requests_first() -> None:
    found = told(CHECK, (PARAMS, CLASS, CALLS), (PROTOCOL, UNION, TYPED))
    assert found == [("guard_added", "PoolRequest, PoolConfig", None, SAID)]


def test_a_check_that_nobody_who_was_there_is_handed_to_refuses_nobody() -> None:
    assert told(CHECK) == []
    assert told(CHECK, (PARAMS, "", CALLS)) == [], "a class that came with it"
    assert told(CHECK, (PARAMS, CLASS, CLASS.replace("__post_init__", "run") + "        check_removed(1)\n")) == []


SERVING = """class Serving:
    def _validate_input(self, request, ids):
        if len(ids) > self.longest:
            raise ValueError("The prompt is too long.")
        return ids

    def complete(self, request, ids):
        {}

    def chat(self, request, ids):
        {}
"""
SERVER = "engine/entrypoints/serving.py"
REFUSED = (
    "guard_added",
    "Serving.chat",
    None,
    'if len(ids) > self.longest: raise ValueError("The prompt is too long.")',
)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (("return 1", "return ids"), ("return 1", "return self._validate_input(request, ids)"), [REFUSED]),
        (("return 1", "ids = self._validate_input(request, ids)"), ("return 2", "return self._validate_input(request, ids)"), []),
        (("self._validate_input(request, ids)", "return 1"), ("return 1", "return self._validate_input(request, ids)"), []),
        (("return 1", "return ids"), ("return 1", "return other._validate_input(request, ids)"), []),
    ],
    ids=["asked from now on", "asked before", "asked elsewhere before", "of something else"],
)  # fmt: skip
def test_a_check_that_stood_there_and_is_called_on_another_way_now_refuses_there(
    before: tuple[str, str], after: tuple[str, str], expected: list[Told]
) -> None:
    assert facts_of(called_checks.facts, file_of(SERVER, SERVING.format(*before), SERVING.format(*after))) == expected


LOADS = "def load(name, trust_code):\n    found = look(name)\n    return build(found, trust_code={})\n"


@pytest.mark.parametrize(
    ("what", "old", "new", "expected"),
    [
        (
            "a check before what went ahead unasked",
            LOADS.format("trust_code"),
            LOADS.format("trust_code").replace("    found", "    resolve_trust_code(trust_code, name)\n    found"),
            [("trust_added", "load", None, "resolve_trust_code")],
        ),
        (
            "somebody's answer in the place of yes",
            LOADS.format("True"),
            LOADS.format("config.trust_code"),
            [("trust_added", "build", "trust_code=True", "trust_code=config.trust_code")],
        ),
        (
            "no check, though its name has the word",
            LOADS.format("trust_code"),
            LOADS.format("trust_code").replace("    found", "    set_permissions(name)\n    found"),
            [],
        ),
        (
            "a switch of something else",
            LOADS.format("True").replace("trust_code", "allow_nan"),
            LOADS.format("config.allow_nan").replace("trust_code", "allow_nan"),
            [],
        ),
        ("the answer of another place", LOADS.format("trust_code"), LOADS.format("config.trust_code"), []),
        (
            "the check stood in the function",
            LOADS.format("trust_code").replace("    found", "    resolve_trust_code(name)\n    found"),
            LOADS.format("trust_code").replace("    found", "    resolve_trust_code(name, trust_code)\n    found"),
            [],
        ),
    ],
)
def test_consent_that_is_asked_for_from_now_on_is_told(what: str, old: str, new: str, expected: list[Told]) -> None:
    assert facts_of(called_checks.facts, file_of("engine/loader.py", old, new)) == expected, what


CUTS = 'def clean(text):\n    return re.sub(r" at 0x[0-9a-f]+>", ">", text)\n'


@pytest.mark.parametrize(
    ("call", "helper", "count"),
    [
        ("ErrorInfo", CUTS, 1),
        ("logger.error", CUTS, 1),
        ("Answer", CUTS, 0),
        ("ErrorInfo", "def clean(text):\n    return text.strip()\n", 0),
    ],
)
def test_what_an_error_or_a_log_shows_through_a_function_that_cuts_out_of_it_is_told(
    call: str, helper: str, count: int
) -> None:
    form = "async def answer(exc):\n    err = {}(\n        message={},\n        code=400,\n    )\n    return err\n"
    before, after = form.format(call, "exc.detail"), form.format(call, "clean(exc.detail)")
    found = told(helper, (PROTOCOL, before, after))
    assert found == [("trust_hidden", call, "exc.detail", "clean")][:count]
