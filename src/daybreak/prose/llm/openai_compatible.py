"""One exchange with an OpenAI-compatible server by the official client: the only file that imports `openai`.

The client only sends: tries, waits and limits are ours, and the answer is read here, bounded and piece by piece, since
a server may send anything. Its errors carry the request, so none of them leaves this file.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from daybreak import __version__
from daybreak.core.errors import ConfigError
from daybreak.prose.llm.endpoints import Endpoint
from daybreak.prose.llm.error_kinds import READ, Trouble, from_status, retry_after

if TYPE_CHECKING:
    import openai

LARGEST = 8 << 20
"""Bytes of an answer."""
CONNECT = 10.0
_NO_KEY = "-"
_MOST_COUNTED = 1_000_000_000


class Reply(Struct, frozen=True):
    """What a model wrote, before anybody looked at it."""

    text: str
    cut: bool
    """It ended because of its length."""
    refused: bool
    prompt_tokens: int
    completion_tokens: int
    counted: bool
    """The server said how many tokens there were."""


class Connection:
    """To one endpoint; many exchanges at once on one event loop."""

    def __init__(self, endpoint: Endpoint, timeout: float) -> None:
        self._endpoint, self._timeout = endpoint, timeout
        self._client: openai.AsyncOpenAI | None = None

    async def send(self, messages: Sequence[Mapping[str, str]], options: Mapping[str, Any]) -> Reply:
        """The whole answer; a `Trouble` when there is none."""
        # The client looks into everything but an extra body, which takes longer than sending it.
        extra = {**options, **self._endpoint.extra, "messages": list(messages), "stream": False}
        body = {"model": self._endpoint.model, "messages": (), "extra_body": extra}
        return _reply(await self._exchanged(body))

    async def models(self) -> list[str]:
        """Names of the models that the server lists."""
        return _listed(await self._exchanged(None))

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _exchanged(self, body: Mapping[str, Any] | None) -> bytes:
        client = self._opened()
        import openai

        try:
            async with asyncio.timeout(self._timeout):
                return await _answer(client, body)
        except (TimeoutError, openai.APITimeoutError):
            raise Trouble("slow", f"did not answer within {self._timeout:g} seconds") from None
        except openai.APIStatusError as error:
            headers = error.response.headers
            wait = retry_after(headers.get("retry-after"), headers.get("retry-after-ms"))
            raise from_status(error.status_code, _words(error), wait) from None
        except openai.APIConnectionError:
            raise Trouble("unreachable", "cannot be reached") from None
        except Trouble:
            raise
        except Exception:  # noqa: BLE001  whatever else the library raises carries the request, and with it the key
            raise Trouble("unreachable", "ended its answer in the middle") from None

    def _opened(self) -> openai.AsyncOpenAI:
        if self._client is None:
            library = library_there()
            key = self._endpoint.key
            client = library.AsyncOpenAI(
                api_key=key.reveal() if key else _NO_KEY,
                base_url=self._endpoint.base_url,
                max_retries=0,
                timeout=library.Timeout(self._timeout, connect=min(CONNECT, self._timeout)),
                default_headers={"User-Agent": f"daybreak/{__version__}"},
                http_client=library.DefaultAsyncHttpxClient(follow_redirects=False),
            )
            # These come from variables that are meant for OpenAI's own server.
            client.organization = client.project = None
            self._client = client
        return self._client


def library_there() -> Any:
    """The official client; a config error with the install line when it is not installed."""
    try:
        import openai
    except ImportError:
        raise ConfigError(
            "The analyst 'llm' needs the package openai, which is not installed.",
            'Install it with: pip install "daybreak[llm]"',
        ) from None
    return openai


async def _answer(client: openai.AsyncOpenAI, body: Mapping[str, Any] | None) -> bytes:
    """To a question, or without one the list of models; read in pieces, so that it can be too large."""
    streaming = client.with_streaming_response
    opened: Any = streaming.models.list() if body is None else streaming.chat.completions.create(**body)
    pieces, size = [], 0
    async with opened as response:
        async for piece in response.iter_bytes():
            size += len(piece)
            if size > LARGEST:
                raise Trouble("rejected", f"gave an answer of more than {LARGEST >> 20} MB")
            pieces.append(piece)
    return b"".join(pieces)


def _words(error: openai.APIStatusError) -> str:
    """What the server says of its fault, to find out the kind of it; shown to nobody."""
    return f"{error.code or ''} {error.type or ''} {error.message}"[:READ]


# --- reading ---------------------------------------------------------------------------------------------------------


class _Message(msgspec.Struct):
    content: Any = None
    refusal: Any = None


class _Choice(msgspec.Struct):
    message: _Message = msgspec.field(default_factory=_Message)
    finish_reason: Any = None


class _Usage(msgspec.Struct):
    prompt_tokens: Any = None
    completion_tokens: Any = None


class _Completion(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    error: Any = None


class _Model(msgspec.Struct):
    id: str


class _Models(msgspec.Struct):
    data: list[_Model]


def _reply(body: bytes) -> Reply:
    try:
        found = msgspec.json.decode(body, type=_Completion)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise Trouble("busy", "gave an answer that is no completion") from None
    if not found.choices:
        # Gateways put the fault of the server behind them into a good answer.
        said = msgspec.json.encode(found.error).decode()[:READ] if found.error else ""
        code = found.error.get("code") if isinstance(found.error, dict) else None
        raise from_status(code if isinstance(code, int) and 400 <= code < 600 else 502, said)
    choice = found.choices[0]
    if choice.finish_reason == "error":
        raise Trouble("busy", "broke its answer off with a fault")
    usage = found.usage or _Usage()
    return Reply(
        text=_text(choice.message.content),
        cut=choice.finish_reason in ("length", "max_tokens"),
        refused=choice.finish_reason == "content_filter" or bool(choice.message.refusal),
        prompt_tokens=_count(usage.prompt_tokens),
        completion_tokens=_count(usage.completion_tokens),
        counted=found.usage is not None,
    )


def _text(content: Any) -> str:
    """Plain, or in parts as some servers give it."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _count(value: Any) -> int:
    return min(value, _MOST_COUNTED) if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _listed(body: bytes) -> list[str]:
    try:
        return [one.id for one in msgspec.json.decode(body, type=_Models).data]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise Trouble("rejected", "does not list its models") from None
