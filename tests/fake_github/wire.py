"""The sockets of the fake GitHub: HTTP on loopback, with the faults that are of the wire and not of the answer."""

from __future__ import annotations

import gzip
import socket
import time
from datetime import UTC
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from fake_github.asked import Answer, Request

if TYPE_CHECKING:
    from fake_github.server import Server


class Listener(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True  # when it has stopped, no thread and no socket is left
    request_queue_size = 64
    closing = False

    def __init__(self, server: Server) -> None:
        self.github = server
        self.open: set[socket.socket] = set()
        self.guard = Lock()
        super().__init__(("127.0.0.1", 0), Handler)

    def server_bind(self) -> None:
        """Without the look-up of this machine's name that http.server makes, which may take seconds."""
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        if self.closing:
            self.shutdown_request(request)
            return
        with self.guard:
            self.open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self.guard:
            self.open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error of ours; anything else is, and the test must see it."""
        import sys

        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            self.github.complaints.append(f"the fake broke: {error!r}")

    def run(self) -> None:
        while not self.closing:
            self.handle_request()

    def stop(self) -> None:
        self.closing = True
        with socket.create_connection(("127.0.0.1", self.server_port)):  # wakes the loop: nothing to poll for
            pass


class Wire:
    def __init__(self, server: Server) -> None:
        self._listener = Listener(server)
        self.port = self._listener.server_port
        self._thread: Thread | None = None

    def start(self) -> None:
        self._thread = Thread(target=self._listener.run, name="fake-github", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        if self._thread is not None:
            self._listener.stop()
            self._thread.join()
        self._thread = None
        with self._listener.guard:
            waiting = list(self._listener.open)
        for one in waiting:  # connections that clients keep alive
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        self._listener.server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Listener
    timeout = 30
    disable_nagle_algorithm = True
    wbufsize = -1  # an answer goes out in one piece

    def log_message(self, *_: Any) -> None:
        """Nothing: what was asked is in `requests`."""

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        github = self.server.github
        parts = urlsplit(self.path)
        path = github.path(parts.path)
        body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode(errors="replace")
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Request(self.command, path or parts.path, query, headers, body, github.accounts.anonymous)
        if path is None:
            github.complaints.append(f"{parts.path} is not below the base of the API")
        request, answer = github.answer(asked)
        hanging = request.struck("hang")
        if hanging is not None:
            github.wait_released(hanging.option("seconds"))
        if hanging is not None or request.struck("drop"):
            self.close_connection = True
            return
        self._send(request, answer)

    def _send(self, request: Request, answer: Answer) -> None:
        body = answer.encoded()
        if request.struck("broken_json"):
            body = body[: len(body) // 2] or b"{"
        if request.struck("empty_body"):
            body = b""
        if request.struck("surrogate"):
            body = body.replace(b'"title":"', b'"title":"\\ud83d ')
        packed = "gzip" in request.headers.get("accept-encoding", "") and len(body) > 1000
        if packed:
            body = gzip.compress(body, compresslevel=1, mtime=0)
        self.send_response_only(answer.status)
        fixed = {
            "date": format_datetime(self.server.github.clock.astimezone(UTC), usegmt=True),
            "server": "github.com",
            "content-type": "application/json; charset=utf-8",
            "x-github-request-id": "0400:1F2E:3D4C:5B6A:7F8E9D0C",
            **answer.headers,
        }
        if packed:
            fixed["content-encoding"] = "gzip"
        if answer.status != 304:
            fixed["content-length"] = str(len(body))
        for name, value in fixed.items():
            self.send_header(name, value)
        self.end_headers()
        self._write(request, b"" if answer.status == 304 else body)

    def _write(self, request: Request, body: bytes) -> None:
        slow = request.struck("slow")
        if request.struck("cut"):
            body = body[: len(body) // 2]
            self.close_connection = True
        elif slow is not None:
            size = max(1, -(-len(body) // 4))
            for start in range(0, len(body), size):
                self.wfile.write(body[start : start + size])
                self.wfile.flush()
                time.sleep(slow.option("seconds") / 4)
            return
        self.wfile.write(body)
        self.wfile.flush()
