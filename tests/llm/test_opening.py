"""From the config to a model: mistakes are one sentence with a tip, and no key is ever shown."""

from __future__ import annotations

import logging
import pickle
import sys
import traceback
from pathlib import Path

import pytest

from daybreak.core.config import load
from daybreak.core.config.sections import AnalystConfig, BudgetConfig, CriticConfig, EndpointConfig
from daybreak.core.errors import ConfigError, DaybreakError
from daybreak.prose.llm import ModelFault
from daybreak.prose.llm.endpoints import Endpoint, endpoint_of
from daybreak.prose.llm.opening import look_at, open_critic, open_model
from fake_model import FakeModel, Raw, Refused, closed_address
from model_scene import Kept, Scene, outcomes, prompt, run

YES = {"word": "yes"}
KEY = "sk-very-secret-0123456789"


def read(tmp_path: Path, text: str) -> AnalystConfig:
    path = tmp_path / "daybreak.toml"
    path.write_text(text, encoding="utf-8")
    return load(path, {}, {}).config.analyst


WHOLE = """
[analyst]
kind = "llm"
base_url = "https://api.deepseek.com/v1"
model = "deepseek-chat"
api_key_env = "DEEPSEEK_API_KEY"
structured = "json_object"
price_in = 0.27
price_out = 1.1
context = 64000
grade = "high"
slots = 32
timeout = 60
currency = "CNY"
budget = { tokens = 1000000, money = 2.5 }

[[analyst.endpoint]]
base_url = "http://127.0.0.1:8000/v1"
model = "Qwen/Qwen3-32B"
price_in = 0
price_out = 0

[analyst.critic]
model = "judge"
price_in = 1
price_out = 1
"""


def test_the_whole_table_is_read(tmp_path: Path) -> None:
    config = read(tmp_path, WHOLE)
    assert [one.model for one in config.endpoints] == ["deepseek-chat", "Qwen/Qwen3-32B"]
    assert (config.grade, config.slots, config.timeout, config.currency) == ("high", 32, 60.0, "CNY")
    assert (config.budget.tokens, config.budget.money) == (1_000_000, 2.5)
    assert config.critic.model == "judge"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("gradd = 'high'", "'grade'"),
        ("[[analyst.endpoint]]\nmodle = 'x'", "'model'"),
        ("[analyst.critic]\nprice = 1", "'price_in'"),
        ("budget = { token = 1 }", "'tokens'"),
        ("budget = 5", "analyst.budget"),
        ("grade = 'top'", "analyst.grade"),
        ("slots = 0", "analyst.slots"),
        ("timeout = 0", "analyst.timeout"),
        ("timeout = nan", "analyst.timeout"),
        ("budget = { tokens = -1 }", "analyst.budget"),
        ("budget = { money = nan }", "analyst.budget"),
        ("model = 'm'\nbudget = { money = 1.0 }", "prices of every endpoint"),
        ("base_url = 'localhost:8000'", "analyst.base_url"),
        ("base_url = 'file:///etc/passwd'", "analyst.base_url"),
        ("base_url = 'https://user:secret@host/v1'", "holds a user or a password"),
        ("base_url = 'http://host:99999/v1'", "analyst.base_url"),
        ("api_key_env = 'sk-12345'", "not the name of an environment variable"),
        ("structured = 'xml'", "analyst.structured"),
        ("extra = { stream = true }", "analyst.extra: 'stream' is ours"),
        ("extra = { at = 2026-01-01 }", "analyst.extra holds what JSON cannot say"),
        ("price_in = -1", "price"),
        ("context = -1", "analyst.context"),
        ('model = "a\\nb"', "analyst.model"),
        ("[[analyst.endpoint]]\nbase_url = 'http://a'", "analyst.endpoint 1 names no model"),
        ("[[analyst.endpoint]]\nmodel = 'a'\napi_key_env = 'sk-12345'", "analyst.endpoint 1.api_key_env"),
    ],
)
def test_a_mistake_names_its_key_and_repeats_no_secret(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, f"[analyst]\n{text}\n")
    assert words in f"{caught.value.message} {caught.value.tip}"
    assert caught.value.tip
    assert "sk-12345" not in f"{caught.value.message} {caught.value.tip}"
    assert "secret" not in caught.value.message


def test_a_run_without_any_key_is_refused_at_once_but_not_offline() -> None:
    config = AnalystConfig(kind="llm", model="m", api_key_env="NO_SUCH_KEY")
    with pytest.raises(ConfigError, match="NO_SUCH_KEY is not set"):
        open_model(config, {}, Kept(), print)
    open_model(config, {}, Kept(), print, offline=True)
    open_model(config, {"NO_SUCH_KEY": "x"}, Kept(), print)


def test_a_missing_client_gives_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ConfigError) as caught:
        open_model(AnalystConfig(kind="llm", model="m"), {}, Kept(), print)
    assert "[llm]" in caught.value.tip


def test_the_critic_pays_from_the_same_purse() -> None:
    with FakeModel(compute=lambda _: YES, models=("m", "judge")) as server:
        config = AnalystConfig(base_url=server.url, model="m", critic=CriticConfig(model="judge"))
        model = open_model(config, {}, Kept(), print)
        critic = open_critic(config, {}, Kept(), print, model)
        assert critic is not None

        async def both() -> None:
            await model.ask(prompt())
            await critic.ask(prompt())
            await model.close()
            await critic.close()

        run(both())
        assert [(spent.model, spent.requests) for spent in model.purse.spent] == [("judge", 1), ("m", 1)]
        off = AnalystConfig(model="m", critic=CriticConfig(ask=False))
        assert open_critic(off, {}, Kept(), print, model) is None
        assert open_critic(AnalystConfig(model="m"), {}, Kept(), print, model) is model


def test_the_budget_of_the_config_is_the_runs() -> None:
    with FakeModel(compute=lambda _: YES) as server:
        config = AnalystConfig(base_url=server.url, model="fake", budget=BudgetConfig(tokens=10))
        (found,) = outcomes(open_model(config, {}, Kept(), print), prompt())
        assert isinstance(found, ModelFault)
        assert (found.refusal, server.asked) == ("budget", [])


# --- keys ------------------------------------------------------------------------------------------------------------


def keyed(server: FakeModel | str) -> Endpoint:
    url = server if isinstance(server, str) else server.url
    return endpoint_of(EndpointConfig(base_url=url, model="fake", api_key_env="THE_KEY"), {"THE_KEY": KEY})


def test_the_key_goes_to_the_server_and_nowhere_else(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    scene = Scene()
    echo = Raw(f'{{"error": "{KEY}"}}'.encode())
    replies = [YES, Refused(401, f"Incorrect API key provided: {KEY}"), Refused(500, KEY), echo, Refused(400, KEY)]
    shown = ""
    for reply in replies:
        with FakeModel(compute=lambda _, reply=reply: reply, key=KEY) as server:  # type: ignore[misc]
            (found,) = outcomes(scene.model(keyed(server)), prompt(repr(reply)[:20]))
            shown += repr(found)
            if isinstance(found, ModelFault):
                shown += "".join(traceback.format_exception(found))
            assert server.questions[0].headers["authorization"] == f"Bearer {KEY}"
    shown += f"{scene.said} {dict(scene.kept)} {caplog.text}"
    assert len(scene.said) == 1
    assert KEY not in shown
    assert KEY[3:] not in shown


def test_an_endpoint_with_a_key_is_neither_printed_nor_pickled_with_it() -> None:
    endpoint = keyed("http://a/v1")
    assert KEY not in f"{endpoint} {endpoint!r}"
    with pytest.raises(TypeError):
        pickle.dumps(endpoint)


def test_variables_for_openais_own_server_do_not_reach_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-1")
    monkeypatch.setenv("OPENAI_BASE_URL", closed_address())
    with FakeModel([YES]) as server:
        Scene().ask(server)
        assert server.questions[0].headers["authorization"] == "Bearer -"
        heads = str(server.questions[0].headers)
    assert not any(secret in heads for secret in (KEY, "org-1", "project-1"))


def test_a_redirect_is_not_followed_with_the_key() -> None:
    with FakeModel(compute=lambda _: YES) as other:
        moved = Refused(307, headers={"Location": f"{other.url}/chat/completions"})
        with FakeModel(compute=lambda _: moved) as server:
            outcomes(Scene().model(keyed(server)), prompt())
        assert other.asked == []


# --- the doctor ------------------------------------------------------------------------------------------------------


def test_the_doctor_tells_of_a_good_endpoint() -> None:
    with FakeModel(key=KEY, models=("other", "fake")) as server:
        told = run(look_at(keyed(server)))
    assert told == f"model fake at 127.0.0.1:{server.port}: reached, the key is accepted, the model is there"
    with FakeModel() as server:
        assert run(look_at(Endpoint(server.url, "fake"))).endswith("reached, the model is there")
        assert run(look_at(Endpoint(server.url, "fake"), offline=True)).endswith("not asked now")
        assert len(server.asked) == 1
    with FakeModel(models=("fake:latest",)) as server:
        assert run(look_at(Endpoint(server.url, "fake"))).endswith("the model is there")


def test_the_doctor_tells_what_is_wrong_without_the_key() -> None:
    with FakeModel(key="another", models=("fake",)) as server:
        with pytest.raises(DaybreakError, match="does not accept the key") as caught:
            run(look_at(keyed(server)))
        assert caught.value.tip
        assert KEY not in f"{caught.value.message} {caught.value.tip}"
    with FakeModel(models=("a", "b")) as server, pytest.raises(DaybreakError, match="does not list") as caught:
        run(look_at(keyed(server)))
    assert caught.value.tip == "It lists a, b."
    with pytest.raises(DaybreakError, match="cannot be reached") as caught:
        run(look_at(keyed(closed_address())))
    assert "base_url" in caught.value.tip
    with pytest.raises(DaybreakError, match="THE_KEY is not set"):
        run(look_at(endpoint_of(EndpointConfig(model="m", api_key_env="THE_KEY"), {})))


def test_a_server_that_lists_nothing_is_taken_as_it_is() -> None:
    with FakeModel(lists=False) as server:
        assert run(look_at(Endpoint(server.url, "fake"))).endswith("reached; it does not list its models")
