"""HTTP statuses: the same answer with another status, and the error of a stream that becomes an answer of its own."""

from __future__ import annotations

import pytest

from daybreak.findings.languages.error_answers import facts
from read.behaviour import Told, facts_of, file_of

PATH = "engine/entrypoints/openai/serving_chat.py"
HANDLER = (
    "class Serving:\n    async def handle(self, request):\n        if request.bad:\n            {}\n        return 1\n"
)
ASKS = "return self.create_error_response('bad', status_code={})"
STREAM = (
    "class Serving:\n    async def handle(self, request):\n{}        return StreamingResponse(self.parts(request), "
    "media_type='text/event-stream')\n"
)
FIRST = (
    "        parts = self.parts(request)\n        try:\n            first = await parts.__anext__()\n"
    "        except ValueError as e:\n            return self.create_error_response(str(e))\n"
)
TURNED: list[Told] = [("status_changed", "Serving.handle", "400", "404")]


def handler(answer: str) -> str:
    return HANDLER.format(answer)


CASES: dict[str, tuple[str, str, list[Told]]] = {
    "a number": (handler(ASKS.format(400)), handler(ASKS.format(404)), TURNED),
    "a name": (handler(ASKS.format("HTTPStatus.BAD_REQUEST")), handler(ASKS.format("HTTPStatus.NOT_FOUND")), TURNED),
    "a name by place": (
        handler("raise Refusal('bad', HTTPStatus.BAD_REQUEST)"),
        handler("raise Refusal('bad', HTTPStatus.NOT_FOUND)"),
        TURNED,
    ),
    "a name of the framework": (
        handler(ASKS.format("status.HTTP_400_BAD_REQUEST")),
        handler(ASKS.format("status.HTTP_404_NOT_FOUND")),
        TURNED,
    ),
    "the same in other words": (handler(ASKS.format(400)), handler(ASKS.format("HTTPStatus.BAD_REQUEST.value")), []),
    "another answer": (handler(ASKS.format(400)), handler(ASKS.replace("'bad'", "'gone'").format(404)), []),
    "what is no status": (handler("return Batch(status='a')"), handler("return Batch(status='b')"), []),
    "an answer that the status is not known of": (handler(ASKS.format("code")), handler(ASKS.format(404)), []),
    "the first part of a stream is awaited": (
        STREAM.format(""),
        STREAM.format(FIRST),
        [("status_changed", "Serving.handle", "200", "self.create_error_response(str(e))")],
    ),
    "it is awaited and nobody answers": (STREAM.format(""), STREAM.format(FIRST.replace("return self.", "raise ")), []),
    "it was awaited before": (STREAM.format(FIRST), STREAM.format(FIRST.replace("(str(e))", "('no')")), []),
}


@pytest.mark.parametrize("case", CASES)
def test_clients_that_go_by_the_status_are_told_of_another(case: str) -> None:
    before, after, expected = CASES[case]
    assert facts_of(facts, file_of(PATH, before, after)) == expected


@pytest.mark.parametrize("path", ["tests/test_serving.py", "engine/core/pool.py"])
def test_what_no_client_meets_has_no_status(path: str) -> None:
    before, after, _ = CASES["a number"]
    assert facts_of(facts, file_of(path, before, after)) == []
