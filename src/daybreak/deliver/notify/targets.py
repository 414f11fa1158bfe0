"""Targets of the config as values, with addresses as secrets, and what became of one try to send, in words of our own."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from fnmatch import fnmatchcase
from typing import Any, Literal
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from msgspec import Struct

from daybreak.core.config import Settings
from daybreak.core.config.sections import PLACEHOLDER, TargetConfig
from daybreak.core.http import Astray, NetFault, Secret, TooLarge, Unreachable
from daybreak.core.model.day import Action, Commit, Day, RepoDay, Skipped, Touch
from daybreak.core.plugins import NOTIFIERS, installed
from daybreak.core.words.phrases import languages
from daybreak.store import Receipt

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

PLUGIN = "plug-in "
"""Before the scheme of a target that an installed plug-in sends to."""
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
    areas: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    languages: tuple[str, ...] = field(default_factory=lambda: languages()[:1])
    quiet: bool = True
    prereleases: bool = True
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
        areas=config.areas,
        tags=config.tags,
        languages=config.languages or settings.languages[:1],
        quiet=config.quiet,
        prereleases=config.prereleases,
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
    if base in KINDS:
        return KINDS[base]
    return f"{PLUGIN}{base}" if base in installed(NOTIFIERS) else "other"


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


# --- What of a day a target wants to know, by its rules: repositories, grades, events, quiet; nothing is judged anew ---


OF_DAY = ("report", "breaking", "touched")
"""Events that tell of a reported day."""


class News(Struct, frozen=True):
    """The part of a day that a target is told."""

    day: Day
    repos: tuple[RepoDay, ...]
    touches: tuple[Touch, ...]
    breaking: tuple[tuple[RepoDay, Commit], ...]
    actions: tuple[Action, ...]
    also: tuple[Action, ...]
    more: int
    """Changes that ask for action as well; not known of a part of the day."""
    skipped: tuple[Skipped, ...]

    @property
    def nothing(self) -> bool:
        return not (self.touches or self.breaking or self.actions or self.also or self.skipped)

    @property
    def breaking_rest(self) -> tuple[tuple[RepoDay, Commit], ...]:
        """Breaking changes that the first screen has no room for."""
        told = {sha for one in (*self.actions, *self.also) for sha in one.commits}
        return tuple(pair for pair in self.breaking if pair[1].sha not in told)


class Due(Struct, frozen=True):
    """A message that is to be planned."""

    event: str
    digest: str
    said: str


def news(target: Target, day: Day) -> News:
    """The day as far as the target's rules reach."""
    repos = tuple(repo for repo in day.repos if wants(target.repos, repo.name))
    names = {repo.name for repo in repos}
    changes = [(repo, commit) for repo in repos for commit in repo.changes if _in_reach(target, commit)]
    known = {commit.sha for repo in repos for commit in repo.changes}
    left = {commit.sha for _, commit in changes}
    told = changes if not target.tags or "breaks" in target.tags else []
    breaking = tuple(sorted((pair for pair in told if pair[1].breaking), key=_weight))

    def fits(action: Action) -> bool:
        """An entry that rests on no change of the day is of the whole day."""
        tagged = not target.tags or action.tag in target.tags
        return action.repo in names and tagged and bool(left & set(action.commits) or not known & set(action.commits))

    actions, also = (tuple(filter(fits, row)) for row in (day.actions, day.also))
    whole = len(repos) == len(day.repos) and not (target.levels or target.areas or target.tags)
    more = day.more_actions if whole else 0
    touches = tuple(t for t in (day.touches.found if day.touches else ()) if wants(target.repos, t.repo))
    skipped = tuple(s for s in day.coverage.skipped if not target.repos or _of(s, day, names))
    return News(day, repos, touches, breaking, actions, also, more, skipped)


def due(target: Target, day: Day, told: Iterable[Receipt]) -> Due | None:
    """What is to be sent of the day beside what was planned before: one message, and one more for each new touch."""
    found = news(target, day)
    before = [one for one in told if one.target == target.id and one.event in OF_DAY]
    touches = [touch_id(touch) for touch in found.touches]
    if before:
        known = {line for one in before for line in (one.said or "").splitlines()}
        fresh = [touch for touch in touches if touch not in known]
        return Due("touched", _digest(fresh), "\n".join(fresh)) if fresh and set(target.on) & {*OF_DAY} else None
    said = "\n".join(touches)
    if "report" in target.on:
        return None if target.quiet and found.nothing else Due("report", _digest(touches), said)
    if "breaking" in target.on and (found.breaking or found.touches):
        return Due("breaking", _digest(touches), said)
    return None


def touch_id(touch: Touch) -> str:
    """One finding in one file of yours; lines move when you edit."""
    return " ".join(f"{touch.id} {touch.repo} {touch.path}".split())


def _digest(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(sorted(lines)).encode("utf-8", "replace")).hexdigest()[:16] if lines else ""


def wants(patterns: Sequence[str], name: str) -> bool:
    """A repository is meant by one of the patterns; by none of them, every one is."""
    return not patterns or any(fnmatchcase(name.lower(), pattern.lower()) for pattern in patterns)


def _in_reach(target: Target, commit: Commit) -> bool:
    if target.levels and commit.importance.level not in target.levels:
        return False
    patterns = [pattern.lower() for pattern in target.areas]
    return not patterns or any(fnmatchcase(area.lower(), one) for area in commit.components for one in patterns)


def _of(skipped: Skipped, day: Day, names: set[str]) -> bool:
    """Of a repository that the target wants, or of none that is named: that concerns everybody."""
    named = {repo.name for repo in day.repos if repo.name in skipped.what}
    return not named or bool(named & names)


def _weight(pair: tuple[RepoDay, Commit]) -> tuple[float, str, str]:
    return -pair[1].importance.score, pair[0].name, pair[1].sha


# --- What became of one try to send, in words of our own: no address, no token and no answer of a stranger is in them ---

LONGEST_WAIT = 86_400.0


class Outcome(Struct, frozen=True):
    """`later`: it surely did not arrive; `unsure`: it may have; `refused`: another try would not help."""

    kind: Literal["sent", "later", "unsure", "refused"]
    reason: str | None = None
    after: float | None = None
    """Seconds that the target asks us to wait."""


SENT = Outcome("sent")


class Reply(Struct, frozen=True):
    """An answer over HTTP; the names of headers are in small letters."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""


_BUSY = {
    "feishu": {11232, 9499998, 1000004, 1000005},
    "lark": {11232, 1000004, 1000005},
    "wecom": {-1, 45009, 45033},
    "dingtalk": {-1, 130101, 410100},
}
"""Codes of a robot that mean: not now."""
_MEANING = {
    ("feishu", 19001): "it knows no robot with this token",
    ("feishu", 19021): "the signature does not match, or this machine's clock is wrong",
    ("feishu", 19022): "it does not take messages from this IP address",
    ("feishu", 19024): "the robot wants a keyword that the message does not have",
    ("wecom", 93000): "it knows no robot with this key",
    ("wecom", 40058): "the message is too long for it",
    ("dingtalk", 310000): "the robot's keyword, signature or IP rule does not match",
    ("dingtalk", 300001): "it knows no robot with this token",
    ("dingtalk", 460101): "the message is too long for it",
}
_STATUS = {
    400: "it does not understand the message",
    401: "it does not know our token or password",
    403: "it does not let us in",
    404: "there is nothing at its address",
    410: "it is gone",
    413: "the message is too long for it",
}


def judged(kind: str, reply: Reply, now: datetime) -> Outcome:
    """What an answer means: by its status, and by the code that robots put into an answer with status 200."""
    data = _data(reply.body)
    if reply.status == 504:
        return Outcome("unsure", "a server on the way to it did not wait for its answer (status 504)")
    if reply.status == 429 or reply.status >= 500:
        words = "it takes no more messages for now" if reply.status == 429 else "it has a fault of its own"
        return Outcome("later", f"{words} (status {reply.status})", _after(reply, data, now))
    if not 200 <= reply.status < 300:
        words = _STATUS.get(reply.status, "it sends us elsewhere" if reply.status < 400 else "it refused the message")
        return Outcome("refused", f"{words} (status {reply.status})")
    code = _code(kind, data)
    if code in (0, None):
        return SENT
    if code in _BUSY.get(kind, ()):
        return Outcome("later", f"it takes no more messages for now (code {code})", _after(reply, data, now))
    family = "feishu" if kind == "lark" else kind
    return Outcome("refused", f"{_MEANING.get((family, code), 'it refused the message')} (code {code})")


def failed(fault: NetFault) -> Outcome:
    """What an exchange without an answer means."""
    if isinstance(fault, Unreachable):
        return Outcome("later", f"it {fault.reason}")
    if isinstance(fault, Astray):
        return Outcome("refused", f"it {fault.reason}")
    if isinstance(fault, TooLarge):
        return Outcome("unsure", "it gave an answer that is too large")
    return Outcome("unsure", f"it {fault.reason}")


def _data(body: bytes) -> dict[str, Any]:
    try:
        data = json.loads(body[:65_536])
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _code(kind: str, data: Mapping[str, Any]) -> int | None:
    """Robots answer with status 200 and a code; a robot's answer without one is no promise, and taken as a refusal."""
    if kind in ("feishu", "lark"):
        found = data.get("code", data.get("StatusCode"))
    elif kind in ("wecom", "dingtalk"):
        found = data.get("errcode")
    else:
        return None
    return found if isinstance(found, int) and abs(found) < 10**9 else -999


def _after(reply: Reply, data: Mapping[str, Any], now: datetime) -> float | None:
    """`Retry-After`, or what Discord, Telegram and Matrix say in the answer."""
    parameters = data.get("parameters")
    inner = parameters.get("retry_after") if isinstance(parameters, dict) else None
    millis = data.get("retry_after_ms")
    for found in (inner, data.get("retry_after"), millis / 1000 if isinstance(millis, int | float) else None):
        if isinstance(found, int | float) and not isinstance(found, bool) and found >= 0:
            return min(float(found), LONGEST_WAIT)
    said = reply.headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,6})?", said):
        return min(float(said), LONGEST_WAIT)
    try:
        moment = parsedate_to_datetime(said)
    except (ValueError, TypeError, IndexError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return min(max((moment - now).total_seconds(), 0.0), LONGEST_WAIT)
