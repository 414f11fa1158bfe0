"""Routes that answer failures with 200: an error of HTTP that was raised is returned as a plain value."""

from __future__ import annotations

import pytest

from daybreak.findings import read
from daybreak.judge.breaking import mark_of

PATH = "engine/entrypoints/api_server.py"
SERVING = "engine/entrypoints/serving.py"
ROUTE = """@router.post("/v1/complete")
async def complete(request):
    try:
        given = await handler.complete(request)
    {}
    if isinstance(given, Failure):
        return JSONResponse(content=given.dump(), status_code=given.code)
    return given
"""
RAISES = (
    "except OverflowError as e:\n        raise HTTPException(status_code=400, detail=str(e)) from e\n"
    "    except Exception as e:\n        raise HTTPException(status_code=500, detail=str(e)) from e\n"
)
RETURNS = "except Exception as e:\n        return {}\n"
MADE = RETURNS.format("handler.failure(e)")
FAILURE = "class Serving:\n    def failure(\n        self,\n        why,\n    ) -> {}:\n        return make({})\n"


def _told(before: str, after: str, gives: str = "Failure", path: str = PATH) -> list[tuple[str, int, bool]]:
    old = {path: before, SERVING: FAILURE.format(gives, "why")}
    new = {path: after, SERVING: FAILURE.format(gives, "str(why)")}
    return [(f.symbol, f.line, f.breaking) for f in read(old, new) if f.kind == "route_error_hidden"]


@pytest.mark.parametrize("returned", ["handler.failure(e)", '{"error": str(e)}'])
def test_what_was_raised_and_is_returned_comes_with_200(returned: str) -> None:
    after = ROUTE.format(RETURNS.format(returned))
    assert _told(ROUTE.format(RAISES), after) == [("/v1/complete", 6, True)]


ANOTHER = {
    "an answer with a status": RETURNS.format("JSONResponse(content=str(e), status_code=500)"),
    "a function that nobody knows": RETURNS.format("handler.unknown(e)"),
    "the status set before": 'except Exception as e:\n        response.status_code = 400\n        return {"error": str(e)}\n',
    "another attempt": f"except Closed:\n        pass\n    try:\n        other()\n    {MADE}",
    "one of two is raised as before": RAISES.partition("    except Exception")[0] + "    " + MADE,
}


@pytest.mark.parametrize("what_it_is", ANOTHER)
def test_what_may_have_a_status_is_not_told(what_it_is: str) -> None:
    assert _told(ROUTE.format(RAISES), ROUTE.format(ANOTHER[what_it_is])) == []


def test_a_type_that_the_route_does_not_wrap_may_be_an_answer_itself() -> None:
    assert _told(ROUTE.format(RAISES), ROUTE.format(MADE), gives="Answer") == []


def test_a_status_of_the_route_itself_is_not_200() -> None:
    route = ROUTE.replace('complete")', 'complete", status_code=500)')
    assert _told(route.format(RAISES), route.format(MADE)) == []


def test_what_is_no_route_answers_nobody() -> None:
    inner = ROUTE.partition("\n")[2]
    assert _told(inner.format(RAISES), inner.format(MADE)) == []


def test_a_route_of_a_test_answers_nobody() -> None:
    assert _told(ROUTE.format(RAISES), ROUTE.format(MADE), path="tests/api_server.py") == []


GIVES = '@app.get("/version")\nasync def version():\n    """What runs."""\n    return {"version": 1}\n'
REFUSES = GIVES.replace(
    'return {"version": 1}', 'raise HTTPException(\n        status_code=404, detail="Use /info instead."\n    )'
)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (GIVES, REFUSES, ["/version"]),
        (GIVES, '@app.get("/old_version")\n' + REFUSES, ["/version"]),
        (REFUSES, GIVES, []),
        (GIVES, GIVES.replace("    return", "    if broken():\n        raise HTTPException(404)\n    return"), []),
        ("", REFUSES, []),
    ],
)
def test_a_route_whose_handler_is_an_error_is_gone(before: str, after: str, told: list[str]) -> None:
    found = [f for f in read({PATH: before}, {PATH: after}) if f.kind == "route_refused"]
    assert [f.symbol for f in found] == told
    assert {(mark_of(f), f.alias and f.alias.where) for f in found} <= {("breaks", "Use /info instead.")}


TWO = REFUSES + GIVES.replace("get", "post").replace("async def version", "async def set_version")


def test_a_path_that_another_method_serves_is_not_gone() -> None:
    told = read({PATH: TWO}, {PATH: TWO.replace('"version": 1', '"version": HTTPException and 2')})
    assert [f.symbol for f in told if f.kind == "route_refused"] == [], "its other method refused before as well"
    told = read({PATH: TWO.replace(REFUSES, GIVES)}, {PATH: TWO})
    assert [f.symbol for f in told if f.kind == "route_refused"] == []
