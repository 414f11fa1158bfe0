"""A real llama.cpp server answers as the scripted one does: schema, counts, length, overflow, key."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from daybreak.core.errors import DaybreakError
from daybreak.core.http import Secret
from daybreak.prose.llm import Answer, ModelFault
from daybreak.prose.llm.endpoints import Endpoint
from daybreak.prose.llm.opening import look_at
from model_scene import Scene, at_once, done, outcomes, prompt, run
from real_model import RealModel, missing, real_model

pytestmark = [
    pytest.mark.skipif(bool(missing()), reason=missing() or "it is there"),
    pytest.mark.timeout(1200),  # it thinks as fast as the machine lets it
]


@pytest.fixture(scope="module")
def served() -> Iterator[RealModel]:
    with real_model() as found:
        yield found


def endpoint(served: RealModel, key: str | None = None, **more: object) -> Endpoint:
    return Endpoint(served.url, served.model, Secret(key or served.key), **more)  # type: ignore[arg-type]


CHOICE = {
    "type": "object",
    "properties": {"word": {"enum": ["yes", "no"]}, "count": {"type": "integer"}},
    "required": ["word", "count"],
    "additionalProperties": False,
}


def test_an_answer_has_the_form_of_the_schema_and_is_counted(served: RealModel) -> None:
    scene = Scene()
    model = scene.model(endpoint(served), timeout=120.0)
    (answer,) = done(model, prompt("Is water wet? Answer in JSON.", schema=CHOICE, most=60))
    assert answer.data["word"] in ("yes", "no")
    assert isinstance(answer.data["count"], int)
    (spent,) = model.purse.spent
    assert (spent.requests, spent.prompt_tokens) == (answer.usage.requests, answer.usage.prompt_tokens)
    assert answer.usage.prompt_tokens > 5
    assert answer.usage.completion_tokens > 3
    again = Scene(scene.kept).model(endpoint(served))
    assert done(again, prompt("Is water wet? Answer in JSON.", schema=CHOICE, most=60))[0].kept


def test_two_questions_are_answered_at_once(served: RealModel) -> None:
    asked = [prompt(f"Is {what} wet? Answer in JSON.", schema=CHOICE, most=60) for what in ("water", "sand")]
    found = at_once(Scene().model(endpoint(served), timeout=120.0), asked)
    assert [isinstance(one, Answer) and one.data["word"] in ("yes", "no") for one in found] == [True, True]


def test_a_length_that_is_too_short_is_a_cut_answer(served: RealModel) -> None:
    schema = {"type": "object", "properties": {"text": {"type": "string", "minLength": 200}}, "required": ["text"]}
    model = Scene().model(endpoint(served), timeout=120.0)
    (found,) = outcomes(model, prompt("Tell a story.", schema=schema, most=8))
    assert isinstance(found, ModelFault)
    assert (found.refusal, found.usage.requests, found.usage.completion_tokens) == ("cut", 2, 16)


def test_a_prompt_that_does_not_fit_is_told_as_such(served: RealModel) -> None:
    model = Scene().model(endpoint(served), timeout=120.0)
    (found,) = outcomes(model, prompt("word " * 4000))
    assert isinstance(found, ModelFault)
    assert (found.refusal, found.usage.requests) == ("too_long", 1)


def test_a_wrong_key_is_told_without_the_key(served: RealModel) -> None:
    scene = Scene()
    (found,) = outcomes(scene.model(endpoint(served, "a-wrong-key"), timeout=120.0), prompt())
    assert isinstance(found, ModelFault)
    assert "does not accept the key" in found.detail
    assert "wrong-key" not in f"{found} {scene.said}"
    with pytest.raises(DaybreakError, match="does not accept the key"):
        run(look_at(endpoint(served, "a-wrong-key")))


def test_the_doctor_finds_the_model(served: RealModel) -> None:
    assert "the model is there" in run(look_at(endpoint(served)))
    with pytest.raises(DaybreakError, match="does not list that model") as caught:
        run(look_at(Endpoint(served.url, "gpt-9", Secret(served.key))))
    assert "smollm2-135m" in caught.value.tip
