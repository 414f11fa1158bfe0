"""The `[analyst]` part of `daybreak.toml`: which models are asked, in which order, for what, and for how much.

`daybreak.core.config` loads and shows it. A key itself never stands in the file: `api_key_env` names the variable it is in.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from daybreak.core.errors import ConfigError

STRUCTURED = ("auto", "json_schema", "json_object", "text")
GRADES = ("high", "medium", "low")
MOST_SLOTS = 1024
OPENAI = "https://api.openai.com/v1"


class EndpointConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """One `[[analyst.endpoint]]`: a server that speaks the chat API of OpenAI, and a model there."""

    base_url: str = ""
    """Empty: OpenAI's own."""
    model: str = ""
    api_key_env: str = ""
    """Name of the environment variable that holds the key; empty: the server needs none."""
    structured: str = "auto"
    """How it is told the form of an answer; auto: the strictest that the server takes."""
    price_in: float | None = None
    """Of a million tokens of prompts, in `currency`."""
    price_out: float | None = None
    context: int = 0
    """Tokens that prompt and answer may have together; 0: unknown, the server says when it is too much."""
    extra: dict[str, Any] = {}
    """Sent with each question as it stands, such as `enable_thinking = false`: what this server or model needs besides."""


class CriticConfig(EndpointConfig, frozen=True, forbid_unknown_fields=True):
    """A second model that judges whether the evidence carries a statement; off until it names a `model`."""


class BudgetConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """What one run may use; 0: no limit."""

    tokens: int = 0
    money: float = 0.0
    changes: int = 0
    """Changes of a day that are asked about, the most important ones."""
    parts: int = 0
    """Questions that one large change is read in; what is beyond them is said to be unread."""


class AnalystConfig(EndpointConfig, frozen=True, forbid_unknown_fields=True):
    """Who writes the prose. The keys of an endpoint that stand here are those of the first one."""

    kind: str = "rules"
    endpoint: tuple[EndpointConfig, ...] = ()
    """In order of preference, after the one above if there is one."""
    critic: CriticConfig = CriticConfig()
    grade: str = "medium"
    """Changes of this importance and above are told by the model, the others by rules."""
    slots: int = 8
    """Requests under way at a time."""
    timeout: float = 120.0
    """Seconds that a whole answer may take."""
    budget: BudgetConfig = BudgetConfig()
    currency: str = "USD"
    """Of prices and of `budget.money`; only shown."""

    @property
    def endpoints(self) -> tuple[EndpointConfig, ...]:
        """Those that name a model, in order of preference."""
        return tuple(one for one in (self, *self.endpoint) if one.model)


def check_analyst(config: AnalystConfig, file: str) -> None:
    """What types alone cannot say; raises for the first mistake."""
    if config.kind not in ("rules", "llm"):
        raise ConfigError(f"{file}: analyst.kind: {config.kind!r} is unknown.", "Use 'rules' or 'llm'.")
    if config.grade not in GRADES:
        raise ConfigError(f"{file}: analyst.grade: {config.grade!r} is no importance.", f"Use {_either(GRADES)}.")
    if not 1 <= config.slots <= MOST_SLOTS:
        raise ConfigError(f"{file}: analyst.slots: {config.slots} is out of range.", f"Use 1 to {MOST_SLOTS}.")
    if not 0 < config.timeout <= 86_400:
        raise ConfigError(f"{file}: analyst.timeout: {config.timeout:g} is out of range.", "Seconds, 120 for example.")
    if min(
        config.budget.tokens, config.budget.changes, config.budget.parts
    ) < 0 or not 0 <= config.budget.money < float("inf"):
        raise ConfigError(f"{file}: analyst.budget is below zero or no number.", "Use 0 for no limit.")
    _check_endpoint(config, f"{file}: analyst")
    for number, one in enumerate(config.endpoint, 1):
        _check_endpoint(one, f"{file}: analyst.endpoint {number}")
        if not one.model:
            raise ConfigError(f"{file}: analyst.endpoint {number} names no model.", 'Add model = "…" to it.')
    _check_endpoint(config.critic, f"{file}: analyst.critic")
    paid = (*config.endpoints, *([config.critic] if config.critic.model else []))
    if config.budget.money and any(None in (one.price_in, one.price_out) for one in paid):
        raise ConfigError(
            f"{file}: analyst.budget.money needs prices of every endpoint.", "Add price_in and price_out (0 for free)."
        )


def _check_endpoint(one: EndpointConfig, where: str) -> None:
    """No value that may be a secret by mistake is repeated."""
    if one.base_url:
        _check_address(one.base_url, f"{where}.base_url")
    if one.api_key_env and not re.fullmatch(r"[A-Z_][A-Z0-9_]{0,99}", one.api_key_env):
        raise ConfigError(
            f"{where}.api_key_env is not the name of an environment variable.",
            "Write the name, such as OPENAI_API_KEY, and put the key itself into that variable.",
        )
    if one.structured not in STRUCTURED:
        raise ConfigError(f"{where}.structured: {one.structured!r} is unknown.", f"Use {_either(STRUCTURED)}.")
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in one.model) or len(one.model) > 200:
        raise ConfigError(f"{where}.model is not a name.", "Write it as the server lists it.")
    if any(price is not None and not 0 <= price < float("inf") for price in (one.price_in, one.price_out)):
        raise ConfigError(f"{where}: a price is below zero or no number.", "Prices are per million tokens.")
    _check_extra(one, where)
    if one.context < 0:
        raise ConfigError(f"{where}.context is below zero.", "Use 0 when it is not known.")


def _check_extra(one: EndpointConfig, where: str) -> None:
    import json

    taken = {"model", "messages", "stream", "response_format", "max_tokens", "max_completion_tokens", "n"} & set(
        one.extra
    )
    if taken:
        raise ConfigError(f"{where}.extra: {min(taken)!r} is ours to send.", "Remove it there.")
    try:
        json.dumps(one.extra, allow_nan=False)
    except (TypeError, ValueError):
        raise ConfigError(
            f"{where}.extra holds what JSON cannot say.", "Use text, numbers, lists and tables."
        ) from None


def _check_address(address: str, where: str) -> None:
    try:
        parts = urlsplit(address)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        fine = False
    if not fine or not re.fullmatch(r"[!-~]+", address):
        raise ConfigError(f"{where} is not a web address.", f"For example {OPENAI!r}.")
    if "@" in parts.netloc:
        raise ConfigError(f"{where} holds a user or a password.", "Put the key into a variable named by api_key_env.")


def _either(names: tuple[str, ...]) -> str:
    quoted = [f"'{name}'" for name in names]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"
