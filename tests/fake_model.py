"""A scripted OpenAI-compatible server on loopback: queued or computed answers, latency, slots, counts, every fault.

As a program it prints its address and serves until it is ended: `fake_model.py --latency 1 --slots 32`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

FORMS = ("json_schema", "json_object", "text")
WORDS = {
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    429: "Too Many Requests",
    503: "Service Unavailable",
}


@dataclass(frozen=True)
class Asked:
    """One request as it came."""

    number: int
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    raw: bytes = b""

    @property
    def messages(self) -> list[Mapping[str, str]]:
        return list(self.body.get("messages", []))

    @property
    def system(self) -> str:
        return "".join(m["content"] for m in self.messages if m["role"] == "system")

    @property
    def user(self) -> str:
        return "".join(m["content"] for m in self.messages if m["role"] == "user")

    @property
    def form(self) -> str:
        return str(self.body.get("response_format", {}).get("type", "text"))

    @property
    def most(self) -> int:
        return int(self.body.get("max_tokens") or self.body.get("max_completion_tokens") or 0)


@dataclass(frozen=True)
class Said:
    """An answer. A mapping is written as JSON."""

    content: Mapping[str, Any] | str | None
    finish: str = "stop"
    refusal: str | None = None
    usage: tuple[int, int] | None = None
    """Prompt and completion tokens to report; None: a quarter of the letters."""
    counted: bool = True
    """Usage is reported at all."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Other fields of the message, `reasoning_content` for example."""

    @property
    def text(self) -> str | None:
        if self.content is None or isinstance(self.content, str):
            return self.content
        return json.dumps(self.content, ensure_ascii=False)


@dataclass(frozen=True)
class Refused:
    """An HTTP status with an error in OpenAI's form, or any body."""

    status: int
    message: str = "no"
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None


@dataclass(frozen=True)
class Reset:
    """The connection is torn down, after so many bytes of a good answer."""

    after: int = 0


@dataclass(frozen=True)
class Slow:
    """A good answer, too late."""

    seconds: float
    then: Said = Said("{}")


@dataclass(frozen=True)
class Raw:
    """Any bytes as a whole answer with status 200."""

    body: bytes


Reply = Said | Refused | Reset | Slow | Raw | Mapping[str, Any] | str
Compute = Callable[[Asked], Reply]


def fenced(answer: Mapping[str, Any]) -> Said:
    return Said(
        f"Here is the answer:\n```json\n{json.dumps(answer, ensure_ascii=False, indent=1)}\n```\nI hope it helps."
    )


def thoughtful(answer: Mapping[str, Any]) -> Said:
    return Said(f'<think>Maybe {{"statements": []}}? No.</think>\n\n{json.dumps(answer, ensure_ascii=False)}')


def agreeing(asked: Asked) -> Reply | None:
    """The answer of a critic, a triage, a ranking and a batch that change nothing; None to any other question."""
    if '{"verdicts": [{"n", ' in asked.user:
        rows = [
            {"n": n, "when": "", "beyond": "nothing", "verdict": "carried", "at": "", "line": ""} for n in range(1, 21)
        ]
        return {"verdicts": rows, "exclude": [], "wrong_findings": []}
    if '"C3.D1"' in asked.system:
        return {"tells": []}
    if asked.user.rstrip().endswith('{"first": ["C7", …], "next": ["C3", …]}.'):
        return {"first": [], "next": []}
    return {"read": []} if asked.user.rstrip().endswith('{"read": ["C3", …]}.') else None


def closed_address() -> str:
    """Where nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{one.getsockname()[1]}/v1"


class FakeModel:
    """Serves in a thread of its own while its block lasts."""

    def __init__(
        self,
        answers: Iterable[Reply] = (),
        compute: Compute | None = None,
        *,
        latency: float = 0.0,
        slots: int = 10_000,
        models: tuple[str, ...] = ("fake",),
        key: str | None = None,
        forms: tuple[str, ...] = FORMS,
        parameters: tuple[str, ...] = ("max_tokens", "max_completion_tokens", "temperature"),
        context: int = 0,
        lists: bool = True,
        agrees: bool = True,
    ) -> None:
        self.queue: deque[Reply] = deque(answers)
        self.compute, self.latency, self.slots, self.models = compute, latency, slots, models
        self.key, self.forms, self.parameters, self.context = key, forms, parameters, context
        self.lists, self.agrees = lists, agrees
        """It agrees: as a critic it carries every sentence, and of changes below the grade it brings up and tells none."""
        self.asked: list[Asked] = []
        self.prompt_tokens = self.completion_tokens = 0
        """What was reported, summed."""
        self.most_at_once = 0
        self._under_way: set[int] = set()
        self._spans: list[tuple[float, float]] = []
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended: asyncio.Event | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def say(self, *answers: Reply) -> None:
        """These come next, one a request; after them what is computed."""
        self.queue.extend(answers)

    @property
    def questions(self) -> list[Asked]:
        return [one for one in self.asked if one.path.endswith("/chat/completions")]

    def busy(self) -> float:
        """Share of the slots that was in use, from the first question until the last one was taken up.

        After that nothing waits any more, so that an empty slot is nobody's fault.
        """
        begin, end = min(b for b, _ in self._spans), max(b for b, _ in self._spans)
        used = sum(min(e, end) - b for b, e in self._spans)
        return used / (self.slots * (end - begin)) if end > begin else 1.0

    def stats(self) -> dict[str, Any]:
        return {
            "questions": len(self.questions),
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "most_at_once": self.most_at_once,
            "busy": self.busy() if self._spans else 0.0,
        }

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._loop is not None
        assert self._ended is not None
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(10)

    # --- serving -----------------------------------------------------------------------------------------------------

    async def _serve(self) -> None:
        self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        self._places = asyncio.Semaphore(self.slots)
        self._talks: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._taken, "127.0.0.1", self.port, backlog=1024)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._ended.wait()
        server.close()
        for talk in list(self._talks):
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    async def _taken(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.current_task()
        assert talk is not None
        self._talks.add(talk)
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._talks.discard(talk)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        except asyncio.IncompleteReadError:
            return False
        method, path, _ = head[0].split(" ", 2)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:]) if name}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        asked = Asked(len(self.asked), path, headers, json.loads(body) if body else {}, body)
        self.asked.append(asked)
        if not path.endswith("/chat/completions"):
            return await _write(writer, *self._other(method, asked))
        return await self._answered(asked, writer)

    def _other(self, method: str, asked: Asked) -> tuple[int, bytes, Mapping[str, str]]:
        if asked.path == "/stats":
            return 200, json.dumps(self.stats()).encode(), {}
        if asked.path == "/forget":
            self._spans.clear()
            return 200, b"{}", {}
        if wrong := self._unwelcome(asked):
            return _fault(wrong)
        if method == "GET" and asked.path.endswith("/models") and self.lists:
            data = [{"id": name, "object": "model", "created": 0, "owned_by": "test"} for name in self.models]
            return 200, json.dumps({"object": "list", "data": data}).encode(), {}
        return _fault(Refused(404, "Not Found"))

    def _unwelcome(self, asked: Asked) -> Refused | None:
        """What a real server checks before it works."""
        if self.key is not None and asked.headers.get("authorization") != f"Bearer {self.key}":
            return Refused(401, "Incorrect API key provided.", "invalid_api_key")
        return self._unfit(asked) if asked.body else None

    def _unfit(self, asked: Asked) -> Refused | None:
        if asked.body["model"] not in self.models:
            return Refused(404, f"The model `{asked.body['model']}` does not exist.", "model_not_found")
        if "response_format" in asked.body and asked.form not in self.forms:
            return Refused(400, f"response_format type {asked.form} is not supported")
        for name in ("max_tokens", "max_completion_tokens", "temperature"):
            if name in asked.body and name not in self.parameters:
                return Refused(400, f"Unsupported parameter: '{name}' is not supported with this model.")
        if self.context and _prompt_tokens(asked) + asked.most > self.context:
            return Refused(
                400, f"This model's maximum context length is {self.context} tokens.", "context_length_exceeded"
            )
        return None

    async def _answered(self, asked: Asked, writer: asyncio.StreamWriter) -> bool:
        async with self._places:
            begin = time.monotonic()
            self._under_way.add(asked.number)
            self.most_at_once = max(self.most_at_once, len(self._under_way))
            try:
                if wrong := self._unwelcome(asked):
                    return await _write(writer, *_fault(wrong))
                if self.latency:
                    await asyncio.sleep(self.latency)
                return await self._write_reply(asked, self._reply(asked), writer)
            finally:
                self._under_way.discard(asked.number)
                self._spans.append((begin, time.monotonic()))

    def _reply(self, asked: Asked) -> Reply:
        if self.agrees and (agreed := agreeing(asked)) is not None:
            return agreed
        return self.queue.popleft() if self.queue else self.compute(asked) if self.compute else Refused(500)

    async def _write_reply(self, asked: Asked, reply: Reply, writer: asyncio.StreamWriter) -> bool:
        if isinstance(reply, Slow):
            await asyncio.sleep(reply.seconds)
            reply = reply.then
        if isinstance(reply, Refused):
            return await _write(writer, *_fault(reply))
        if isinstance(reply, Raw):
            return await _write(writer, 200, reply.body, {})
        if isinstance(reply, Reset):
            return await _torn(writer, reply.after)
        return await _write(writer, 200, self._completion(asked, reply if isinstance(reply, Said) else Said(reply)), {})

    def _completion(self, asked: Asked, said: Said) -> bytes:
        prompt, completion = said.usage or (_prompt_tokens(asked), len(said.text or "") // 4 + 1)
        message = {"role": "assistant", "content": said.text, "refusal": said.refusal, **said.more}
        told: dict[str, Any] = {
            "id": f"fake-{asked.number}",
            "object": "chat.completion",
            "created": 0,
            "model": asked.body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": said.finish}],
        }
        if said.counted:
            self.prompt_tokens += prompt
            self.completion_tokens += completion
            total = prompt + completion
            told["usage"] = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total}
        return json.dumps(told, ensure_ascii=False).encode()


def _prompt_tokens(asked: Asked) -> int:
    return sum(len(message["content"]) for message in asked.messages) // 4 + 1


def _fault(refused: Refused) -> tuple[int, bytes, Mapping[str, str]]:
    told = {"error": {"message": refused.message, "type": "invalid_request_error", "param": None, "code": refused.code}}
    body = json.dumps(told).encode() if refused.raw is None else refused.raw
    return refused.status, body, refused.headers


async def _write(writer: asyncio.StreamWriter, status: int, body: bytes, headers: Mapping[str, str]) -> bool:
    lines = [f"HTTP/1.1 {status} {WORDS.get(status, 'Status')}", "Content-Type: application/json"]
    lines += [f"Content-Length: {len(body)}", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    writer.write("\r\n".join(lines).encode() + body)
    await writer.drain()
    return True


async def _torn(writer: asyncio.StreamWriter, after: int) -> bool:
    if after:
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n" + b" " * after
        )
        await writer.drain()
    taken = writer.get_extra_info("socket")
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset, and no polite end
    writer.transport.abort()
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--slots", type=int, default=10_000)
    parser.add_argument("--answer", default='{"word": "yes"}')
    chosen = parser.parse_args()
    with FakeModel(compute=lambda _: chosen.answer, latency=chosen.latency, slots=chosen.slots) as served:
        print(served.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
