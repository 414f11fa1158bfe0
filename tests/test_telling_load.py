"""A long day keeps a model's server busy, from prompts to checked statements, and holds no more memory than a short one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from daybreak.judge.interface import Judgement
from daybreak.prose.llm.endpoints import Endpoint
from daybreak.prose.model_prose import Telling, Wanted
from daybreak.prose.questions import Asker
from llm.test_throughput import ENOUGH, resident, server, stats
from model_scene import Scene
from timing import beside, cpu
from told_days import change, entry, file, patch, report, repository

GOOD = json.dumps({"hit": "default", "severity": "internal", "lost": [], "fault": [], "wrong_findings": [], "tells": [{
    "role": "what", "zh": "`old` 换成 `new`。", "en": "`old` gives way to `new`.",
    "spans": [{"at": "D1", "line": "old"}],
}]})  # fmt: skip


EMPTY = '{"tells": [], "hit": "nobody", "severity": "internal", "lost": [], "fault": [], "wrong_findings": []}'


def long_day(changes: int) -> Judgement:
    """Changes of sixty hunks' lines each, all above the grade."""
    entries = []
    for n in range(changes):
        lines = [line for k in range(60) for line in (f"-a_{n}_{k} = old({k})", f"+a_{n}_{k} = new({k})", " keep()")]
        one = change(n + 1, f"Use new in part {n}", "Old is gone.", [file(f"engine/part_{n}.py", patch(*lines))])
        entries.append(entry(one, score=0.3 + n / 10_000))
    return report(repository(entries))


def told(url: str, slots: int, day: Judgement) -> Judgement:
    model = Scene().model(Endpoint(url, "fake"), slots=slots, timeout=60.0)
    teller = Telling(lambda: model, Asker(("zh", "en")), Wanted(slots=slots))
    try:
        return teller.tell(day)
    finally:
        teller.close()


def busiest(latency: float, slots: int, asking: int, changes: int, enough: float) -> float:
    """The best of three: what else the machine does meanwhile is not ours."""
    best, day = 0.0, long_day(changes)
    with server(latency, slots, EMPTY) as url:
        told(url, asking, long_day(1))  # imports are not what is measured
        for _ in range(3):
            stats(url, "forget")
            found = told(url, asking, day)
            assert found.retelling is not None
            assert len(found.retelling.left) == changes
            counted = stats(url)
            assert counted["most_at_once"] == slots
            best = max(best, counted["busy"])
            if best >= enough:
                break
    return best


def test_all_slots_are_used_and_a_change_takes_less_work_than_a_slot_has_time() -> None:
    """In CPU time, and beside other work: 32 slots with answers each second leave 31 ms a change."""
    with server(0.2, 8, GOOD) as url:
        told(url, 10, long_day(1))  # imports are not what is measured
        day = long_day(48)
        spent = cpu(lambda: told(url, 10, day))
    assert spent / 48 < beside(0.031)
    with server(4.0, 8, GOOD) as url:  # all are asked before the first answers, on a busy machine too
        told(url, 10, long_day(8))
        assert stats(url)["most_at_once"] == 8


@pytest.mark.soak
def test_three_hundred_changes_keep_32_slots_busy() -> None:
    assert busiest(latency=1.0, slots=32, asking=36, changes=300, enough=ENOUGH) >= ENOUGH


@pytest.mark.soak
@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="this machine: no /proc: the memory of a process cannot be told"
)
def test_memory_stays_flat() -> None:
    with server(0.0, 32, EMPTY) as url:
        day = long_day(300)
        told(url, 32, day)
        before = resident()
        for _ in range(5):
            told(url, 32, day)
        assert resident() - before < 20 << 20
