"""Targets of the config as values: their kind, their address as a secret, and a name that gives nothing away."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from daybreak.core.config import Settings
from daybreak.core.config.notify import PLACEHOLDER, TargetConfig
from daybreak.core.http.secrets import Secret
from daybreak.core.words.catalogue import languages

KINDS: Mapping[str, str] = {
    "feishu": "feishu",
    "lark": "lark",
    "wecombot": "wecom",
    "wecom": "wecom",
    "dingtalk": "dingtalk",
    "slack": "slack",
    "discord": "discord",
    "tgram": "telegram",
    "telegram": "telegram",
    "matrix": "matrix",
    "matrixs": "matrix",
    "mailto": "mail",
    "mailtos": "mail",
    **dict.fromkeys(("json", "jsons", "form", "forms", "xml", "xmls"), "webhook"),
}
"""Scheme -> kind; every other scheme that apprise knows is `other`."""

OWN = ("feishu", "lark", "wecom", "dingtalk")
"""Robots whose messages we make and post ourselves."""
_HOSTS = {
    "open.feishu.cn": "feishu",
    "open.larksuite.com": "lark",
    "qyapi.weixin.qq.com": "wecom",
    "oapi.dingtalk.com": "dingtalk",
    "hooks.slack.com": "slack",
    "discord.com": "discord",
    "discordapp.com": "discord",
}
_ENDPOINTS = {
    "feishu": "https://open.feishu.cn/open-apis/bot/v2/hook/{}",
    "lark": "https://open.larksuite.com/open-apis/bot/v2/hook/{}",
    "wecom": "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={}",
    "dingtalk": "https://oapi.dingtalk.com/robot/send?access_token={}",
}
_TELLING = ("mail", "webhook")
"""Kinds whose address begins with a host; in others a token may stand there."""


@dataclass(frozen=True, slots=True)
class Target:
    """Somebody who is told."""

    number: int
    """As in the config, from 1 on."""
    id: str
    shown: str
    kind: str
    address: Secret = field(repr=False)
    secret: Secret | None = field(default=None, repr=False)
    on: tuple[str, ...] = ()
    repos: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    languages: tuple[str, ...] = field(default_factory=lambda: languages()[:1])
    quiet: bool = True
    again: bool = False
    fault: str | None = None
    """Why nothing can be sent to it, as part of a sentence."""


def targets_of(settings: Settings) -> tuple[Target, ...]:
    """All targets of the config; one that cannot be used says why, and the others are not kept from their messages."""
    config = settings.config.notify
    return tuple(_target(number, one, settings, config.on) for number, one in enumerate(config.targets(), 1))


def _target(number: int, config: TargetConfig, settings: Settings, on: tuple[str, ...]) -> Target:
    address, fault = _address(config, settings.environment)
    kind, fault = (_kind(address), fault) if fault is None else ("other", fault)
    secret = settings.environment.get(config.secret_env, "") if config.secret_env else ""
    if config.secret_env and not secret:
        fault = fault or f"the environment has no {config.secret_env}"
    if kind in OWN and fault is None:
        address, secret = _endpoint(kind, address, secret)
    if kind == "" and fault is None:
        fault = "its address is of no known kind (for an ordinary webhook write json:// or jsons://)"
    return Target(
        number=number,
        id=_identity(config),
        shown=config.name or _shown(kind, address, fault),
        kind=kind or "other",
        address=Secret(address),
        secret=Secret(secret) if secret else None,
        on=config.on or on,
        repos=config.repos,
        levels=config.levels,
        languages=config.languages or settings.languages[:1],
        quiet=config.quiet,
        again=config.again,
        fault=fault,
    )


def _address(config: TargetConfig, environment: Mapping[str, str]) -> tuple[str, str | None]:
    """The whole address, and why it cannot be had."""
    if config.url_env:
        text = environment.get(config.url_env, "").strip()
        fault = None if text else f"the environment has no {config.url_env}"
    else:
        wanted = PLACEHOLDER.findall(config.url)
        missing = next((name for name in wanted if not environment.get(name)), None)
        fault = None if missing is None else f"the environment has no {missing}"
        alone = PLACEHOLDER.fullmatch(config.url.strip()) is not None
        text = PLACEHOLDER.sub(lambda m: _inserted(environment.get(m[1], ""), alone), config.url)
    if fault is None and re.search(r"[\x00-\x20\x7f]", text):
        fault = "its address has a blank or a control character in it"
    return text, fault


def _inserted(value: str, alone: bool) -> str:
    """A variable inside an address: what would end a part of the address is written as a percent code."""
    return value.strip() if alone else quote(value.strip(), safe="/:%")


def _kind(address: str) -> str:
    """Empty when it is none."""
    scheme, _, _ = address.partition("://")
    base, _, over = scheme.lower().partition("+")
    if over in ("http", "https"):
        return KINDS.get(base, "") if KINDS.get(base) in OWN else ""
    if base in ("http", "https"):
        return _HOSTS.get(_host(address), "")
    return KINDS.get(base, "other")


def _host(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").lower()
    except ValueError:
        return ""


def _endpoint(kind: str, address: str, secret: str) -> tuple[str, str]:
    """Where a robot is posted to, and what it is signed with."""
    scheme, _, rest = address.partition("://")
    base, _, over = scheme.lower().partition("+")
    parts = urlsplit(f"x://{rest}")
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    secret = secret or next((value for name, value in pairs if name == "secret"), "")
    query = urlencode([pair for pair in pairs if pair[0] != "secret"])
    if over or base in ("http", "https"):
        return urlunsplit((over or base, parts.netloc, parts.path, query, "")), secret
    before, at, token = parts.netloc.rpartition("@")
    if at and kind == "dingtalk":
        secret = secret or unquote(before)
    token = token or parts.path.strip("/")
    return _ENDPOINTS[kind].format(quote(unquote(token), safe="")), secret


def _identity(config: TargetConfig) -> str:
    """A hash of what the config says, without passwords: a new token is the same target."""
    written = (
        f"env:{config.url_env}" if config.url_env else re.sub(r"(?<=//)([^/@:\s]*):[^/@\s]*(?=@)", r"\1", config.url)
    )
    return hashlib.sha256(f"{written}\n{config.name}".encode()).hexdigest()[:16]


def _shown(kind: str, address: str, fault: str | None) -> str:
    if kind in _TELLING and fault is None:
        return f"{kind} {_host(address)[:60]}".strip()
    return kind or "unknown"
