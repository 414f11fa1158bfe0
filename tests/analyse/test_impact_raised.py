"""Handlers of yours that wait for what upstream raises no more."""

from __future__ import annotations

import textwrap

import pytest

from analyse.impacted import REPO, uses_of
from daybreak.core.model.upgrade import Hit
from daybreak.upgrade.impact.join import join
from daybreak.upgrade.impact.table import Ends

ERRORS = "class Refused({base}):\n    ...\nclass Lost(Exception):\n    ...\n"
LLM = """
    from vllm.errors import Lost, Refused
    from vllm.checks import Checks
    class LLM:
        def __init__(self, model):
            self.checks = Checks()
        def generate(self, prompt):
            self.checks.run(prompt)
            return prompt
    """
CHECKS = """
    from vllm.errors import Lost, Refused
    class Checks:
        def run(self, prompt):
            if not prompt:
                raise {empty}("A prompt must not be empty")
            self._length(prompt)
        def _length(self, prompt):
            if len(prompt) > 9:
                raise Refused(f"Too long by {{len(prompt)}}")
    """
WAITS = """
    from vllm.entrypoints.llm import LLM
    llm = LLM("m")
    try:
        llm.generate("")
    except {caught}:
        ...
    """


def tree(base: str = "ValueError", empty: str = "ValueError") -> dict[str, str]:
    files = {
        "vllm/__init__.py": "",
        "vllm/entrypoints/__init__.py": "",
        "vllm/entrypoints/llm.py": LLM,
        "vllm/checks.py": CHECKS.format(empty=empty),
        "vllm/errors.py": ERRORS.format(base=base),
    }
    return {path: textwrap.dedent(text).lstrip("\n") for path, text in files.items()}


def hits(caught: str, before: dict[str, str], after: dict[str, str], code: str = WAITS) -> tuple[Hit, ...]:
    yours = uses_of("svc/app.py", textwrap.dedent(code).lstrip("\n").format(caught=caught))
    ends = Ends(lambda _, path: after.get(path), lambda _, path: before.get(path), defined=lambda *_: {})
    return join(yours, {REPO: ()}, ends=ends)


@pytest.mark.parametrize(
    ("caught", "after", "expected"),
    [
        ("ValueError", {}, ""),
        ("ValueError", {"base": "RuntimeError"}, "likely:5 catch Refused itself"),
        ("(KeyError, ValueError)", {"base": "Exception"}, "likely:5 catch Refused itself"),
        ("ValueError", {"empty": "Lost"}, "likely:5 catch vllm.errors.Lost instead"),
        ("ValueError", {"empty": "TypeError"}, "likely:5 catch TypeError instead"),
        ("KeyError", {"base": "RuntimeError", "empty": "Lost"}, ""),
        ("Exception", {"base": "RuntimeError", "empty": "Lost"}, ""),
        ("ValueError", {"empty": "Refused"}, ""),
        ("ValueError", {"empty": "UnicodeError"}, ""),
    ],
)  # fmt: skip
def test_a_handler_that_gets_its_exception_no_more_is_told(caught: str, after: dict[str, str], expected: str) -> None:
    told = [
        f"{hit.certainty}:{hit.use.line} {hit.action['en'].replace('`', '').rstrip('.')}"
        for hit in hits(caught, tree(), tree(**after))
    ]
    assert " ".join(told).lower() == expected.lower()


def test_where_something_wider_stands_below_it_is_only_worth_a_look() -> None:
    code = f"{WAITS.rstrip()}\n    except Exception:\n        ...\n"
    (told,) = hits("ValueError", tree(), tree(empty="Lost"), code)
    assert told.certainty == "look"
    assert told.why["en"].startswith("You wait for `ValueError` around `vllm.entrypoints.llm.LLM.generate`")


def test_a_handler_of_another_call_and_a_call_after_the_try_are_not_held_against_each_other() -> None:
    code = """
        from vllm.entrypoints.llm import LLM
        llm = LLM("m")
        try:
            int("1")
        except {caught}:
            llm.generate("")
        llm.generate("")
        """
    assert not hits("ValueError", tree(), tree(base="Exception", empty="Lost"), code)
