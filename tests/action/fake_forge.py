"""A GitHub on this machine, as far as an action sees it: comments of a pull request, and files of code scanning."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Github:
    """Comments of one pull request, behind the API as it is documented."""

    comments: list[dict[str, Any]] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)
    closed: bool = False
    """A pull request from a fork: its token may read only."""
    url: str = ""

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        self.asked.append((method, path))
        if method == "GET":
            page = int(re.search(r"[?&]page=(\d+)", path)[1])  # type: ignore[index]
            return 200, self.comments[(page - 1) * 100 : page * 100]
        if self.closed:
            return 403, {"message": "Resource not accessible by integration"}
        if method == "POST":
            self.comments.append({"id": len(self.comments) + 1, **body})
            return 201, self.comments[-1]
        number = int(path.rpartition("/")[2])
        row = next(row for row in self.comments if row["id"] == number)
        row.update(body)
        return 200, row


@contextmanager
def served() -> Iterator[Github]:
    """It, as long as it is asked."""
    known = Github()

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            code, value = known.answer(self.command, self.path, json.loads(self.rfile.read(size)) if size else None)
            data = json.dumps(value).encode()
            self.send_response(code)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = _serve  # noqa: N815  names that the library asks for

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    known.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield known
    server.shutdown()
    server.server_close()
    thread.join()
