"""Models as `doctor` and `status` tell of them: whether they can be had, and what they were used for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from cli.status_desk import Desk
from cli.test_status import ADDRESS, desk, filled
from contracts.conftest import opened
from daybreak.prose.llm.asking import AskedModel, Purse
from daybreak.prose.llm.endpoints import Endpoint
from daybreak.store import ModelCosts
from fake_model import FakeModel, Reply, Said, closed_address
from model_scene import at_once, prompt

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["desk", "filled"]  # fixtures of theirs
KEY = "sk-never-to-be-seen-1234"


@pytest.fixture
def doctor(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """The doctor's lines about models, with such an `[analyst]`."""
    monkeypatch.setenv("MODEL_KEY", KEY)

    def ask(analyst: str, *arguments: str) -> list[str]:
        (desk.folder / "daybreak.toml").write_text(f'timezone = "UTC"\n[analyst]\n{analyst}\n', encoding="utf-8")
        said = desk.ask("doctor", *arguments)[1]
        assert KEY not in said
        return [line for line in said.splitlines() if "model" in line]

    return ask


def test_the_doctor_has_a_line_for_each_model(doctor: Callable[..., list[str]]) -> None:
    with FakeModel(models=("good",), key=KEY) as server:
        text = f'kind = "llm"\nbase_url = "{server.url}"\nmodel = "good"\napi_key_env = "MODEL_KEY"\n'
        dead = closed_address()
        more = f'[[analyst.endpoint]]\nbase_url = "{dead}"\nmodel = "dead"\n[analyst.critic]\nmodel = "judge"\n'
        good, gone, judge = doctor(text + more)
        place = f"127.0.0.1:{server.port}"
    assert good == f"ok   model good at {place}: reached, the key is accepted, the model is there"
    assert gone.startswith("FAIL model dead: 127.0.0.1:")
    assert gone.endswith("cannot be reached. — Check base_url and whether the server runs.")
    assert judge == f"FAIL model judge: {place} does not list that model. — It lists good."


def test_the_doctor_tells_of_a_wrong_key_and_of_one_that_is_not_set(
    doctor: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeModel(key="another", models=("m",)) as server:
        text = f'kind = "llm"\nbase_url = "{server.url}"\nmodel = "m"\napi_key_env = "MODEL_KEY"\n'
        (line,) = doctor(text)
        assert line.startswith("FAIL model m: ")
        assert "does not accept the key (HTTP 401). — Check the key" in line
        monkeypatch.delenv("MODEL_KEY")
        (line,) = doctor(text)
    assert line.startswith("FAIL model m: MODEL_KEY is not set. — ")


def test_the_doctor_asks_nobody_offline_or_when_rules_write(doctor: Callable[..., list[str]]) -> None:
    with FakeModel(models=("m",)) as server:
        where = f'base_url = "{server.url}"\nmodel = "m"\n'
        (line,) = doctor(f'kind = "llm"\n{where}', "--offline")
        assert line.endswith("not asked now")
        assert doctor(f'kind = "rules"\n{where}') == []
        assert server.asked == []


def test_an_analyst_without_a_model_is_told(doctor: Callable[..., list[str]]) -> None:
    (line,) = doctor('kind = "llm"')
    assert line.startswith("FAIL analyst: The analyst is 'llm', and no model is named. — Add base_url")


def test_status_tells_what_the_server_counted_per_run_and_model(filled: Desk) -> None:
    """Two runs over one store: the second one is answered from the cache."""
    questions = [prompt(f"question {number}") for number in range(12)]
    replies: list[Reply] = [Said("nonsense"), {"word": "yes"}]
    with FakeModel(compute=lambda asked: replies["could not be used" in asked.user or asked.number % 3 > 0]) as server:
        for _ in range(2):
            with (
                closing(opened(ADDRESS, filled.folder)) as store,
                store.hold(),
                store.run("run 2026-01-19", "1") as run,
            ):
                purse = Purse(told=ModelCosts(store, run.id, "CNY"))
                priced = Endpoint(server.url, "fake", price_in=1.0, price_out=2.0)
                at_once(AskedModel([priced], store.model_answers, print, purse=purse), questions)
        asked, prompts, answers = len(server.questions), server.prompt_tokens, server.completion_tokens
    second, first, *_ = filled.data()["runs"]
    money = (prompts + 2 * answers) / 1e6
    assert first["models"] == [
        {
            "model": "fake",
            "requests": asked,
            "prompt_tokens": prompts,
            "completion_tokens": answers,
            "cache_hits": 0,
            "money": pytest.approx(money),
            "currency": "CNY",
        }
    ]
    assert [(m["requests"], m["prompt_tokens"], m["cache_hits"], m["money"]) for m in second["models"]] == [
        (0, 0, 12, None)
    ]
    said = filled.ask("status")[1]
    assert f"fake: {asked} requests, {prompts:,} + {answers:,} tokens, {money:.2g} CNY, 0 answers from the" in said
    assert "fake: 0 requests, 0 + 0 tokens, 12 answers from the cache" in said
    assert f"model fake: {prompts:,} prompt tokens (0)" in said
    assert asked > 12


def test_the_name_of_a_model_cannot_draw_on_the_terminal(filled: Desk) -> None:
    from daybreak.prose.llm.asking import Spent

    with closing(opened(ADDRESS, filled.folder)) as store, store.run("run", "1") as run:
        ModelCosts(store, run.id, "€\x1b[2J")(Spent("evil\x1b[31m\nname", 1, 2, 3, 4, 0.5))
    code, said = filled.ask("status")
    assert code == 0
    assert "\x1b" not in said
    assert "evil" in said
