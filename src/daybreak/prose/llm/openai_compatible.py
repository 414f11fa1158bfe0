"""One exchange with an OpenAI-compatible server by the official client: the only file that imports `openai`.

The client only sends: tries, waits and limits are ours, and the answer is read here, bounded and piece by piece, since
a server may send anything. Its errors carry the request, so none of them leaves this file.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct, field

from daybreak import __version__
from daybreak.core.errors import ConfigError
from daybreak.core.http import Backoff, NetFault, limited_transport
from daybreak.core.origin import install
from daybreak.prose.llm import Prompt
from daybreak.prose.llm.endpoints import Endpoint

if TYPE_CHECKING:
    import openai


# --- What can go wrong with one request to a model, by kind; servers differ in words, so several are known for each ---
# No words of an answer get into a message: they may hold anything, a key as well.


Kind = Literal[
    "unreachable", "slow", "busy", "limited", "closed", "form", "parameter", "refused", "too_long", "rejected"
]
"""`unreachable` no connection, or it broke; `slow` not in time; `busy` a fault of the server; `limited` too many
requests; `closed` no key, a wrong key, no money left or no such model: no later try can help; `form` the server does
not take this form of structured output, `parameter` or this parameter; `refused` the content is refused; `too_long` the
prompt does not fit; `rejected` the server does not take the request, for a reason of its own."""

PASSING: frozenset[Kind] = frozenset({"unreachable", "slow", "busy"})
"""Waiting may help."""


class Trouble(Exception):
    """One request brought no answer."""

    def __init__(self, kind: Kind, detail: str, wait: float | None = None, parameter: str = "") -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind, self.detail, self.wait, self.parameter = kind, detail, wait, parameter


_TOO_LONG = re.compile(
    r"context[ _]?(?:length|size|window)|maximum (?:context|input|prompt|sequence)|max_model_len|max_seq_len"
    r"|(?:prompt|input|request|sequence)[^.]{0,40}(?:too long|too large|longer than|exceed)|too many tokens"
    r"|range of input length|reduce the length|exceeds the available context",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"content[_ ]?(?:filter|policy|management)|data_?inspection|content exists risk|inappropriate content|moderation"
    r"|safety system|sensitive (?:content|words|information)",
    re.IGNORECASE,
)
_FORM = re.compile(r"response_?format|json_?schema|json_?object|structured|guided|grammar|schema", re.IGNORECASE)
_PARAMETER = re.compile(r"\b(temperature|max_tokens|max_completion_tokens|seed)\b", re.IGNORECASE)
_NO_MONEY = re.compile(
    r"insufficient[_ ](?:quota|balance|credit|funds)|billing|exceeded your current quota", re.IGNORECASE
)
_NO_MODEL = re.compile(r"model", re.IGNORECASE)
READ = 4_000
"""Characters of a fault's text that are looked at."""


def from_status(status: int, said: str, wait: float | None = None) -> Trouble:
    """What a server's status and words mean."""
    said = said[:READ]
    if status in (401, 403):
        return _refusal_or(said, Trouble("closed", f"does not accept the key (HTTP {status})"))
    if status in (402, 404) or 300 <= status < 400:
        return Trouble("closed", f"{_closed(status, said)} (HTTP {status})")
    if status == 429:
        if _NO_MONEY.search(said):
            return Trouble("closed", f"{_closed(402, said)} (HTTP 429)")
        return Trouble("limited", "says that there are too many requests", wait)
    # Some servers give a fault of their own for a prompt that does not fit.
    if status in (408, 409, 425) or (status >= 500 and not _TOO_LONG.search(said)):
        return Trouble("busy", f"answers with HTTP {status}", wait)
    return _bad_request(status, said)


def _closed(status: int, said: str) -> str:
    if status == 402:
        return "says that the account has nothing left"
    if status == 404:
        return "does not have the model" if _NO_MODEL.search(said) else "has no chat API at this address"
    return "sends us elsewhere"


def _refusal_or(said: str, otherwise: Trouble) -> Trouble:
    return Trouble("refused", "refuses the content") if _REFUSED.search(said) else otherwise


def _bad_request(status: int, said: str) -> Trouble:
    if status == 413 or _TOO_LONG.search(said):
        return Trouble("too_long", "says that the prompt is too long")
    if _REFUSED.search(said):
        return Trouble("refused", "refuses the content")
    # A fault about the form may name other parameters beside it, and not the other way round.
    if _FORM.search(said):
        return Trouble("form", f"does not take this form of structured output (HTTP {status})")
    if named := _PARAMETER.search(said):
        return Trouble("parameter", f"does not take {named[1].lower()} (HTTP {status})", parameter=named[1].lower())
    return Trouble("rejected", f"does not take the request (HTTP {status})")


def retry_after(value: str | None, milliseconds: str | None = None) -> float | None:
    """Seconds that a server asks for, from its headers; dates are left to our own waits."""
    for text, unit in ((milliseconds, 1000.0), (value, 1.0)):
        if text and re.fullmatch(r"\s*\d{1,9}(?:\.\d{1,9})?\s*", text):
            return float(text) / unit
    return None


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
        except NetFault as error:
            raise Trouble("unreachable", error.reason) from None
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
                http_client=library.DefaultAsyncHttpxClient(
                    follow_redirects=False, transport=limited_transport(library.DefaultAsyncHttpxClient, LARGEST)
                ),
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
            f"Install it: {install('llm')}",
        ) from None
    return openai


async def _answer(client: openai.AsyncOpenAI, body: Mapping[str, Any] | None) -> bytes:
    """To a question, or without one the list of models."""
    streaming = client.with_streaming_response
    opened: Any = streaming.models.list() if body is None else streaming.chat.completions.create(**body)
    async with opened as response:
        whole: bytes = await response.read()
        return whole


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


# --- How a server is told the form of the answer, and what else it does not take: found out once, then remembered ---
# The strictest form comes first. A server that refuses one is asked in the next; the form that brought an answer stays.


FORMS = ("json_schema", "json_object", "text")
_TELLS = "Answer with one JSON object of this JSON Schema and with nothing else, no fences and no comment:\n"
_AGAIN = (
    "Your last answer could not be used: {wrong}. Answer again, completely, with one JSON object of the asked form."
)


class Form:
    """What one endpoint takes."""

    def __init__(self, structured: str) -> None:
        self._fixed = structured != "auto"
        self.name = structured if self._fixed else FORMS[0]
        self._tokens = "max_tokens"
        self._temperature = True
        self._proven = ""

    def works(self, sent: Mapping[str, Any]) -> None:
        """A question that was sent so brought an answer."""
        self._proven = _form_of(sent)

    def messages(self, prompt: Prompt, wrong: str = "", *, formless: bool = False) -> list[dict[str, str]]:
        """The prompt as it is; where the server is not given the schema, or did not heed it, it is told as well."""
        system, user = prompt.system, prompt.user
        if self.name != "json_schema" or formless:
            system = f"{system}\n\n{_TELLS}{compact(prompt.schema)}"
        if wrong:
            user = f"{user}\n\n{_AGAIN.format(wrong=wrong[:500])}"
        return [{"role": "system", "content": system}, {"role": "user", "content": user}]

    def options(self, prompt: Prompt) -> dict[str, Any]:
        options: dict[str, Any] = {self._tokens: prompt.most}
        if self._temperature:
            options["temperature"] = 0
        if self.name == "json_schema":
            schema = {
                "name": prompt.task.replace("/", "_").replace(".", "_")[:64],
                "strict": True,
                "schema": prompt.schema,
            }
            options["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif self.name == "json_object":
            options["response_format"] = {"type": "json_object"}
        return options

    def learn(self, trouble: Trouble, sent: Mapping[str, Any]) -> bool:
        """Take note of what the server refused; True when it is worth asking again. `sent`: the options of that time.

        Many questions are under way at once, and all of them are refused for the same reason: only the first one
        changes anything, the others go again with what is known by then.
        """
        if trouble.kind == "parameter":
            return self._drop(trouble.parameter, sent)
        if self._fixed or trouble.kind not in ("form", "rejected"):
            return False
        used = _form_of(sent)
        if used == self._proven and trouble.kind == "rejected":
            return False  # it is not the form that is at fault
        if used == self.name:
            if used == FORMS[-1]:
                self.name = self._proven or FORMS[0]
                return False
            self.name = FORMS[FORMS.index(used) + 1]
        return True

    def _drop(self, parameter: str, sent: Mapping[str, Any]) -> bool:
        if parameter == "temperature":
            self._temperature = False
            return "temperature" in sent
        if parameter == "max_tokens" and parameter in sent:
            self._tokens = "max_completion_tokens"
            return True
        return False


def _form_of(options: Mapping[str, Any]) -> str:
    return str(options.get("response_format", {}).get("type", FORMS[-1]))


def compact(schema: Mapping[str, Any]) -> str:
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))


# --- One endpoint while a run works with it: its connection, the form it takes, its rests, and whether it was left ---


class Patience(Struct, frozen=True):
    """How long a question is tried."""

    tries: int = 7
    """At the last endpoint, when it cannot be reached or is at fault: a restart of the server is waited for."""
    tries_first: int = 4
    """The same, while it has never answered: it may not run at all."""
    tries_before: int = 2
    """Where there is another endpoint."""
    slow: int = 2
    """Tries that may end by time."""
    limited: float = 300.0
    """Seconds in all that a question waits where there are too many requests; a tenth where there is another endpoint."""
    failures: int = 3
    """Questions given up in a row, after which an endpoint is left."""
    backoff: Backoff = field(default_factory=lambda: Backoff(first=1.0, most=30.0))


class Clock(Struct, frozen=True):
    """Time and chance, which a test sets."""

    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random


class Server:
    """The state of an endpoint in this process."""

    def __init__(self, endpoint: Endpoint, timeout: float, clock: Clock) -> None:
        self.endpoint = endpoint
        self.connection = Connection(endpoint, timeout)
        self.form = Form(endpoint.structured)
        self.left = "" if endpoint.usable else f"was not asked: {endpoint.key_env} is not set"
        """Why it is asked no more."""
        self.failures = 0
        self.answered = False
        self._clock = clock
        self._rests_until = 0.0

    def answers(self) -> None:
        """It gave an answer, whatever that is worth."""
        self.failures, self.answered = 0, True

    @property
    def resting(self) -> float:
        """Seconds until it may be asked again."""
        return max(0.0, self._rests_until - self._clock.monotonic())

    def rest(self, seconds: float) -> None:
        """All questions wait: the server said that there are too many of them."""
        self._rests_until = max(self._rests_until, self._clock.monotonic() + seconds)
