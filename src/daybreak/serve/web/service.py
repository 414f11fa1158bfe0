"""The service: from config to application and worker, bound and served until it is told to stop."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import os
import signal
import socket
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import uvicorn
from msgspec import Struct
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from daybreak.core.config import Settings, now
from daybreak.core.errors import EXIT_FAILED, DaybreakError, UsageError
from daybreak.core.http import is_loopback
from daybreak.serve.web.guard import OPEN, VARIABLE, problem, token_for
from daybreak.serve.web.metrics import busy, look, store_of, tried_before
from daybreak.serve.web.plan import (
    LOCKED,
    Days,
    Hands,
    Log,
    Moment,
    Plan,
    Status,
    Task,
    Timetable,
    Worker,
    store_blocked,
)


# Connections to the service: a head must come in time, idle ones make room for new ones, and health is always
# answered.
class Limits(Struct, frozen=True):
    """What one service gives its callers."""

    head: float = 10.0
    """Seconds for a whole request, from the connection or from its first byte on."""
    answer: float = 120.0
    """Seconds for an answer to be taken."""
    idle: int = 5
    """Seconds between two requests."""
    connections: int = 256
    """Open at a time; for a new one, the longest idle one of who has most of them goes."""
    running: int = 64
    """Requests at a time."""
    turn: float = 10.0
    """Seconds that a request waits for its turn; after them it is told to come later."""


LIMITS = Limits()


class Doors:
    """So many requests at a time, the others in their order; health is beside them."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app, self._turn, self._places = app, limits.turn, asyncio.Semaphore(limits.running)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in OPEN:
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._turn):
                await self._places.acquire()
        except TimeoutError:
            busy = problem(503, "Service Unavailable", "Too many requests at a time.", {"Retry-After": "1"})
            await busy(scope, receive, send)
            return
        try:
            await self._app(scope, receive, send)
        finally:
            self._places.release()


class Joined:
    """A transport that sends the head of an answer with the beginning of its body: a reader is woken once."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport, self._head = transport, b""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if not self._head and data.startswith(_HEAD) and not data.startswith(_GO_ON):
            self._head = data
        elif self._head or data:
            head, self._head = self._head, b""
            self._transport.writelines((head, data))

    def close(self) -> None:
        self.write(b"")
        self._transport.close()


_HEAD, _GO_ON = b"HTTP/1.", b"HTTP/1.1 100"
"""How the head of an answer begins, and one that nothing follows."""


class Connection(H11Protocol):
    """A connection with an end to each wait for the other side."""

    limits = LIMITS
    _timer: asyncio.TimerHandle | None = None
    _answering = False
    since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(cast("asyncio.Transport", Joined(transport)))
        self.since = time.monotonic()
        self._wait(self.limits.head)
        others = cast("set[Connection]", self.connections)
        if len(others) > self.limits.connections:
            self._make_room([one for one in others if one is not self and not one.busy])

    @property
    def busy(self) -> bool:
        """A request was read whole, and its answer is not."""
        cycle: Any = self.cycle  # typed as always there, and None before the first request
        return cycle is not None and not cycle.response_complete and not cycle.more_body

    def _make_room(self, idle: list[Connection]) -> None:
        """The longest idle one of the address that has most of them; where all are at work, the new one."""
        many = Counter(one.client[0] if one.client else "" for one in idle)
        worst = max(idle, key=lambda one: (many[one.client[0] if one.client else ""], -one.since), default=self)
        worst.transport.abort()

    def data_received(self, data: bytes) -> None:
        if not self._answering and self._timer is None:
            self._wait(self.limits.head)
        super().data_received(data)
        if self.busy and not self._answering:
            self._answering = True
            self._wait(self.limits.answer)

    def on_response_complete(self) -> None:
        self._answering, self.since = False, time.monotonic()
        self._stop()
        super().on_response_complete()
        if self.busy:  # the next request had come with this one
            self._answering = True
            self._wait(self.limits.answer)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _wait(self, seconds: float) -> None:
        self._stop()
        self._timer = self.loop.call_later(seconds, self._over)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _over(self) -> None:
        self._timer = None
        self.transport.abort()


def limited(limits: Limits) -> type[Any]:
    """The protocol of a server with these limits."""
    return type("Limited", (Connection,), {"limits": limits})


_GRACE = 3
"""Seconds that requests have to end when the service stops."""
_LONGEST_HEAD = 32_768
"""Bytes of a request's first lines; what is longer is refused before it is read whole."""


def bound(host: str, port: int) -> socket.socket:
    """A listening socket; what can go wrong is said before anything is started."""
    try:
        family, kind, number, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError):
        raise UsageError(f"{host!r} is no address of a machine.", "For example --host 127.0.0.1.") from None
    listener = socket.socket(family, kind, number)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise _refused(host, port, error) from error
    return listener


def _refused(host: str, port: int, error: OSError) -> DaybreakError:
    if error.errno == errno.EADDRINUSE:
        return DaybreakError(f"Port {port} of {host} is taken.", "Stop who listens there, or name another with --port.")
    if error.errno == errno.EADDRNOTAVAIL:
        return UsageError(f"{host} is no address of this machine.", "For example --host 127.0.0.1, or 0.0.0.0 for all.")
    if error.errno == errno.EACCES:
        return DaybreakError(f"Port {port} may not be used.", "Ports below 1024 need rights: name another with --port.")
    return DaybreakError(f"{host} port {port} cannot be listened on: {error.strerror}.", "Name another with --port.")


def shown(listener: socket.socket) -> str:
    """The address to ask."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


class Server(uvicorn.Server):
    """A server that leaves signals to us: uvicorn would raise them again when it is done, and we would not end with 0."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def make_server(app: ASGIApp, limits: Limits = LIMITS) -> Server:
    """Nothing is read from the environment, and nothing is said but through `logging`."""
    config = uvicorn.Config(
        Doors(app, limits),
        http=limited(limits),
        ws="none",
        lifespan="off",
        workers=1,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=limits.idle,
        timeout_graceful_shutdown=_GRACE,
        h11_max_incomplete_event_size=_LONGEST_HEAD,
    )
    return Server(config)


async def serve(listener: socket.socket, app: ASGIApp, worker: Worker | None, ready: Callable[[], None]) -> None:
    """Until SIGTERM or SIGINT; a worker that breaks takes the service along, so that it is started anew."""
    loop, told = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told.set)
    ready()
    server = make_server(app)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    tasks = {serving, asyncio.create_task(told.wait())}
    if worker is not None:
        tasks.add(asyncio.create_task(worker.work()))
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    server.should_exit = True
    for task in tasks - {serving}:
        task.cancel()
    for end in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(end, BaseException) and not isinstance(end, asyncio.CancelledError):
            raise end


@contextmanager
def logged(log: Log) -> Iterator[None]:
    """What uvicorn and asyncio say goes the way of our own messages; their coming and going is a detail."""
    handler = _Passed(log)
    loggers = [logging.getLogger(name) for name in ("uvicorn", "asyncio")]
    access = logging.getLogger("uvicorn.access")
    access.disabled = True  # whoever else listens to logs: what was asked for is nobody's business
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        logger.propagate = False
    try:
        yield
    finally:
        access.disabled = False
        for logger in loggers:
            logger.removeHandler(handler)
            logger.setLevel(logging.NOTSET)
            logger.propagate = True


class _Passed(logging.Handler):
    def __init__(self, log: Log) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        level = {logging.WARNING: "warning", logging.ERROR: "error", logging.CRITICAL: "error"}.get(
            record.levelno, "debug"
        )
        kind = record.exc_info[0] if record.exc_info else None
        facts = {"error": kind.__name__} if kind else {}
        self._log(level, record.getMessage(), {"from": record.name, **facts})
        if record.exc_info and kind:
            where = "".join(traceback.format_tb(record.exc_info[2]))  # not its words: they may quote a request
            self._log("debug", f"{where}{kind.__name__}", {"from": record.name})


# --- The service put together: from config to application and worker ---

# --- The child: `daybreak run` for one day in a process of its own, whose memory is given back and whose crash costs one try ---


GRACE = 8.0
"""Seconds a run has to stop when asked to; containers are given ten. Nothing is half-written if it takes longer."""
_LONGEST = 64 << 10
"""Bytes of a line that are passed on."""
LEVELS = ("debug", "info", "warning", "error")


class Child(Struct, frozen=True):
    """Starts the program that we are, again, for one day."""

    config: Path
    environment: Mapping[str, str]
    log: Log
    verbose: bool = False
    program: tuple[str, ...] = (sys.executable, "-P", "-m", "daybreak")
    """-P: a file in the folder we were started in is not taken for a module of ours."""

    def command(self, task: Task) -> list[str]:
        """The whole command line: no secret is in it."""
        options = ["--config", str(self.config), "--log-format", "json", "--no-color"]
        more = ["--verbose"] * self.verbose + ["--force"] * task.force
        return [*self.program, "run", "--since", task.label, "--until", task.after, *options, *more]

    async def __call__(self, task: Task) -> int:
        """Run it and pass on what it says; when cancelled, it is stopped first. One that cannot be started has failed."""
        try:
            return await self._ran(task)
        except OSError as error:
            self.log("error", f"{task.label}: the run cannot be started: {error.strerror}", {"day": task.label})
            return EXIT_FAILED

    async def _ran(self, task: Task) -> int:
        locked: list[bool] = []
        talk = _Talk(lambda line: locked.append(self._pass_on(line, task)))
        transport, _ = await asyncio.get_running_loop().subprocess_exec(
            lambda: talk,
            *self.command(task),
            stdin=asyncio.subprocess.DEVNULL,
            env=dict(self.environment),
            start_new_session=True,  # Ctrl-C is for the service, which then stops the run; and its gits are its group
        )
        try:
            await talk.gone.wait()
        finally:
            await _end(transport, talk)
        code = transport.get_returncode()
        if code == EXIT_FAILED and any(locked):
            return LOCKED
        return EXIT_FAILED if code is None else code

    def _pass_on(self, line: str, task: Task) -> bool:
        """Whether it says that somebody else is at work: no failure, so no error."""
        level, message, facts = told(line)
        locked = facts.get("locked") is True
        self.log("warning" if locked else level, message, {**facts, "day": task.label})
        return locked


def told(line: str) -> tuple[str, str, dict[str, Any]]:
    """Level, message and facts of a line in our form; any other line is a message."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return "info", line, {}
    if not isinstance(data, dict) or data.get("level") not in LEVELS or not isinstance(data.get("message"), str):
        return "info", line, {}
    facts = {key: value for key, value in data.items() if key not in ("level", "message", "self")}
    return data["level"], data["message"], facts


class _Talk(asyncio.SubprocessProtocol):
    """Hears the lines of a process, and its end: pipes may outlive it in the hands of whatever it has started."""

    def __init__(self, take: Callable[[str], None]) -> None:
        self._take = take
        self._rest = {1: b"", 2: b""}
        self.gone, self.silent = asyncio.Event(), asyncio.Event()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        *whole, rest = (self._rest[fd] + data).split(b"\n")
        for line in whole:
            self._say(line)
        self._rest[fd] = rest[:_LONGEST]

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002  as asyncio calls it
        rest = self._rest.pop(fd, b"")
        if rest:
            self._say(rest)
        if not self._rest:
            self.silent.set()

    def process_exited(self) -> None:
        self.gone.set()

    def _say(self, line: bytes) -> None:
        """What is longer than anything we write is cut."""
        if line.strip():
            self._take(line[:_LONGEST].decode("utf-8", "replace"))


async def _end(transport: asyncio.SubprocessTransport, talk: _Talk) -> None:
    """Ask the process to stop, then make it stop; with it goes whatever it has started."""
    try:
        if not talk.gone.is_set():
            transport.terminate()
            await _within(GRACE, talk.gone)
        _kill_group(transport.get_pid())
        await _within(1.0, talk.gone)
        await _within(1.0, talk.silent)
    finally:
        transport.close()


async def _within(seconds: float, event: asyncio.Event) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)


def _kill_group(leader: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


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
        from daybreak.serve.web.metrics import Reading

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


def _announce(settings: Settings, listener: socket.socket, wish: Wish, log: Log) -> None:
    schedule, address = settings.config.schedule, shown(listener)
    told = f"; reports are made at {schedule.at} {settings.config.timezone}" if wish.schedule else ""
    log("info", f"serving on {address}{told}", {"address": address})
    if not is_loopback(listener.getsockname()[0]):
        words = "others can reach this address with the token, which goes over the wire unencrypted: let a proxy do TLS"
        log("warning", words, {})
