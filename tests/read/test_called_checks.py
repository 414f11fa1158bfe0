"""Checks in new functions that requests and settings are handed to."""

from __future__ import annotations

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


def test_a_table_of_errors_is_told_by_its_keys_and_words() -> None:
    table = 'GONE = {\n    "score": "`score` went; use `classify`.",\n    "encode": (\n        "`encode` went; use `embed`."\n    ),\n}\n\n\n'
    check = "def check_removed(task):\n    if isinstance(task, str) and (message := GONE.get(task)):\n        raise ValueError(message)\n"
    words = "`score` went; use `classify`. `encode` went; use `embed`."
    ((_, _, _, text),) = told(table + check, (PARAMS, CLASS, CALLS))
    assert text == f'if task in ("score", "encode"): raise ValueError("{words}")'
