"""What servers count is what is told, also of answers that were thrown away; a budget is not overdrawn."""

from __future__ import annotations

import pytest

from daybreak.prose.llm import Answer, ModelFault, Usage
from daybreak.prose.llm.asking import Purse, Spent
from daybreak.prose.llm.endpoints import Endpoint
from fake_model import Asked, FakeModel, Refused, Reply, Reset, Said
from model_scene import Kept, Scene, at_once, done, outcomes, prompt

YES = {"word": "yes"}


def some_trouble(asked: Asked) -> Reply:
    """A bit of everything, the same for the same question and try."""
    again = "could not be used" in asked.user
    faults: list[Reply] = [
        YES,
        Said("no JSON"),
        Said(None, refusal="no"),
        Said('{"word', finish="length"),
        Said(YES),
        Said(""),
        Refused(400, "prompt is too long"),
        YES,
    ]
    number = int(asked.user.split()[1])
    return YES if again and number % 3 else faults[number % len(faults)]


def test_sums_equal_what_the_server_reported_and_the_parts_equal_the_sums() -> None:
    told: dict[str, Spent] = {}
    purse = Purse(told=lambda spent: told.__setitem__(spent.model, spent))
    with FakeModel(compute=some_trouble) as server:
        priced = Endpoint(server.url, "fake", price_in=2.0, price_out=10.0)
        found = at_once(Scene().model(priced, purse=purse), [prompt(f"question {n}") for n in range(60)])
        (spent,) = purse.spent
        assert (spent.prompt_tokens, spent.completion_tokens) == (server.prompt_tokens, server.completion_tokens)
        assert spent.requests == len(server.questions)
    assert told == {"fake": spent}
    assert spent.money == pytest.approx((2.0 * spent.prompt_tokens + 10.0 * spent.completion_tokens) / 1e6)
    parts = [one.usage for one in found]
    assert sum(part.requests for part in parts) == spent.requests
    assert sum(part.prompt_tokens for part in parts) == spent.prompt_tokens
    assert sum(part.completion_tokens for part in parts) == spent.completion_tokens
    assert sum(part.money or 0.0 for part in parts) == pytest.approx(spent.money)
    kinds = {one.refusal for one in found if isinstance(one, ModelFault)}
    assert {"malformed", "refused", "cut", "empty", "too_long"} <= kinds


def test_a_second_run_costs_nothing_counts_its_hits_and_tells_the_first_cost() -> None:
    kept = Kept()
    questions = [prompt(f"question {n}") for n in range(60)]
    with FakeModel(compute=some_trouble) as server:
        first = at_once(Scene(kept).model(server), questions)
        asked = len(server.questions)
        again = Scene(kept).model(server)
        second = at_once(again, questions)
        assert len(server.questions) == asked
    assert again.purse.spent == (Spent("fake", hits=60),)
    assert [one.usage for one in second] == [one.usage for one in first]
    assert [isinstance(one, Answer) for one in second] == [isinstance(one, Answer) for one in first]
    assert [getattr(one, "refusal", "") for one in second] == [getattr(one, "refusal", "") for one in first]


def test_a_forced_run_asks_each_question_once_and_pays_for_it_once() -> None:
    kept = Kept()
    with FakeModel(compute=lambda _: Said(YES, usage=(100, 20))) as server:
        Scene(kept).ask(server)
        purse = Purse(tokens=400)
        done(Scene(kept).model(server, force=True, purse=purse), prompt("one"), prompt("two"), prompt("one"))
        assert len(server.questions) == 3
    assert purse.spent == (Spent("fake", 2, 200, 40, hits=1, stages={"write": Usage(2, 200, 40)}),)


def test_costs_are_told_by_stage() -> None:
    tasks = (
        "triage",
        "change",
        "change_small",
        "change+repair",
        "day+repair",
        "critic",
        "repository",
        "day",
        "batch",
    )
    purse = Purse()
    with FakeModel(compute=lambda _: Said(YES, usage=(100, 20))) as server:
        done(Scene().model(server, purse=purse), *(prompt(task, task=task) for task in tasks))
    (spent,) = purse.spent
    assert {stage: one.requests for stage, one in spent.stages.items()} == {
        "triage": 1,
        "write": 2,
        "repair": 2,
        "critic": 1,
        "day": 2,
        "batch": 1,
    }
    assert sum(one.prompt_tokens for one in spent.stages.values()) == spent.prompt_tokens == 900


def test_a_forced_question_that_failed_is_not_paid_for_twice_either() -> None:
    kept = Kept()
    with FakeModel(compute=lambda _: Said(None, refusal="no")) as server:
        model = Scene(kept).model(server, force=True)
        first, second = outcomes(model, prompt(), prompt())
        assert len(server.questions) == 1
    assert isinstance(first, ModelFault)
    assert isinstance(second, ModelFault)
    assert (first.refusal, first.usage) == (second.refusal, second.usage)
    assert model.purse.spent[0].hits == 1


def test_without_prices_there_is_no_money() -> None:
    with FakeModel([YES]) as server:
        assert Scene().ask(server).usage.money is None
        server.say(YES)
        assert Scene().ask(Endpoint(server.url, "fake", price_in=0.0, price_out=0.0)).usage.money == 0.0


@pytest.mark.parametrize(
    "usage",
    [
        b"null",
        b'"x"',
        b'{"prompt_tokens": -5, "completion_tokens": "9"}',
        b'{"prompt_tokens": null}',
        b'{"prompt_tokens": true}',
    ],
)
def test_a_strange_count_counts_as_none(usage: bytes) -> None:
    from fake_model import Raw

    body = (
        b'{"choices":[{"message":{"content":"{\\"word\\": \\"yes\\"}"},"finish_reason":"stop"}],"usage":' + usage + b"}"
    )
    with FakeModel([Raw(body), Raw(body)], compute=lambda _: YES) as server:
        answer = Scene().ask(server)
    assert answer.data == YES
    assert answer.usage.prompt_tokens in (0, server.prompt_tokens)


# --- budget ----------------------------------------------------------------------------------------------------------


def test_tokens_stay_within_the_budget_and_the_first_questions_are_served() -> None:
    purse = Purse(tokens=2000)
    with FakeModel(compute=lambda _: YES, latency=0.01) as server:
        found = at_once(Scene().model(server, purse=purse, slots=4), [prompt(f"question {n}") for n in range(200)])
        used = server.prompt_tokens + server.completion_tokens
    assert 1700 <= used <= 2000
    answered = [isinstance(one, Answer) for one in found]
    assert answered == sorted(answered, reverse=True)
    assert {one.refusal for one in found if isinstance(one, ModelFault)} == {"budget"}


def test_money_stays_within_the_budget() -> None:
    purse = Purse(money=0.01)
    with FakeModel(compute=lambda _: Said(YES, usage=(100, 20))) as server:
        priced = Endpoint(server.url, "fake", price_in=1.0, price_out=5.0)
        found = at_once(Scene().model(priced, purse=purse), [prompt(f"question {n}") for n in range(100)])
    (spent,) = purse.spent
    assert spent.money is not None
    assert 0.009 <= spent.money <= 0.01
    assert sum(isinstance(one, Answer) for one in found) == spent.requests < 100


def test_a_question_larger_than_the_budget_is_not_asked() -> None:
    with FakeModel(compute=lambda _: YES) as server:
        fault = Scene().fault(server, purse=Purse(tokens=20))
        assert (fault.refusal, fault.usage, server.asked) == ("budget", Usage(), [])


def test_what_is_kept_needs_no_budget() -> None:
    kept = Kept()
    with FakeModel([YES]) as server:
        Scene(kept).ask(server)
        assert Scene(kept).ask(server, purse=Purse(tokens=1)).data == YES


def test_a_second_try_needs_budget_as_well_and_the_first_one_is_counted() -> None:
    with FakeModel(compute=lambda _: Said("no", usage=(150, 60))) as server:
        fault = Scene().fault(server, purse=Purse(tokens=250))
        assert (fault.refusal, fault.usage.requests, fault.usage.prompt_tokens) == ("budget", 1, 150)


@pytest.mark.parametrize("reply", [Refused(500), Reset(), Refused(400, "prompt is too long")])
def test_a_request_that_fails_gives_its_share_back(reply: Reply) -> None:
    purse = Purse(tokens=300)
    with FakeModel([reply], compute=lambda _: YES) as server:
        found = at_once(Scene().model(server, purse=purse, slots=1), [prompt("1"), prompt("2")])
    assert not any(isinstance(one, ModelFault) and one.refusal == "budget" for one in found)


def test_an_answer_without_a_count_is_feared_to_be_dear() -> None:
    purse = Purse(tokens=400)
    with FakeModel(compute=lambda _: Said(YES, counted=False)) as server:
        found = at_once(Scene().model(server, purse=purse), [prompt(f"question {n}") for n in range(9)])
        assert 0 < len(server.questions) < 9
    assert isinstance(found[-1], ModelFault)
    assert purse.spent[0].prompt_tokens == 0
