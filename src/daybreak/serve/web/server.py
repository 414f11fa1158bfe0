"""The server: binds, serves and works until it is told to stop; the only file that knows uvicorn."""

from __future__ import annotations

import asyncio
import errno
import logging
import signal
import socket
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from daybreak.core.errors import DaybreakError, UsageError
from daybreak.serve.web.worker import Log, Worker

_GRACE = 3
"""Seconds that requests have to end when the service stops."""
_MOST = 64
"""Requests at a time; more are told to come later."""
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


def make_server(app: ASGIApp) -> Server:
    """Nothing is read from the environment, and nothing is said but through `logging`."""
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        workers=1,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=_MOST,
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
