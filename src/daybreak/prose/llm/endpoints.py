"""Endpoints as values: where a model is asked, with which key, and what it costs there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct, field
from msgspec.structs import replace

from daybreak.core.config.sections import OPENAI, AnalystConfig, EndpointConfig
from daybreak.core.errors import ConfigError
from daybreak.core.http import Secret

MILLION = 1_000_000


class Endpoint(Struct, frozen=True):
    """A server and a model there."""

    base_url: str
    model: str
    key: Secret | None = None
    key_env: str = ""
    """The variable that the key is in; with it and without a key, the server is not asked."""
    structured: str = "auto"
    price_in: float | None = None
    price_out: float | None = None
    context: int = 0
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Sent besides."""

    @property
    def voice(self) -> str:
        """Who answers: the model, and what changes its answers. Where it stands changes nothing."""
        return f"{self.model} {json.dumps(self.extra, sort_keys=True)}" if self.extra else self.model

    @property
    def name(self) -> str:
        """Host and port: what may be told of it."""
        parts = urlsplit(self.base_url)
        return f"{parts.hostname}:{parts.port}" if parts.port else f"{parts.hostname}"

    @property
    def usable(self) -> bool:
        return self.key is not None or not self.key_env

    def money(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        if self.price_in is None or self.price_out is None:
            return None
        return (prompt_tokens * self.price_in + completion_tokens * self.price_out) / MILLION


def endpoint_of(config: EndpointConfig, environment: Mapping[str, str]) -> Endpoint:
    key = environment.get(config.api_key_env, "").strip() if config.api_key_env else ""
    return Endpoint(
        base_url=(config.base_url or OPENAI).rstrip("/"),
        model=config.model,
        key=Secret(key) if key else None,
        key_env=config.api_key_env,
        structured=config.structured,
        price_in=config.price_in,
        price_out=config.price_out,
        context=config.context,
        extra=config.extra,
    )


def endpoints_of(config: AnalystConfig, environment: Mapping[str, str]) -> tuple[Endpoint, ...]:
    """In order of preference; raises when the config names no model."""
    found = tuple(endpoint_of(one, environment) for one in config.endpoints)
    if not found:
        raise ConfigError(
            "The analyst is 'llm', and no model is named.",
            "Add base_url, model and api_key_env to [analyst], or use kind = 'rules'.",
        )
    return found


def critic_of(config: AnalystConfig, environment: Mapping[str, str]) -> Endpoint | None:
    """A critic of its own, where the config names one: on the first endpoint's server unless it names another."""
    critic = config.critic
    if not critic.model or not critic.ask:
        return None
    found = endpoint_of(critic, environment)
    if critic.base_url or not config.endpoints:
        return found
    first = endpoint_of(config.endpoints[0], environment)
    if critic.api_key_env:
        return replace(found, base_url=first.base_url)
    return replace(found, base_url=first.base_url, key=first.key, key_env=first.key_env)


# --- How many tokens a text may have, without any model's tokenizer: near enough to split by, and an upper bound to pay by ---


_PER_MESSAGE = 16
"""What the form of a chat adds around the texts."""


def tokens(text: str) -> int:
    """About as many as usual tokenizers make of code and prose; rather more than less."""
    plain = len(text.encode("ascii", "ignore"))
    return plain // 3 + (len(text) - plain) + 1


def most_tokens(text: str) -> int:
    """An upper bound for budgets: half a token for each byte holds for all but texts of random letters."""
    return len(text.encode("utf-8", "replace")) // 2 + _PER_MESSAGE
