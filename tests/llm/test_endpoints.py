"""Several endpoints in order of preference: a dead one is left and that is said; what is kept of any of them is used."""

from __future__ import annotations

import pytest

from daybreak.core.config.sections import AnalystConfig, CriticConfig, EndpointConfig
from daybreak.core.errors import ConfigError
from daybreak.prose.llm import Answer, ModelFault
from daybreak.prose.llm.endpoints import Endpoint, critic_of, endpoints_of
from fake_model import FakeModel, Refused, Reply, Said, closed_address
from model_scene import Kept, Scene, at_once, done, outcomes, prompt

YES = {"word": "yes"}
MANY = [prompt(f"question {number}") for number in range(12)]


def test_a_dead_first_endpoint_is_left_after_a_few_failures_and_that_is_said_once() -> None:
    scene = Scene()
    dead = closed_address()
    with FakeModel(compute=lambda _: YES) as alive:
        model = scene.model(dead, alive)
        answers = done(model, *MANY)
    assert {answer.endpoint for answer in answers} == {f"127.0.0.1:{alive.port}"}
    assert len(scene.said) == 1
    assert scene.said[0].startswith("the model fake is left: 127.0.0.1:")
    assert scene.said[0].endswith(f"going on with fake at 127.0.0.1:{alive.port}")
    assert [told in scene.said[0] for told in model.left] == [True]
    assert [answer.usage.requests for answer in answers] == [3, 3, 3, *[1] * 9]


def test_a_dead_endpoint_costs_many_questions_at_once_no_more() -> None:
    scene = Scene()
    with FakeModel(compute=lambda _: Refused(500)) as sick, FakeModel(compute=lambda _: YES) as alive:
        found = at_once(scene.model(sick, alive, slots=4), MANY)
        assert all(isinstance(one, Answer) for one in found)
        assert len(sick.questions) < 2 * len(MANY)
    assert len(scene.said) == 1


def test_a_failure_now_and_then_does_not_make_an_endpoint_dead() -> None:
    scene = Scene()
    flaky: list[Reply] = [Refused(503), Refused(503), YES]
    with FakeModel(flaky * 12) as first, FakeModel(compute=lambda _: YES) as second:
        done(scene.model(first, second), *MANY)
        assert len(first.questions) == 18
    assert scene.said == []


def test_when_all_are_dead_it_is_soon_over() -> None:
    scene = Scene()
    found = outcomes(scene.model(closed_address(), closed_address()), *MANY)
    assert [one.refusal for one in found if isinstance(one, ModelFault)] == ["unreachable"] * 12
    assert len(scene.said) == 2
    assert scene.said[1].endswith("; no model is left")
    assert sum(one.usage.requests for one in found) == 3 * 2 + 3 * 4


def test_an_endpoint_without_its_key_is_passed_over() -> None:
    with FakeModel(compute=lambda _: YES) as first, FakeModel(compute=lambda _: YES) as second:
        keyless = Endpoint(first.url, "fake", key_env="MISSING_KEY")
        assert Scene().ask(keyless, second).endpoint.endswith(str(second.port))
        assert first.asked == []
        fault = Scene().fault(keyless)
    assert (fault.refusal, fault.usage.requests) == ("unreachable", 0)
    assert "MISSING_KEY is not set" in fault.detail


# --- kept answers ----------------------------------------------------------------------------------------------------


def test_a_second_run_asks_nothing_and_says_the_same() -> None:
    kept = Kept()
    with FakeModel(compute=lambda asked: {"word": asked.user}) as server:
        first = done(Scene(kept).model(server), *MANY)
        assert len(server.questions) == 12
        second = done(Scene(kept).model(server), *MANY)
        assert len(server.questions) == 12
    assert [answer.data for answer in second] == [answer.data for answer in first]
    assert [answer.usage for answer in second] == [answer.usage for answer in first]
    assert {answer.kept for answer in first} == {False}
    assert {answer.kept for answer in second} == {True}


def test_an_answer_of_any_endpoint_is_used_before_anything_is_asked() -> None:
    kept = Kept()
    with FakeModel(models=("other",), compute=lambda _: YES) as second:
        done(Scene(kept).model(closed_address(), Endpoint(second.url, "other")))
    with FakeModel(compute=lambda _: YES) as first:
        answer = Scene(kept).ask(first, Endpoint(second.url, "other"))
        assert (answer.model, answer.kept, first.asked) == ("other", True, [])


def test_faults_of_content_are_kept_with_what_they_cost() -> None:
    kept = Kept()
    with FakeModel([Said("no"), Said("no")]) as first, FakeModel([YES], models=("other",)) as second:
        other = Endpoint(second.url, "other")
        made = done(Scene(kept).model(first, other))[0]
        again = done(Scene(kept).model(first, other))[0]
        assert (len(first.questions), len(second.questions)) == (2, 1)
        assert (made.usage, made.usage.requests, again.kept) == (again.usage, 3, True)
        alone = Scene(kept)
        fault = alone.fault(first)
    assert (fault.refusal, fault.kept, fault.usage.requests) == ("malformed", True, 2)
    assert len(first.questions) == 2


def test_faults_that_may_pass_are_not_kept() -> None:
    kept = Kept()
    with FakeModel([Refused(500)] * 4 + [Refused(429, headers={"Retry-After": "9999"}), YES]) as server:
        assert Scene(kept).fault(server).refusal == "unreachable"
        assert Scene(kept).fault(server).refusal == "limited"
        assert kept == {}
        assert Scene(kept).ask(server).data == YES
    assert len(kept) == 1


def test_force_asks_again_and_the_new_answer_counts() -> None:
    kept = Kept()
    with FakeModel([{"word": "old"}, {"word": "new"}]) as server:
        assert Scene(kept).ask(server).data == {"word": "old"}
        assert Scene(kept).ask(server, force=True).data == {"word": "new"}
        assert Scene(kept).ask(server).data == {"word": "new"}


def test_offline_only_what_is_kept_is_told() -> None:
    kept = Kept()
    with FakeModel([YES]) as server:
        assert Scene(kept).fault(server, offline=True).refusal == "unreachable"
        assert server.asked == []
        Scene(kept).ask(server)
        assert Scene(kept).ask(server, offline=True).kept
        assert len(server.questions) == 1


def test_a_kept_answer_that_is_no_longer_accepted_or_cannot_be_read_is_asked_for_again() -> None:
    kept = Kept()
    with FakeModel([{"word": "no"}, YES, YES]) as server:
        Scene(kept).ask(server)
        assert Scene(kept).ask(server, accept=lambda data: None if data == YES else "no").data == YES
        assert Scene(kept).ask(server).kept
        for key in kept:
            kept[key] = b"\xff nonsense"
        assert not Scene(kept).ask(server).kept


@pytest.mark.parametrize(
    "other",
    [
        prompt("another"),
        prompt(system="Other."),
        prompt(version="2"),
        prompt(task="other"),
        prompt(most=51),
        prompt(schema={"type": "object"}),
    ],
)
def test_whatever_makes_another_question_asks_anew(other: object) -> None:
    kept = Kept()
    with FakeModel(compute=lambda _: YES) as server:
        done(Scene(kept).model(server), prompt(), other)  # type: ignore[arg-type]
        assert len(server.questions) == 2
        Scene(kept).ask(Endpoint(server.url, "another-model"), server)
        assert len(server.questions) == 2


# --- config ----------------------------------------------------------------------------------------------------------


def test_the_short_form_comes_before_the_list() -> None:
    more = (EndpointConfig(base_url="http://b:1/v1/", model="two", api_key_env="TWO"),)
    config = AnalystConfig(model="one", endpoint=more, price_in=1.0, price_out=2.0)
    first, second = endpoints_of(config, {"TWO": " sk-2 "})
    assert (first.base_url, first.model, first.key, first.usable) == ("https://api.openai.com/v1", "one", None, True)
    assert (second.base_url, second.name, second.usable) == ("http://b:1/v1", "b:1", True)
    assert second.key is not None
    assert second.key.reveal() == "sk-2"
    assert "sk-2" not in repr(second)
    assert first.money(1_000_000, 500_000) == 2.0
    assert second.money(1, 1) is None
    assert not endpoints_of(config, {"TWO": ""})[1].usable


def test_no_model_is_an_error_with_a_tip() -> None:
    with pytest.raises(ConfigError, match="no model is named") as caught:
        endpoints_of(AnalystConfig(kind="llm"), {})
    assert "kind = 'rules'" in caught.value.tip


def test_a_critic_is_on_the_first_server_unless_it_names_its_own() -> None:
    environment = {"A": "key-a", "B": "key-b"}
    config = AnalystConfig(base_url="http://a/v1", model="one", api_key_env="A", critic=CriticConfig(model="judge"))
    found = critic_of(config, environment)
    assert found is not None
    assert (found.base_url, found.model, found.key_env) == ("http://a/v1", "judge", "A")
    own = CriticConfig(base_url="http://b/v1", model="judge", api_key_env="B")
    found = critic_of(AnalystConfig(model="one", critic=own), environment)
    assert found is not None
    assert (found.base_url, found.key_env) == ("http://b/v1", "B")
    assert critic_of(AnalystConfig(model="one"), environment) is None
    assert critic_of(AnalystConfig(model="one", critic=CriticConfig(model="judge", ask=False)), environment) is None
