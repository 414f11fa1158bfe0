"""A run that asks a model is killed at random moments: what was answered is never asked again, and the report is the same."""

from __future__ import annotations

import shutil
import signal
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from cli.place import DAY, Place
from daybreak.prose.llm.asking import under_way
from fake_model import Asked, FakeModel, Reply

COMMITS = 8
SLOTS = 4
UNDER_WAY = under_way(SLOTS)
"""Asked and not yet written down: a slot is free when its answer came, and takes the next question while it is written."""
PATIENCE = 60.0


def answer(asked: Asked) -> Reply:
    """One statement that stands and one that goes back, so that there are second questions too."""
    part = asked.user.partition("part_")[2].split(".")[0]
    name = f"value_{part}"
    if '{"tells"' not in asked.user:
        return {"statements": []}
    spans = [{"at": "D1", "line": f"{name} = compute({part})"}]
    good = {"role": "what", "spans": spans, "zh": f"新增 `{name}`。", "en": f"Adds `{name}`."}
    bad = {**good, "zh": "新增 `invented_name`。", "en": "Adds `invented_name`."}
    return {
        "tells": [good, bad],
        "hit": "nobody",
        "severity": "internal",
        "lost": [],
        "fault": [],
        "wrong_findings": [],
    }


class Server(FakeModel):
    """With a moment's latency, so that there is always something under way."""

    def __init__(self) -> None:
        super().__init__(compute=answer, latency=0.03)

    def waited(self, seconds: float) -> None:
        self._thread.join(seconds)


@pytest.fixture
def watched(place: Place) -> Place:
    for n in range(COMMITS):
        text = f"value_{n} = compute({n})\n"
        place.upstream.commit(f"Add value_{n} (#{n + 10})", {f"pkg/part_{n}.py": text}, at=f"{DAY}T11:{n:02}:00")
    return place


def configure(place: Place, server: Server) -> None:
    place.config(
        f'[analyst]\nkind = "llm"\ngrade = "low"\nslots = {SLOTS}\nbase_url = "{server.url}"\nmodel = "fake"\n'
    )


def start_anew(place: Place) -> None:
    for name in ("reports", ".daybreak"):
        shutil.rmtree(place.folder / name, ignore_errors=True)
    (place.folder / "README.md").unlink(missing_ok=True)


def asked_again(server: Server) -> int:
    """Questions that were asked more than once."""
    seen = Counter((one.system, one.user) for one in server.questions)
    return sum(count - 1 for count in seen.values())


def whole(place: Place, server: Server) -> tuple[dict[str, bytes], int]:
    """What a run without any trouble writes, and how many questions it takes."""
    configure(place, server)
    done = place.run("run", "--date", DAY)
    assert done.returncode == 0, done.stderr
    assert asked_again(server) == 0
    count = len(server.questions)
    server.asked.clear()
    return place.written(), count


def interrupted(place: Place, server: Server, after: int, how: signal.Signals) -> None:
    """The run, ended when the server has been asked so often since it began."""
    before = len(server.questions)
    process = place.start("run", "--date", DAY, "--quiet")
    try:
        while len(server.questions) - before < after and process.poll() is None:
            server.waited(0.005)
        process.send_signal(how)
        process.wait(PATIENCE)
    finally:
        process.kill()
        process.communicate()


def campaign(place: Place, kills: int, seed: int) -> None:
    chance = Random(seed)
    with Server() as server:
        expected, count = whole(place, server)
        assert count > COMMITS
        done = 0
        while done < kills:
            start_anew(place)
            server.asked.clear()
            rounds = min(chance.randint(1, 4), kills - done)
            for _ in range(rounds):
                how = chance.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM))
                interrupted(place, server, chance.randint(0, count // 2), how)
            finished = place.run("run", "--date", DAY, "--quiet")
            assert finished.returncode == 0, finished.stderr
            assert asked_again(server) <= rounds * UNDER_WAY
            assert len(server.questions) <= count + rounds * UNDER_WAY
            assert place.written() == expected
            done += rounds
        asked = len(server.questions)
        shutil.rmtree(place.folder / "reports")
        assert place.run("run", "--date", DAY, "--quiet").returncode == 0
        assert len(server.questions) == asked


def test_three_kills_lose_at_most_the_answers_under_way(watched: Place) -> None:
    campaign(watched, 3, seed=7)


@pytest.mark.soak
def test_fifty_kills_lose_at_most_the_answers_under_way(watched: Place) -> None:
    campaign(watched, 50, seed=2026)


def test_an_interrupted_run_says_so_and_leaves_no_half_report(watched: Place) -> None:
    with Server() as server:
        configure(watched, server)
        interrupted(watched, server, 3, signal.SIGINT)
        reports = Path(watched.folder / "reports")
        assert not reports.exists() or not list(reports.rglob("*.json"))
