"""How a server is told the form of the answer is found out once, whatever it takes, and remembered."""

from __future__ import annotations

import pytest

from daybreak.prose.llm import Answer, ModelFault
from daybreak.prose.llm.endpoints import Endpoint
from fake_model import FakeModel, Refused
from model_scene import SCHEMA, Scene, at_once, done, outcomes, prompt

YES = {"word": "yes"}
THREE = [prompt(f"question {number}") for number in range(3)]


def forms(server: FakeModel) -> list[str]:
    return [asked.form for asked in server.questions]


def test_the_schema_goes_to_a_server_that_takes_it() -> None:
    with FakeModel(compute=lambda _: YES) as server:
        done(Scene().model(server), *THREE)
        asked = server.questions[0]
    assert forms(server) == ["json_schema"] * 3
    assert asked.body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "word", "strict": True, "schema": SCHEMA},
    }
    assert (asked.body["max_tokens"], asked.body["temperature"], asked.body["model"]) == (50, 0, "fake")
    assert (asked.system, asked.user) == ("You say words.", "question 0")


@pytest.mark.parametrize(
    ("takes", "tries"),
    [(("json_object", "text"), ["json_schema", "json_object"]), (("text",), ["json_schema", "json_object", "text"])],
)
def test_a_server_that_does_not_take_a_form_is_asked_in_the_next_one_from_then_on(
    takes: tuple[str, ...], tries: list[str]
) -> None:
    with FakeModel(forms=takes, compute=lambda _: YES) as server:
        answers = done(Scene().model(server), *THREE)
        assert forms(server) == [*tries, takes[0], takes[0]]
        assert '"maxLength":200' in server.questions[-1].system
        assert "JSON" in server.questions[-1].system
    assert [answer.usage.requests for answer in answers] == [len(tries), 1, 1]


def test_many_questions_at_once_find_it_out_together() -> None:
    with FakeModel(forms=("text",), compute=lambda _: YES, latency=0.01) as server:
        found = at_once(Scene().model(server), [prompt(f"question {number}") for number in range(20)])
        assert all(isinstance(one, Answer) for one in found)
        assert forms(server)[-4:] == ["text"] * 4


def test_a_server_that_only_says_bad_request_is_tried_in_simpler_forms() -> None:
    def compute(asked: object) -> object:
        return YES if "response_format" not in asked.body else Refused(400, "bad request")  # type: ignore[attr-defined]

    with FakeModel(compute=compute) as server:  # type: ignore[arg-type]
        done(Scene().model(server), *THREE)
        assert forms(server) == ["json_schema", "json_object", "text", "text", "text"]


def test_a_request_that_is_refused_in_every_form_is_given_up_and_the_strict_form_comes_back() -> None:
    with FakeModel([Refused(400, "bad request")] * 3, compute=lambda _: YES) as server:
        first, second = outcomes(Scene().model(server), *THREE[:2])
        assert isinstance(first, ModelFault)
        assert (first.refusal, first.usage.requests) == ("unreachable", 3)
        assert isinstance(second, Answer)
        assert forms(server) == ["json_schema", "json_object", "text", "json_schema"]


def test_one_bad_request_does_not_change_a_form_that_works() -> None:
    with FakeModel([YES, Refused(400, "bad request")], compute=lambda _: YES) as server:
        first, second, third = outcomes(Scene().model(server), *THREE)
        assert [isinstance(one, Answer) for one in (first, second, third)] == [True, False, True]
        assert forms(server) == ["json_schema"] * 3


@pytest.mark.parametrize("structured", ["json_schema", "json_object", "text"])
def test_a_form_that_is_set_is_kept(structured: str) -> None:
    with FakeModel(compute=lambda _: YES) as server:
        done(Scene().model(Endpoint(server.url, "fake", structured=structured)), *THREE)
        assert forms(server) == [structured] * 3
    with FakeModel(forms=(), compute=lambda asked: YES) as server:
        found = outcomes(Scene().model(Endpoint(server.url, "fake", structured=structured)), *THREE)
        assert {isinstance(one, Answer) for one in found} == {structured == "text"}
        assert set(forms(server)) == {structured}


def test_parameters_that_newer_models_refuse_are_left_out_from_then_on() -> None:
    with FakeModel(parameters=("max_completion_tokens",), compute=lambda _: YES) as server:
        answers = done(Scene().model(server), *THREE)
        last = server.questions[-1].body
    assert [answer.usage.requests for answer in answers] == [3, 1, 1]
    assert (last["max_completion_tokens"], "max_tokens" in last, "temperature" in last) == (50, False, False)


def test_what_a_server_needs_besides_is_sent_and_makes_another_question() -> None:
    scene = Scene()
    with FakeModel(compute=lambda _: YES) as server:
        thinking = Endpoint(server.url, "fake", extra={"enable_thinking": False, "chat_template_kwargs": {"a": 1}})
        done(scene.model(thinking), prompt())
        done(scene.model(thinking), prompt())
        assert len(server.questions) == 1
        body = server.questions[0].body
        assert (body["enable_thinking"], body["chat_template_kwargs"], body["model"]) == (False, {"a": 1}, "fake")
        done(scene.model(server), prompt())
        assert len(server.questions) == 2


def test_a_temperature_that_is_set_is_sent() -> None:
    with FakeModel(compute=lambda _: YES) as server:
        done(Scene().model(Endpoint(server.url, "fake", extra={"temperature": 0.6})), prompt())
        assert server.questions[0].body["temperature"] == 0.6


def test_a_server_that_refuses_both_names_of_the_length_is_given_up() -> None:
    with FakeModel(parameters=(), compute=lambda _: YES) as server:
        fault = Scene().fault(server)
        assert fault.refusal == "unreachable"
        assert len(server.questions) < 8
