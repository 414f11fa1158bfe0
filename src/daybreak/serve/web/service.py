"""The service put together: from config to application and worker."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from socket import socket

from msgspec import Struct

from daybreak.core.config import Settings, now
from daybreak.core.errors import UsageError
from daybreak.core.http.client import is_loopback
from daybreak.serve.web.days import Days
from daybreak.serve.web.facts import busy, look, store_of, tried_before
from daybreak.serve.web.plan import Moment, Plan
from daybreak.serve.web.run_process import Child
from daybreak.serve.web.server import bound, logged, serve, shown
from daybreak.serve.web.timetable import Timetable
from daybreak.serve.web.token import VARIABLE, token_for
from daybreak.serve.web.worker import Hands, Log, Status, Worker, store_blocked


class Wish(Struct, frozen=True):
    """What the user asked for."""

    host: str = "127.0.0.1"
    port: int = 8080
    schedule: bool = False
    verbose: bool = False


def run_service(settings: Settings, config: Path, wish: Wish, log: Log) -> None:
    """Serve until told to stop; what is wrong from the start is an error at once."""
    clock = _clock(settings)
    with store_of(settings):
        pass  # it answers, and has the newest schema
    days = Days(settings.out)
    worker = _worker(settings, config, wish, log, days) if wish.schedule else None

    def status() -> Status | None:
        return worker.status if worker else None

    with closing(bound(wish.host, wish.port)) as listener:
        token = token_for(settings.environment, others=not is_loopback(listener.getsockname()[0]))
        from daybreak.serve.web.app import make_app
        from daybreak.serve.web.reading import Reading

        with closing(Reading(settings)) as reading, logged(log):
            app = make_app(lambda: look(settings, days, clock), status, time.monotonic, reading, token, (wish.host,))
            asyncio.run(serve(listener, app, worker, lambda: _announce(settings, listener, wish, log)))
    log("info", "stopped", {})


def _worker(settings: Settings, config: Path, wish: Wish, log: Log, days: Days) -> Worker:
    if not settings.config.repo:
        raise UsageError("The watchlist is empty.", "Add a [[repo]] with its name to daybreak.toml.")
    clock, schedule = _clock(settings), settings.config.schedule
    table = Timetable.of(settings.zone, schedule.at, schedule.catch_up)
    environment = {name: value for name, value in settings.environment.items() if name != VARIABLE}
    child = Child(config.absolute(), environment, log, wish.verbose)
    hands = Hands(
        clock=lambda: Moment(clock(), time.monotonic()),
        run=child,
        pause=asyncio.sleep,
        blocked=store_blocked(lambda: busy(settings)),
        log=log,
    )
    return Worker(Plan(table, tried_before(settings, table, clock())), days.of, hands)


def _clock(settings: Settings) -> Callable[[], datetime]:
    return lambda: now(settings.environment)


def _announce(settings: Settings, listener: socket, wish: Wish, log: Log) -> None:
    schedule, address = settings.config.schedule, shown(listener)
    told = f"; reports are made at {schedule.at} {settings.config.timezone}" if wish.schedule else ""
    log("info", f"serving on {address}{told}", {"address": address})
    if not is_loopback(listener.getsockname()[0]):
        words = "others can reach this address with the token, which goes over the wire unencrypted: let a proxy do TLS"
        log("warning", words, {})
