"""Runs, faults and kills in any order: each report arrives once, or the receipt says that nobody can know."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from daybreak.core.config.sections import TargetConfig
from daybreak.core.model.day import Day
from daybreak.deliver.notify.delivery import Notifier
from daybreak.deliver.notify.message import Message
from daybreak.deliver.notify.targets import Outcome, Target
from daybreak.store import Receipt, Store, open_store
from notify import days, services
from notify.scene import Clock, QuickSenders, keep, pointed, settings_for
from notify.services import Fault

KEYED = ("json", "form", "matrix", "mail")
SURE = [
    *(Fault("status", status) for status in (500, 502, 503)),
    Fault("status", 429, (("Retry-After", "40"),)),
    Fault("status", 429, (("Retry-After", "4000"),)),
]
"""It did not arrive, and both sides know."""
UNSURE = [Fault("cut"), Fault("lost")]
LABELS = ["2026-03-04", "2026-03-05", "2026-03-06"]


class Killed(BaseException):
    """The run ends here, as by SIGKILL: nothing is caught, nothing is tidied."""


class Doomed:
    """Sender and receipts that end the run at a moment that was drawn."""

    def __init__(self, store: Store, clock: Clock, when: int) -> None:
        self._senders, self._receipts = QuickSenders(clock.now), store.receipts
        self._left = when
        self.store = _Shown(store, self)
        self.while_sending: set[str] = set()

    def _step(self) -> None:
        self._left -= 1
        if self._left == 0:
            raise Killed

    def send(self, target: Target, message: Message) -> Outcome:
        self.while_sending.add(f"{target.id} {message.facts['label']}")
        self._step()
        outcome = self._senders.send(target, message)
        self._step()
        self.while_sending.discard(f"{target.id} {message.facts['label']}")
        return outcome

    def plan(self, *place: Any) -> Receipt:
        self._step()
        made = self._receipts.plan(*place)
        self._step()
        return made

    def begin(self, number: int) -> Receipt | None:
        self._step()
        return self._receipts.begin(number)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._receipts, name)


class _Shown:
    """The store with those receipts."""

    def __init__(self, store: Store, receipts: Any) -> None:
        self._store, self.receipts = store, receipts

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class Scene:
    """Some targets, one store, and runs that may end badly."""

    def __init__(self, chance: random.Random, folder: Path, started: list[Any]) -> None:
        self.chance, self.folder, self.clock = chance, folder, Clock()
        self.services = started
        for service in self.services:
            service.faults.clear()
        self.doubted: set[tuple[int, str]] = set()
        """Target and day of which somebody may not know."""
        self.before = [len(service.taken) for service in self.services]

    def config(self) -> list[TargetConfig]:
        return [TargetConfig(url=service.url, name=f"t{number}") for number, service in enumerate(self.services)]

    @contextmanager
    def opened(self) -> Iterator[Store]:
        """Each run opens the store anew, as a new process does."""
        store = open_store("sqlite:///daybreak.db", self.folder)
        try:
            yield store
        finally:
            store.close()

    def run(self, day: Day | None, doomed: bool) -> None:
        with self.opened() as store:
            watched = Doomed(store, self.clock, self.chance.randint(1, 14) if doomed else 0)
            config = settings_for(*self.config(), tries=100, patience=120)
            notifier = Notifier(config, watched.store, self.clock.time(), watched)
            try:
                notifier.retry_pending()
                if day is not None:
                    keep(store, day)
                    notifier.report(day)
            except Killed:
                ids = [target.id for target in notifier.targets]
                for place in watched.while_sending:
                    target, label = place.split(" ")
                    self.doubted.add((ids.index(target), label))

    def break_something(self) -> None:
        number = self.chance.randrange(len(self.services))
        unsure = self.chance.random() < 0.4
        self.services[number].faults.append(self.chance.choice(UNSURE if unsure else SURE))
        if unsure:
            self.doubted.update((number, label) for label in LABELS)

    def play(self) -> None:
        for label in LABELS:
            for _ in range(self.chance.randint(1, 3)):
                for _ in range(self.chance.randint(0, 2)):
                    self.break_something()
                changed = days.day(days.breaking(2), days.commit(self.chance.randint(3, 9)), label=label)
                self.run(changed, doomed=self.chance.random() < 0.5)
                self.clock.sleep(self.chance.choice([1.0, 60.0, 5000.0]))
        for service in self.services:
            service.faults.clear()
        for label in LABELS:
            self.run(days.day(days.breaking(2), label=label), doomed=False)
        for _ in range(3):
            self.clock.sleep(10_000)
            self.run(None, doomed=False)

    def check(self) -> None:
        with self.opened() as store:
            for number, service in enumerate(self.services):
                new = service.taken[self.before[number] :]
                for label in LABELS:
                    arrived = sum(label in titled(service, one) for one in new)
                    (receipt,) = [r for r in store.receipts.of_day(label) if r.shown == f"t{number}"]
                    assert receipt.state in ("sent", "unsure"), receipt
                    if receipt.state == "sent":
                        assert arrived == 1, (service.kind, label, arrived)
                    else:
                        assert arrived <= 1, (service.kind, label, arrived)
                        assert service.kind not in KEYED
                        assert (number, label) in self.doubted, "nothing happened that anybody could doubt"
            assert list(store.verify()) == []


def titled(service: Any, one: Any) -> str:
    if service.kind == "mail":
        return str(one["Subject"])
    return services.text_of(service.kind, one)[:80].replace("\\", "")


def sequences(numbers: range, folder: Path, kinds: tuple[str, ...], started: list[Any]) -> None:
    for number in numbers:
        chance = random.Random(number)
        place = folder / str(number)
        place.mkdir()
        chosen = chance.sample(kinds, 2)
        for service in started:
            service.forget()
        scene = Scene(chance, place, [service for service in started if service.kind in chosen])
        scene.play()
        scene.check()


@pytest.fixture
def all_started(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., list[Any]]]:
    with ExitStack() as stack:

        def start(kinds: tuple[str, ...]) -> list[Any]:
            made = [stack.enter_context(services.running(kind)) for kind in kinds]
            for service in made:
                pointed(service.kind, service.port, monkeypatch)
            return made

        yield start


def test_each_report_arrives_once_through_faults_and_kills(all_started: Any, tmp_path: Path) -> None:
    kinds = ("feishu", "wecom", "json")
    sequences(range(4), tmp_path, kinds, all_started(kinds))


@pytest.mark.soak
def test_each_report_arrives_once_through_two_hundred_sequences(all_started: Any, tmp_path: Path) -> None:
    kinds = ("feishu", "wecom", "dingtalk", "slack", "discord", "telegram", "json", "form", "matrix", "mail")
    sequences(range(200), tmp_path, kinds, all_started(kinds))
