"""A simulated world: two upstreams, GitHub, a model, a notifier, a store, a disk and a clock; and two places that report on it.

Each morning both report the day before. Nothing happens to the calm one. For the other one faults are drawn: its reports
must be those of the calm one, or name what is missing and be completed by a later morning.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Self

import pytest

import program
from contracts.conftest import opened
from daybreak.collect.github import client as github_client
from daybreak.collect.github import source as github_source
from daybreak.core import git_watch
from daybreak.core.git_watch import Limits
from daybreak.deliver.notify import delivery
from daybreak.prose.llm import asking
from daybreak.store import postgres as store_on_postgres
from fake_github import Server
from fake_model import FakeModel
from faults.test_failing_git import without_completion
from faults.test_hanging_store import Proxy
from model_scene import SetClock
from notify import services
from simulation import draws
from simulation.peers import DISK, Gits, GitServer, say
from simulation.upstreams import NAMES, Upstream, label, midnight

TOKEN = "ghp_" + "Zt9" * 12
SHORT = Limits(silence=1.5, asking=1.5, transfer=60.0, reading=60.0)
BACK = 6
"""Days before that each morning looks at again."""
OLD = 30
"""Days after which no run looks at one again, whatever its clock says."""
Pages = dict[str, bytes]


@dataclass
class Place:
    """A folder with the config of a user."""

    folder: Path
    store: str

    def run(self, number: int, now: datetime) -> subprocess.CompletedProcess[str]:
        days = ("--since", label(max(0, number - BACK)), "--until", label(number + 1))
        env = {"DAYBREAK_NOW": now.isoformat(), "GITHUB_TOKEN": TOKEN}
        return program.run("run", *days, cwd=self.folder, env=env)

    def pages(self, since: str) -> Pages:
        """Of days that no run makes anew a digest is enough: a year of pages would be most of what is held here."""
        found: Pages = {}
        for path in (self.folder / "reports").rglob("*"):
            if path.is_file():
                name, data = str(path.relative_to(self.folder)), path.read_bytes()
                found[name] = data if _label(name) >= since else sha256(data).digest()
        return found


@dataclass
class World:
    """Everything, from one seed."""

    root: Path
    seed: int
    store: str = "sqlite:///.daybreak/daybreak.db"
    faults: int = 3
    told: list[str] = field(default_factory=list)
    """What was done to the other place, morning by morning."""
    counted: dict[str, int] = field(default_factory=dict)
    """Ends of its mornings."""

    def __post_init__(self) -> None:
        self.chance = Random(self.seed)
        self.number, self.gits, self.now = -1, Gits(), midnight(0)
        self._held = ExitStack()

    def __enter__(self) -> Self:
        held = self._held
        self.github = held.enter_context(Server(now=midnight(0)))
        self.github.add_token(TOKEN, name="ours", core=100_000, graphql=100_000, search=10_000)
        self.upstreams = [Upstream(self.root, name, self.github) for name in NAMES]
        self.model = held.enter_context(FakeModel(compute=say))
        self.hook = held.enter_context(services.running("json"))
        self.server = GitServer(self.root)
        held.callback(self.server.close)
        held.callback(DISK.clear)
        self._patch(held.enter_context(pytest.MonkeyPatch.context()))
        self.proxy = Proxy(self.store) if self.store.startswith("postgresql") else None
        """Between the other place and its store, where that is a server."""
        if self.proxy:
            held.callback(self.proxy.close)
        self.calm = self._place("calm", "sqlite:///.daybreak/daybreak.db")
        self.other = self._place(
            "other",
            self.proxy.url if self.proxy else self.store,
            f'[notify]\npatience = 1\n[[notify.target]]\nurl = "{self.hook.url}"\n',
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def _patch(self, patch: pytest.MonkeyPatch) -> None:
        """Waits take no time, and the gits that are started can be made to fail."""
        clock, time = github_client.Clock, delivery.Time
        patch.setattr(github_source, "Clock", lambda now, _, chance: clock(now, self._wait, chance))
        patch.setattr(asking, "Clock", lambda: SetClock().clock())
        patch.setattr(delivery, "Time", lambda: time(lambda: self.now, self._wait, lambda: 0.0))
        patch.setattr("daybreak.core.git_program.subprocess.Popen", self.gits.popen())
        self._limits = patch

    def set_limits(self, limits: Limits) -> None:
        """Seconds that gits are given."""
        self._limits.setattr(git_watch, "LIMITS", limits)

    def set_silence(self, seconds: float) -> None:
        """Seconds that a store on a server is waited for."""
        self._limits.setattr(store_on_postgres, "SILENCE", seconds)

    def _wait(self, seconds: float) -> None:
        self.github.advance(seconds)

    def _place(self, name: str, store: str, more: str = "") -> Place:
        place = Place(self.root / name, store)
        place.folder.mkdir()
        addresses = (f"git://127.0.0.1:{self.server.port}/served.git", f"{self.root}/borrowed.git")
        rows = "".join(f'[[repo]]\nname = "{n}"\ngit = "{a}"\n' for n, a in zip(NAMES, addresses, strict=True))
        model = f'[analyst]\nkind = "llm"\ngrade = "low"\nbase_url = "{self.model.url}"\nmodel = "fake"\n'
        text = (
            f'timezone = "UTC"\nstore = "{store}"\n{rows}[github]\napi = "{self.github.url}"\nask = true\n{model}{more}'
        )
        (place.folder / "daybreak.toml").write_text(text, encoding="utf-8")
        return place

    # --- mornings ----------------------------------------------------------------------------------------------------

    def morning(self) -> None:
        """A day passes; both places report it, one of them with faults, and now and then once more without."""
        self.number += 1
        for upstream in self.upstreams:
            upstream.day(self.number, self.chance)
        answer = self._report(self.calm)
        assert answer.returncode == 0, answer.stderr
        self._wanted = self._pages(self.calm)
        before = self._pages(self.other)
        limits, self._moment = git_watch.LIMITS, timedelta(hours=6)
        self._early = False
        faults = [draws.draw(self) for _ in range(self.faults)]
        self.told.append(f"{label(self.number)}: {'; '.join(faults) or 'nothing'}")
        self._early, DISK.counts = self._moment < timedelta(), True
        try:
            answer = self._report(self.other, self._moment)
        finally:
            self._mend(limits)
        self._judge(answer, before)
        if self.chance.random() < 0.5:
            self.complete()
        for heard in (self.model.asked, self.model._spans, self.github.requests):  # what peers heard is theirs
            heard.clear()

    def complete(self) -> None:
        """A run to which nothing happens: whatever was missing is there."""
        self._early = False
        answer = self._report(self.other)
        self._count("complete", answer.returncode)
        if answer.returncode == 1 and "damaged" in answer.stderr:
            self.told.append("  the store was damaged, and is made again")
            for path in (self.other.folder / ".daybreak").glob("daybreak.db*"):
                path.unlink()
            answer = self._report(self.other)
        assert answer.returncode == 0, self.why(answer.stderr)
        self._same_days(self._pages(self.other), "after a run without faults")

    def _pages(self, place: Place) -> Pages:
        return place.pages(label(self.number - OLD))

    def _report(self, place: Place, after: timedelta = timedelta(hours=6)) -> subprocess.CompletedProcess[str]:
        """What is to be sent once more is due an hour later."""
        self.now = max(midnight(self.number) + timedelta(hours=6), self.now + timedelta(hours=1))
        self.github.now = self.now
        return place.run(self.number, midnight(self.number) + after)

    def _mend(self, limits: Limits) -> None:
        DISK.clear()
        self.gits.turn, self.gits.started = 0, 0
        self.server.mode = "open"
        self.github.faults.clear()
        self.github.release()
        self.model.queue.clear()
        self.model.compute = say
        self.hook.faults.clear()
        self.set_limits(limits)
        if self.proxy:
            self.proxy.mend()
            self.set_silence(120.0)

    # --- the law -----------------------------------------------------------------------------------------------------

    def _judge(self, answer: subprocess.CompletedProcess[str], before: Pages) -> None:
        code, said = answer.returncode, answer.stderr
        self._count("disturbed", code)
        assert code in (0, 1, 2, 3), self.why(said)
        assert "bug in Daybreak" not in said, self.why(said)
        pages = self._pages(self.other)
        if code in (1, 2):
            assert "daybreak: " in said, self.why(said)
        if code == 0:
            self._same_days(pages, "though its exit was 0")
        changed = {_label(path) for path in pages.keys() | before.keys() if pages.get(path) != before.get(path)}
        oldest = label(self.number - OLD)
        assert all(name >= oldest for name in changed if name[:1] == "2" and len(name) == len(oldest)), self.why(said)
        for name in self._labels(pages):
            if name in changed and not _named(pages, name) and _day(pages, name) != _day(before, name):
                self._same_day(pages, name, f"though nothing is named as missing (exit {code})\n{said}")
        doubles = [one["_key"] for one in self.hook.taken]
        assert len(doubles) == len(set(doubles)), self.why("a message came twice")

    def _same_days(self, pages: Pages, when: str) -> None:
        for number in range(max(0, self.number - BACK), self.number + 1):
            if self._early and _named(pages, label(number)):
                continue
            assert f"reports/{label(number)}.json" in pages, self.why(f"{label(number)} is not there {when}")
            self._same_day(pages, label(number), when)

    def _same_day(self, pages: Pages, name: str, when: str) -> None:
        parts = _left_out(pages, name) or _untold(pages, name)
        form = _of_git if _late(pages, name) else _facts if parts else _day
        wanted, found = (form(of, name) for of in (self._wanted, pages))
        assert found == wanted, self.why(f"{name} differs {when}:\n{_difference(wanted, found)}")

    def _labels(self, pages: Pages) -> list[str]:
        days = range(max(0, self.number - OLD), self.number + 1)
        return [label(n) for n in days if f"reports/{label(n)}.json" in pages]

    def _count(self, what: str, code: int) -> None:
        self.counted[f"{what} {code}"] = self.counted.get(f"{what} {code}", 0) + 1

    def why(self, words: str) -> str:
        """What went wrong, all that was done, and how to see it again."""
        again = f"SIMULATION={self.seed}:{self.number + 1} .venv/bin/python -m pytest tests/simulation"
        return "\n".join([words[-3000:], *self.told[-8:], f"again: {again}"])

    def check_end(self) -> None:
        """The last morning is a calm one: everything is there, and the store is sound."""
        self.complete()
        store = opened(self.store, self.other.folder)
        try:
            assert store.holder() is None
        finally:
            store.close()
        shutil.rmtree(self.root, ignore_errors=True)


def _named(pages: Pages, name: str) -> bool:
    """Whether a day says that something of it is missing, or that by the clock of its run it was not over."""
    report = json.loads(pages[f"reports/{name}.json"]) if f"reports/{name}.json" in pages else None
    return report is not None and bool(report["coverage"]["skipped"] or report["window"].get("open"))


def _label(path: str) -> str:
    """The day that a page belongs to, if any."""
    return path.removeprefix("reports/")[: len("2026-01-05")]


def _late(pages: Pages, name: str) -> bool:
    """Whether the day tells of commits that were missing in days before it."""
    return any(repo.get("late") for repo in json.loads(pages[f"reports/{name}.json"])["repos"])


def _left_out(pages: Pages, name: str) -> bool:
    """Whether the day says what GitHub tells only of recent days: it was completed when that was over."""
    return bool(json.loads(pages[f"reports/{name}.json"])["coverage"].get("left_out"))


def _untold(pages: Pages, name: str) -> bool:
    """Whether the day says that the rules told what a model did not: that is so for good, and its facts are the same."""
    retelling = json.loads(pages[f"reports/{name}.json"]).get("retelling") or {}
    return any(one["why"] == "fault" for one in retelling.get("left", ()))


def _of_git(pages: Pages, name: str) -> dict[str, list[bytes]]:
    """The commits of a day and what the rules find in them."""
    kept = ("sha", "subject", "pr", "files", "findings", "marks", "importance", "released")
    repos = json.loads(pages[f"reports/{name}.json"])["repos"]
    return {
        one["name"]: [json.dumps([row.get(field) for field in kept]).encode() for row in one["commits"]]
        for one in repos
    }


def _facts(pages: Pages, name: str) -> dict[str, list[bytes]]:
    """The same, with what GitHub has of it."""
    found = _of_git(pages, name)
    for one in json.loads(pages[f"reports/{name}.json"])["repos"]:
        numbers = [[item["number"] for item in one.get(kind) or ()] for kind in ("issues", "pulls")]
        found[one["name"]].append(json.dumps(numbers).encode())
    return found


def _day(pages: Pages, name: str) -> dict[str, list[bytes]]:
    return without_completion({path: data for path, data in pages.items() if path.startswith(f"reports/{name}")})


def _difference(wanted: dict[str, list[bytes]], found: dict[str, list[bytes]]) -> str:
    rows = [f"{path}: only on one side" for path in wanted.keys() ^ found.keys()]
    for path in wanted.keys() & found.keys():
        rows += [f"- {row.decode()[:200]}" for row in wanted[path] if row not in found[path]][:5]
        rows += [f"+ {row.decode()[:200]}" for row in found[path] if row not in wanted[path]][:5]
    return "\n".join(rows[:20])
