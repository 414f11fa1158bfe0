"""Names of upstream that still work, with a warning, or that went though another library made them."""

from __future__ import annotations

import pytest

from analyse.impacted import REPO, uses_of
from daybreak.core.model.upgrade import Hit
from daybreak.upgrade.impact.join import join
from daybreak.upgrade.impact.table import Ends

HEAD = "from typing_extensions import deprecated\nfrom vllm.params import Params\nclass Request:\n"
WAS = f"{HEAD}    def __init__(self, params: Params, end=None):\n        self.params = params\n        self.end = end\n"
NOW = f"""{HEAD}    def __init__(self, params: Params):
        self.params = params
    @property
    @deprecated(
        "Request.end will be removed in v0.18. "
        "Please use Request.params.end instead."
    )
    def end(self) -> int | None:
        return self.params.end
"""
PARAMS = "class Params:\n    end: int = 0\n"
READS = "from vllm.request import Request\nmade = Request(make())\nprint(made.end)\n"


def hits(before: str, after: str, code: str = READS) -> tuple[Hit, ...]:
    start = {"vllm/__init__.py": "", "vllm/params.py": PARAMS, "vllm/request.py": before}
    end = {**start, "vllm/request.py": after}
    ends = Ends(lambda _, path: end.get(path), lambda _, path: start.get(path), defined=lambda *_: {})
    return join(uses_of("svc/app.py", code), {REPO: ()}, ends=ends)


def test_an_attribute_that_is_a_deprecated_property_now_is_worth_a_look_with_what_to_use() -> None:
    (hit,) = hits(WAS, NOW)
    assert (hit.certainty, hit.use.line) == ("look", 3)
    assert "`Request.end`" in hit.why["en"]
    assert "`v0.18`" in hit.why["en"]
    assert hit.action["en"] == "Use `Request.params.end` instead."


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (NOW, NOW, READS),
        (WAS, NOW.replace("deprecated(\n", "noted(\n"), READS),
        (WAS, NOW, READS.replace("made.end", "made.params")),
    ],
)
def test_it_is_no_news_where_it_was_so_before_or_is_not_used(before: str, after: str, code: str) -> None:
    assert not hits(before, after, code)


def test_a_name_that_is_not_there_is_no_advice() -> None:
    (hit,) = hits(WAS, NOW.replace("use Request.params.end", "use Request.params.none"))
    assert "none" not in hit.action["en"]


def test_what_a_module_makes_with_another_library_is_its_own_and_what_it_imports_is_not() -> None:
    before = {"vllm/__init__.py": "", "vllm/server.py": "from fastapi import APIRouter\nrouter = APIRouter()\n"}
    after = {"vllm/__init__.py": "", "vllm/server.py": "x = 1\n"}
    both = Ends(lambda _, path: after.get(path), lambda _, path: before.get(path), defined=lambda *_: {})
    code = "from vllm.server import (\n    APIRouter,\n    router,\n)\n"
    found = join(uses_of("svc/app.py", code), {REPO: ()}, ends=both)
    assert [(hit.certainty, hit.use.line, hit.use.name) for hit in found] == [("certain", 3, "vllm.server.router")]
