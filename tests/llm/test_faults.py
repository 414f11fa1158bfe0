"""Every fault of a model's server has its path, and none ends in printed rubbish."""

from __future__ import annotations

import pytest

from daybreak.prose.llm import ModelFault, WrongLanguage
from daybreak.prose.llm.endpoints import Endpoint
from daybreak.prose.llm.openai_compatible import LARGEST, Patience
from fake_model import FakeModel, Raw, Refused, Reply, Reset, Said, Slow, closed_address, fenced, thoughtful
from model_scene import Scene, at_once, done, outcomes, prompt

YES = {"word": "yes"}


# --- good answers, however they are wrapped --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        YES,
        fenced(YES),
        thoughtful(YES),
        Said('Let me think. {"other": 1} is not it.\n{"word": "yes"}'),
        Said('{"word": "yes",}'),
        Said("﻿ \n" + '{"word": "yes"}'),
        Said(YES, finish="length"),
        Said(YES, more={"reasoning_content": "I thought {of} much", "tool_calls": None}),
        Said(YES, counted=False),
        Raw(b'{"choices":[{"message":{"content":[{"type":"text","text":"{\\"word\\": \\"yes\\"}"}]}}]}'),
    ],
)
def test_a_good_answer_is_found_in_its_wrapping(reply: Reply) -> None:
    with FakeModel([reply]) as server:
        answer = Scene().ask(server)
    assert (answer.data, answer.model, answer.kept) == (YES, "fake", False)
    assert answer.endpoint == f"127.0.0.1:{server.port}"
    assert answer.usage.requests == 1
    assert answer.usage.prompt_tokens == server.prompt_tokens


# --- answers that cannot be used are asked for once more, with the reason --------------------------------------------

USELESS: list[tuple[Reply, str, str]] = [
    (Said("I would rather not say JSON."), "malformed", "no JSON object"),
    (Said('{"word": "ye'), "malformed", "no JSON object"),
    (Said('{"word": "ye', finish="length"), "cut", "longer than 50 tokens"),
    (Said({"word": 5}), "malformed", "word must be string"),
    (Said({"word": "a", "more": 1}), "malformed", "unknown key 'more'"),
    (Said({"wort": "a"}), "malformed", "lacks 'word'"),
    (Said("[1, 2]"), "malformed", "no JSON object"),
    (Said('{"word": NaN}'), "malformed", "no JSON object"),
    (Said('{"word": "\\ud800"}'), "malformed", "no JSON object"),
    (Said("{" * 2000), "malformed", "no JSON object"),
    (Said('{"word": ' + "[" * 100_000), "malformed", "no JSON object"),
    (Said("[" * 100_000), "malformed", "no JSON object"),
    (Said(""), "empty", "empty"),
    (Said(" \n"), "empty", "empty"),
    (Said(None), "empty", "empty"),
    (Said(None, finish="length"), "cut", "cut"),
    (Said("x" * (1 << 20) + "y"), "malformed", "far too long"),
]


@pytest.mark.parametrize(("reply", "refusal", "words"), USELESS)
def test_a_useless_answer_is_asked_for_again_with_the_reason(reply: Reply, refusal: str, words: str) -> None:
    with FakeModel([reply, YES]) as server:
        answer = Scene().ask(server)
        first, second = server.questions
    assert answer.data == YES
    assert answer.usage.requests == 2
    assert answer.usage.completion_tokens == server.completion_tokens
    assert first.user == "Say a word."
    assert second.user.startswith("Say a word.")
    assert words in second.user
    assert ('"additionalProperties":false' in second.system) == (refusal == "malformed")


@pytest.mark.parametrize(("reply", "refusal", "words"), USELESS)
def test_two_useless_answers_are_a_fault_and_no_third_question(reply: Reply, refusal: str, words: str) -> None:
    with FakeModel([reply, reply, YES]) as server:
        fault = Scene().fault(server)
        assert len(server.questions) == 2
    assert (fault.refusal, fault.kept) == (refusal, False)
    assert words in fault.detail
    assert (fault.usage.requests, fault.usage.completion_tokens) == (2, server.completion_tokens)


def test_what_the_caller_does_not_accept_is_asked_for_again_once() -> None:
    asked = []

    def accept(data: object) -> str | None:
        asked.append(data)
        return None if data == YES else "the word must be yes"

    with FakeModel([{"word": "no"}, YES]) as server:
        assert Scene().ask(server, accept=accept).data == YES
        assert "the word must be yes" in server.questions[1].user
        server.say({"word": "no"}, {"word": "no"})
        fault = Scene().fault(server, accept=accept)
    assert (fault.refusal, fault.detail) == ("malformed", "the word must be yes")
    assert len(asked) == 4


def test_the_wrong_language_has_a_name_of_its_own() -> None:
    with FakeModel([{"word": "nein"}] * 2) as server:
        fault = Scene().fault(server, accept=lambda _: WrongLanguage("it must be Chinese"))
    assert (fault.refusal, fault.detail) == ("language", "it must be Chinese")


@pytest.mark.parametrize(
    "reply",
    [
        Said(None, refusal="I'm sorry, I can't help with that."),
        Said('{"word": "y', finish="content_filter"),
        Refused(
            400, "The response was filtered due to the prompt triggering content management policy.", "content_filter"
        ),
        Refused(400, "Content Exists Risk"),
        Refused(400, "<400> InternalError.Algo.DataInspectionFailed: Input data may contain inappropriate content."),
        Refused(403, "Your input was flagged by moderation"),
    ],
)
def test_refused_content_goes_to_the_next_endpoint_and_is_not_asked_for_again(reply: Reply) -> None:
    with FakeModel([reply]) as first, FakeModel([YES]) as second:
        answer = Scene().ask(first, Endpoint(second.url, "fake"))
        assert (answer.data, len(first.questions), len(second.questions)) == (YES, 1, 1)
        first.say(reply)
        fault = Scene().fault(first)
    assert fault.refusal == "refused"


@pytest.mark.parametrize(
    "reply",
    [
        Refused(400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
        Refused(
            400,
            "the request exceeds the available context size. try increasing the context size",
            "exceed_context_size_error",
        ),
        Refused(400, "Input length (9000) exceeds model's maximum length (8192)."),
        Refused(400, "InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]"),
        Refused(400, "prompt is too long: 210000 tokens"),
        Refused(413, "Payload Too Large"),
        Refused(500, "context length exceeded"),
    ],
)
def test_a_prompt_that_does_not_fit_is_the_callers_to_shorten(reply: Reply) -> None:
    with FakeModel([reply]) as server:
        assert Scene().fault(server).refusal == "too_long"
        assert len(server.questions) == 1


def test_a_prompt_that_fits_the_next_model_is_answered_there() -> None:
    with FakeModel(context=20, compute=lambda _: YES) as small, FakeModel(context=2000, compute=lambda _: YES) as large:
        assert Scene().ask(small, large).endpoint.endswith(str(large.port))


def test_a_known_context_saves_the_question() -> None:
    with FakeModel(compute=lambda _: YES) as server:
        known = Endpoint(server.url, "fake", context=100)
        model = Scene().model(known)
        short, long = outcomes(model, prompt("short"), prompt("long " * 200))
        assert not isinstance(short, ModelFault)
        assert isinstance(long, ModelFault)
        assert (long.refusal, long.usage.requests, len(server.questions)) == ("too_long", 0, 1)


def test_a_useless_answer_is_not_asked_for_again_where_the_reason_has_no_room() -> None:
    with FakeModel([Said("no JSON")], compute=lambda _: YES) as server:
        small = Endpoint(server.url, "fake", context=70)
        assert (Scene().fault(small).refusal, len(server.questions)) == ("malformed", 1)


def test_a_form_that_must_be_told_in_words_counts_as_a_part_of_the_prompt() -> None:
    with FakeModel(compute=lambda _: YES) as server:
        small = Endpoint(server.url, "fake", context=70, structured="text")
        assert (Scene().fault(small).refusal, len(server.questions)) == ("too_long", 0)


# --- servers at fault ------------------------------------------------------------------------------------------------

PASSING: list[Reply] = [
    Refused(500),
    Refused(502, raw=b"<html>Bad Gateway</html>"),
    Refused(503, headers={"Retry-After": "2"}),
    Refused(529, "overloaded"),
    Refused(408),
    Reset(),
    Reset(after=40),
    Raw(b"<html>not JSON</html>"),
    Raw(b""),
    Raw(b'{"choices": []}'),
    Said('{"word": "ye', finish="error"),
    Raw(b'{"error": {"code": 502, "message": "upstream"}}'),
    Raw(b'{"choices": "x"}'),
]


@pytest.mark.parametrize("reply", PASSING)
def test_a_fault_of_the_server_is_waited_for(reply: Reply) -> None:
    scene = Scene()
    with FakeModel([reply, reply, YES]) as server:
        answer = scene.ask(server)
    assert (answer.data, answer.usage.requests) == (YES, 3)
    assert len(scene.time.waits) == 2
    assert 0 < scene.time.waits[0] < scene.time.waits[1] or scene.time.waits == [2.0, 2.0]
    assert scene.said == []


@pytest.mark.parametrize("reply", PASSING)
def test_a_fault_that_stays_is_given_up(reply: Reply) -> None:
    with FakeModel(compute=lambda _: reply) as server:
        fault = Scene().fault(server)
        assert (fault.refusal, fault.usage.requests, len(server.questions)) == ("unreachable", 4, 4)
    assert f"127.0.0.1:{server.port}" in fault.detail


def test_a_server_that_has_answered_is_waited_for_longer() -> None:
    with FakeModel([YES], compute=lambda _: Refused(503)) as server:
        found = outcomes(Scene().model(server), prompt("1"), prompt("2"))
        assert isinstance(found[1], ModelFault)
        assert found[1].usage.requests == 7


def test_nobody_listens() -> None:
    scene = Scene()
    fault = scene.fault(closed_address())
    assert fault.refusal == "unreachable"
    assert "cannot be reached" in fault.detail


def test_a_slow_answer_is_not_waited_for_longer_than_told() -> None:
    with FakeModel([Slow(30.0)], compute=lambda _: YES) as server:
        answer = Scene().ask(server, timeout=3.0)  # in which a busy machine answers too
        assert (answer.data, answer.usage.requests) == (YES, 2)
    with FakeModel(compute=lambda _: Slow(30.0)) as server:
        fault = Scene().fault(server, timeout=0.2)
        assert (fault.refusal, fault.usage.requests) == ("unreachable", 2)
        assert "did not answer within 0.2 seconds" in fault.detail


def test_an_endless_answer_is_not_read_to_its_end() -> None:
    with FakeModel(compute=lambda _: Raw(b" " * (LARGEST + 1))) as server:
        fault = Scene().fault(server)
    assert fault.refusal == "unreachable"
    assert "more than 8 MB" in fault.detail


def test_waits_grow_are_bounded_and_differ() -> None:
    seen = set()
    for chance in (0.0, 0.5, 1.0):
        scene = Scene()
        with FakeModel(compute=lambda _: Refused(500)) as server:
            scene.fault(server, clock=scene.time.clock(chance), patience=Patience(tries_first=9))
        assert scene.time.waits == sorted(scene.time.waits)
        assert max(scene.time.waits) <= 30
        seen.add(tuple(scene.time.waits))
    assert len(seen) == 3


# --- limits ----------------------------------------------------------------------------------------------------------


def test_a_limit_is_waited_for_as_long_as_the_server_asks() -> None:
    scene = Scene()
    with FakeModel([Refused(429, headers={"Retry-After": "17"}), YES]) as server:
        assert scene.ask(server).usage.requests == 2
    assert 17 <= scene.time.waits[0] <= 18
    assert len(scene.said) == 1
    assert "too many requests: waiting 17 seconds" in scene.said[0]


@pytest.mark.parametrize("headers", [{}, {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, {"Retry-After": "-5"}])
def test_a_limit_without_a_time_is_waited_for_longer_each_time(headers: dict[str, str]) -> None:
    scene = Scene()
    with FakeModel([*[Refused(429, headers=headers)] * 4, YES]) as server:
        assert scene.ask(server).usage.requests == 5
    waits = [wait for wait in scene.time.waits if wait]
    assert waits == sorted(waits)
    assert waits[-1] > 2 * waits[0] > 0


def test_a_limit_that_takes_too_long_is_given_up() -> None:
    scene = Scene()
    with FakeModel(compute=lambda _: Refused(429, headers={"Retry-After": "3600"})) as server:
        fault = scene.fault(server)
        assert (fault.refusal, len(server.questions), scene.time.waits) == ("limited", 1, [])
    with FakeModel(compute=lambda _: Refused(429)) as server:
        fault = scene.fault(server)
        assert fault.refusal == "limited"
        assert sum(scene.time.waits) <= 330


def test_a_limit_is_not_waited_for_long_where_there_is_another_endpoint() -> None:
    scene = Scene()
    with FakeModel([Refused(429, headers={"Retry-After": "60"})]) as first, FakeModel([YES]) as second:
        assert scene.ask(first, second).endpoint.endswith(str(second.port))
    assert scene.time.waits == []


def test_while_a_server_rests_no_other_question_goes_to_it() -> None:
    scene = Scene()
    with FakeModel([Refused(429, headers={"Retry-After": "10"})], compute=lambda _: YES) as server:
        model = scene.model(server, slots=1)
        found = at_once(model, [prompt(f"{number}") for number in range(5)])
        assert not any(isinstance(one, ModelFault) for one in found)
        assert len(server.questions) == 6


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Refused(401, "Incorrect API key provided: sk-12345678."), "does not accept the key"),
        (Refused(403, "country not supported"), "does not accept the key"),
        (Refused(402, "Insufficient Balance"), "account has nothing left"),
        (
            Refused(429, "You exceeded your current quota, please check your plan.", "insufficient_quota"),
            "nothing left",
        ),
        (Refused(404, "The model `fake` does not exist"), "does not have the model"),
        (Refused(404, "Not Found"), "no chat API"),
        (Refused(302, headers={"Location": "http://127.0.0.1:9/"}), "elsewhere"),
    ],
)
def test_what_no_later_try_can_mend_is_left_at_once(reply: Reply, words: str) -> None:
    scene = Scene()
    with FakeModel(compute=lambda _: reply) as first, FakeModel(compute=lambda _: YES) as second:
        done(scene.model(first, second), prompt("1"), prompt("2"))
        assert len(first.questions) == 1
    assert len(scene.said) == 1
    assert words in scene.said[0]
    assert "sk-" not in scene.said[0]
    assert scene.time.waits == []
