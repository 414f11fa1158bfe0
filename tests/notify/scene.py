"""A clock that nobody waits for, senders with little patience, and apprise pointed at servers that run here."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from daybreak.core.config import Config, Settings
from daybreak.core.config.sections import NotifyConfig, TargetConfig, check_notify
from daybreak.core.http import Http, Patience
from daybreak.core.model.day import Day
from daybreak.deliver.notify.by_apprise import ByApprise
from daybreak.deliver.notify.delivery import Time
from daybreak.deliver.notify.senders import Mailer, Robots, Senders
from daybreak.store import Store

QUICK = 0.15
"""Seconds for an answer that never comes."""
ENOUGH = 20.0
"""Seconds for one that does, on a machine that is busy."""


class Clock:
    """Time that goes on only when somebody sleeps, or is told to."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 3, 7, 8, tzinfo=UTC)
        self.slept: list[float] = []

    def now(self) -> datetime:
        return self.moment

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.moment += timedelta(seconds=seconds)

    def time(self) -> Time:
        return Time(self.now, self.sleep, lambda: 0.0)


@cache
def _http(wait: float) -> Http:
    """One for all tests: making it reads the certificates of the machine."""
    return Http(Patience(ENOUGH, wait, ENOUGH), 1 << 20)


class QuickSenders(Senders):
    """The real ones, with the patience of the test."""

    def __init__(self, now: Callable[[], datetime], wait: float = ENOUGH) -> None:
        super().__init__(now)
        self._wait = wait

    def _make(self, name: str) -> Any:
        if name == "robots":
            return Robots(self._now, _http(self._wait))
        return Mailer(self._now, self._wait) if name == "mail" else ByApprise(self._now, self._wait)


def pointed(kind: str, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slack, Discord and Telegram have one host, which apprise knows by itself: its plugin is told another, in tests only."""
    here = f"http://127.0.0.1:{port}"
    places = {
        "slack": ("slack", "webhook_url", f"{here}/services"),
        "discord": ("discord", "notify_url", f"{here}/api/webhooks"),
        "telegram": ("tgram", "notify_url", f"{here}/bot"),
    }
    if kind in places:
        scheme, name, value = places[kind]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from apprise.manager_plugins import NotificationManager

            monkeypatch.setattr(NotificationManager()[scheme], name, value)  # type: ignore[no-untyped-call]


def settings_for(*targets: TargetConfig, environment: dict[str, str] | None = None, **notify: Any) -> Settings:
    config = NotifyConfig(target=targets, **({"days": 0} | notify))
    check_notify(config, "daybreak.toml")
    return Settings(Config(notify=config), Path(), environment or {})


def keep(store: Store, day: Day) -> Day:
    """As a run leaves it."""
    store.put_report(msgspec.json.encode(day))
    return day
