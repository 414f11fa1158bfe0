"""A run that is killed loses the answers in flight and no more, and none is paid for twice after that."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest

from daybreak.prose.llm.asking import AskedModel, Purse, under_way
from daybreak.prose.llm.endpoints import Endpoint
from daybreak.store import MODEL, ModelCosts, open_store
from fake_model import FakeModel
from model_scene import prompt

STORE = "sqlite:///answers.db"
SLOTS = 8
QUESTIONS = 300


def work(base: Path, url: str, run: int, questions: int) -> None:
    """All questions, with the store that a run has."""
    with closing(open_store(STORE, base)) as store:
        purse = Purse(told=ModelCosts(store, run, "USD"))
        model = AskedModel([Endpoint(url, "fake")], store.model_answers, print, slots=SLOTS, purse=purse)

        async def ask() -> None:
            await asyncio.gather(*(model.ask(prompt(f"question {number}")) for number in range(questions)))
            await model.close()

        print("at work", flush=True)
        asyncio.run(ask())


def started(base: Path, url: str, run: int, questions: int) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, str(base), url, str(run), str(questions)]
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    environment = {**os.environ, "PYTHONPATH": paths}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)


def stored(base: Path) -> int:
    from daybreak.store.read_only import looked_at

    with looked_at(STORE, base) as store:
        return store.rows()["model_answers"] if store is not None else 0


def reported(base: Path) -> dict[str, float]:
    sums: dict[str, float] = {}
    with closing(open_store(STORE, base)) as store:
        for cost in (one for one in store.costs() if one.what.startswith(MODEL)):
            sums[cost.unit] = sums.get(cost.unit, 0.0) + cost.amount
        assert list(store.verify()) == []
    return sums


def killed(base: Path, kills: int, questions: int, seed: int) -> None:
    chance = random.Random(seed)
    with FakeModel(compute=lambda asked: {"word": asked.user[-100:]}, latency=0.03, slots=SLOTS) as server:
        for number in range(kills):
            had, asked = stored(base), len(server.questions)
            child = started(base, server.url, number + 1, questions)
            assert child.stdout is not None
            child.stdout.readline()
            with suppress(subprocess.TimeoutExpired):
                child.wait(chance.uniform(0.0, 1.5))
            child.send_signal(signal.SIGINT if number % 5 == 4 else signal.SIGKILL)
            child.wait()
            child.stdout.close()
            answered = len(server.questions) - asked
            assert answered - (stored(base) - had) <= under_way(SLOTS), "an answer was lost that was not in flight"
        work(base, server.url, kills + 1, questions)
        paid = len(server.questions)
        assert stored(base) == questions
        assert paid <= questions + kills * under_way(SLOTS)
        told = reported(base)
        assert paid - kills * under_way(SLOTS) <= told["requests"] <= paid
        assert told["prompt tokens"] <= server.prompt_tokens
        work(base, server.url, kills + 2, questions)
        assert len(server.questions) == paid


def test_a_killed_run_loses_only_what_was_in_flight(tmp_path: Path) -> None:
    killed(tmp_path, kills=3, questions=60, seed=7)


@pytest.mark.soak
def test_fifty_kills_at_random_moments(tmp_path: Path) -> None:
    killed(tmp_path, kills=50, questions=3 * QUESTIONS, seed=11)


if __name__ == "__main__":
    work(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
