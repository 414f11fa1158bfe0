"""Many questions keep the slots of a server busy, and what they held of memory is given back."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import fake_model
from daybreak.prose.llm.endpoints import Endpoint
from model_scene import Scene, prompt

ENOUGH = 0.95


@contextmanager
def server(latency: float, slots: int, answer: str = '{"word": "yes"}') -> Iterator[str]:
    """In a process of its own, so that it does not take turns with those who ask."""
    command = [sys.executable, fake_model.__file__, "--latency", str(latency), "--slots", str(slots)]
    command += ["--answer", answer]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    try:
        yield started.stdout.readline().strip()
    finally:
        started.terminate()
        started.wait()
        started.stdout.close()


def stats(url: str, name: str = "stats") -> dict[str, float]:
    with urllib.request.urlopen(f"{url.removesuffix('/v1')}/{name}") as answer:
        found: dict[str, float] = json.load(answer)
    return found


def resident() -> int:
    """Bytes that the process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def asked(url: str, slots: int, questions: int) -> None:
    scene = Scene()
    model = scene.model(Endpoint(url, "fake"), slots=slots, timeout=60.0)

    async def work() -> None:
        text = "A line of a diff that has to be told.\n" * 100
        asking = (model.ask(prompt(f"{number}\n{text}")) for number in range(questions))
        await asyncio.gather(*asking)
        await model.close()

    asyncio.run(work())
    assert len(scene.kept) == questions


def busiest(latency: float, slots: int, asking: int, questions: int, enough: float) -> float:
    """The best of several: what else the machine does meanwhile is not ours."""
    best = 0.0
    with server(latency, slots) as url:
        asked(url, asking, 1)  # imports are not what is measured
        for _ in range(8):
            stats(url, "forget")
            asked(url, asking, questions)
            found = stats(url)
            assert found["most_at_once"] == slots
            best = max(best, found["busy"])
            if best >= enough:
                break
    return best


def test_the_slots_of_a_server_are_kept_busy() -> None:
    assert busiest(latency=0.25, slots=8, asking=9, questions=64, enough=0.85) >= 0.85


@pytest.mark.soak
def test_three_hundred_changes_keep_32_slots_busy() -> None:
    """Four more are asked than the server works on at a time, so that it need not wait for the next one."""
    assert busiest(latency=1.0, slots=32, asking=36, questions=300, enough=ENOUGH) >= ENOUGH


@pytest.mark.soak
@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="this machine: no /proc: the memory of a process cannot be told"
)
def test_memory_stays_flat() -> None:
    with server(latency=0.0, slots=32) as url:
        asked(url, 32, 300)
        before = resident()
        for _ in range(10):
            asked(url, 32, 300)
        assert resident() - before < 20 << 20
