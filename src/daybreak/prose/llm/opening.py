"""From the config to a model that can be asked, and what the doctor wants to know of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from daybreak.core.config.sections import AnalystConfig
from daybreak.core.errors import ConfigError, DaybreakError
from daybreak.prose.llm import KeptAnswers
from daybreak.prose.llm.asking import AskedModel, Purse, Spent
from daybreak.prose.llm.endpoints import Endpoint, critic_of, endpoints_of
from daybreak.prose.llm.openai_compatible import Connection, Trouble, library_there

DOCTORS_PATIENCE = 15.0


def open_model(
    config: AnalystConfig,
    environment: Mapping[str, str],
    kept: KeptAnswers,
    say: Callable[[str], None],
    spent: Callable[[Spent], None] | None = None,
    *,
    offline: bool = False,
    force: bool = False,
) -> AskedModel:
    """The analyst's model; raises when the config names none, when no key is there, or when the client is missing."""
    endpoints = endpoints_of(config, environment)
    if not offline:
        library_there()
        _one_usable(endpoints)
    purse = Purse(config.budget.tokens, config.budget.money, spent)
    return _asked(endpoints, config, kept, say, purse, offline, force)


def open_critic(
    config: AnalystConfig,
    environment: Mapping[str, str],
    kept: KeptAnswers,
    say: Callable[[str], None],
    beside: AskedModel,
) -> AskedModel | None:
    """The critic: one of its own, else the same model in a fresh context; None where it is switched off. One purse pays."""
    if not config.critic.ask:
        return None
    endpoint = critic_of(config, environment)
    if endpoint is None:
        return beside
    return _asked((endpoint,), config, kept, say, beside.purse, beside.offline, beside.force)


def _asked(
    endpoints: tuple[Endpoint, ...],
    config: AnalystConfig,
    kept: KeptAnswers,
    say: Callable[[str], None],
    purse: Purse,
    offline: bool,
    force: bool,
) -> AskedModel:
    slots, timeout = config.slots, config.timeout
    return AskedModel(endpoints, kept, say, slots=slots, timeout=timeout, purse=purse, offline=offline, force=force)


def _one_usable(endpoints: tuple[Endpoint, ...]) -> None:
    if not any(endpoint.usable for endpoint in endpoints):
        names = ", ".join(dict.fromkeys(endpoint.key_env for endpoint in endpoints))
        raise ConfigError(f"There is no key for the model: {names} is not set.", "Set it, or use --analyst rules.")


async def look_at(endpoint: Endpoint, *, offline: bool = False) -> str:
    """Whether it can be reached, takes the key and has the model, in words; raises what a run would meet."""
    named = f"model {endpoint.model} at {endpoint.name}"
    library_there()
    if not endpoint.usable:
        raise DaybreakError(f"{endpoint.key_env} is not set.", "Put the key of the model's server into that variable.")
    if offline:
        return f"{named}: not asked now"
    connection = Connection(endpoint, DOCTORS_PATIENCE)
    try:
        listed = await connection.models()
    except Trouble as trouble:
        if trouble.kind == "rejected" or (trouble.kind == "closed" and trouble.detail.endswith("(HTTP 404)")):
            return f"{named}: reached; it does not list its models"
        raise DaybreakError(
            f"{endpoint.name} {trouble.detail}.",
            _MENDS.get(trouble.kind, "Check base_url and whether the server runs."),
        ) from None
    finally:
        await connection.close()
    if not any(_same(one, endpoint.model) for one in listed):
        raise DaybreakError(f"{endpoint.name} does not list that model.", f"It lists {_some(listed)}.")
    return f"{named}: reached, {'the key is accepted, ' if endpoint.key else ''}the model is there"


_MENDS = {"closed": "Check the key, its rights and the account.", "limited": "Try again later."}


def _same(listed: str, wanted: str) -> bool:
    """Ollama lists `name:latest`, Google `models/name`."""
    return wanted in (listed, listed.removesuffix(":latest"), listed.removeprefix("models/"))


def _some(listed: list[str], most: int = 5) -> str:
    shown = ", ".join(name[:60] for name in listed[:most])
    return f"{shown} and {len(listed) - most} more" if len(listed) > most else shown or "none"
