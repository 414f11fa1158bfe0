"""Sections of `daybreak.toml`: `[analyst]`, `[notify]` and `[publish]`; secrets stay in the environment."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from daybreak.core.errors import ConfigError
from daybreak.core.words.phrases import languages

# --- The `[analyst]` part of `daybreak.toml`: which models are asked, in which order, for what, and for how much ---
# `daybreak.core.config` loads and shows it. A key itself never stands in the file: `api_key_env` names the variable it is in.

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
    """Who judges what a model's sentences mean: the first model in a fresh context, unless this names another."""

    ask: bool = True
    """False: names and numbers alone are checked, and the report says so."""


class BudgetConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """What one run may use; 0: no limit."""

    tokens: int = 0
    money: float = 0.0
    changes: int = 0
    """Changes of a day that are asked about, the most important ones."""
    parts: int = 2
    """Questions that one large change is read in, its most telling parts first; what is beyond them is said to be unread."""


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


# --- The `[notify]` part of `daybreak.toml`: whom to tell, of what, and by which rules; secrets stay in the environment ---

EVENTS = ("report", "breaking", "failure", "week", "month")
DAILY = EVENTS[:3]
"""What is told where nothing else is said: weeks and months are asked for."""
LEVELS = ("high", "medium", "low")
PLACEHOLDER = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://")
_WEB = re.compile(r"https?://[^\s()<>\"'`\\|]+")


class TargetConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """One `[[notify.target]]`; what is left out is as `[notify]` has it."""

    url: str = ""
    """`${NAME}` in it is taken from the environment."""
    url_env: str = ""
    """Name of a variable that holds the whole address."""
    secret_env: str = ""
    """Name of the variable with the signing secret of a Feishu, Lark or DingTalk robot."""
    name: str = ""
    """What receipts and messages of the program call it."""
    on: tuple[str, ...] = ()
    repos: tuple[str, ...] = ()
    """Only of these; `owner/*` is allowed."""
    levels: tuple[str, ...] = ()
    """Only of changes with these grades; your own code is always told of."""
    areas: tuple[str, ...] = ()
    """Only of changes in these folders, as reports name them; `*attention*` is allowed."""
    tags: tuple[str, ...] = ()
    """Only of what to act on with these tags, as `/api/v1/actions` names them."""
    languages: tuple[str, ...] = ()
    quiet: bool = True
    """Nothing is sent on a day with nothing to tell."""
    prereleases: bool = True
    """Release candidates and the like are told among the releases."""
    again: bool = False
    """Sent again when nobody knows whether it arrived: it may come twice, but it comes."""


class NotifyConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """Whom to tell, and of what."""

    urls: tuple[str, ...] = ()
    on: tuple[str, ...] = DAILY
    target: tuple[TargetConfig, ...] = ()
    link: str = ""
    """Where the pages of `daybreak site` or `daybreak serve` are, for links in messages."""
    days: int = 0
    """Reports of days longer ago are not sent by a run; 0: however long. A run tells of its newest day alone."""
    tries: int = 10
    """After so many a message is given up."""
    patience: int = 60
    """Seconds that a run waits for targets that do not take a message; the next run tries again."""

    def targets(self) -> tuple[TargetConfig, ...]:
        """All of them, those of `urls` first."""
        return (*(TargetConfig(url=url) for url in self.urls), *self.target)


def check_notify(config: NotifyConfig, file: str) -> None:
    """What types alone cannot say; raises ConfigError. An address is never repeated in an error."""
    _known(config.on, EVENTS, f"{file}: notify.on")
    if config.link and not _WEB.fullmatch(config.link):
        raise ConfigError(f"{file}: notify.link is not a web address.", "It starts with https://.")
    if config.days < 0 or config.patience < 0 or not 1 <= config.tries <= 100:
        raise ConfigError(
            f"{file}: notify.days, notify.patience or notify.tries is out of range.",
            "Use 0 or more, and 1 to 100 tries.",
        )
    seen: set[tuple[str, str, str]] = set()
    for number, target in enumerate(config.targets(), 1):
        _check(target, f"{file}: notify target {number}")
        place = (target.url, target.url_env, target.name)
        if place in seen:
            raise ConfigError(
                f"{file}: notify target {number} is listed twice.", "Give each a `name`, or remove one of the two."
            )
        seen.add(place)


def _check(target: TargetConfig, where: str) -> None:
    from daybreak.core.model.day import TAGS

    _known(target.on, EVENTS, f"{where}: on")
    _known(target.levels, LEVELS, f"{where}: levels")
    _known(target.tags, TAGS, f"{where}: tags")
    _known(target.languages, languages(), f"{where}: languages")
    if bool(target.url) == bool(target.url_env):
        raise ConfigError(f"{where} needs either `url` or `url_env`.", 'For example url = "feishu://${FEISHU_TOKEN}".')
    for name in (target.url_env, target.secret_env):
        if name and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise ConfigError(f"{where}: `url_env` and `secret_env` name a variable.", 'For example "FEISHU_URL".')
    if target.url and not (_SCHEME.match(target.url) or PLACEHOLDER.match(target.url)):
        raise ConfigError(f"{where}: url has no kind.", 'It starts with one, for example "json://" or "mailto://".')
    if any(ord(character) < 32 or ord(character) == 127 for character in target.url + target.name):
        raise ConfigError(f"{where} has a control character in it.", "Check the line.")
    if len(target.name) > 60:
        raise ConfigError(f"{where}: name is longer than 60 characters.", "Choose a shorter one.")


def _known(found: tuple[str, ...], valid: tuple[str, ...], where: str) -> None:
    for one in found:
        if one not in valid:
            listed = " and ".join(repr(word) for word in valid)
            raise ConfigError(f"{where}: {one!r} is unknown.", f"Use {listed}.")


# --- The `[publish]` part of `daybreak.toml`: where reports go besides the folder ---

_REPOSITORY = r"[A-Za-z0-9][A-Za-z0-9_.-]*/(?!\.\.?$)[A-Za-z0-9_.-]+"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_PASSWORD = re.compile(r"//[^/@]*:[^/@]*@")


class PublishConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """Where reports go besides the folder."""

    git: str = ""
    """URL or path of a repository; empty: the pages are pushed nowhere."""
    git_branch: str = "reports"
    git_folder: str = ""
    """Folder of the branch that the pages go to; empty: its root."""
    git_site: bool = False
    """The static site goes along, for GitHub Pages and the like."""
    git_author: str = "Daybreak"
    git_email: str = "daybreak@example.invalid"
    github_issue: str = ""
    """OWNER/NAME: one issue for each report."""
    github_discussion: str = ""
    """OWNER/NAME: one discussion for each report."""
    discussion_category: str = ""
    labels: tuple[str, ...] = ()
    """Of the issues; one that the repository does not have is left out."""
    pages_url: str = ""
    """Where the Markdown pages can be read, such as https://github.com/us/news/blob/reports; found out for `git` on GitHub."""
    site: bool = False
    site_url: str = ""
    """Where the site can be read."""
    plugins: tuple[str, ...] = ()
    """Names of installed publishers (`daybreak.publishers`), in the order in which they are called."""

    @property
    def beyond(self) -> bool:
        """Something leaves the folder, or is built in it."""
        return bool(self.site or self.git or self.github_issue or self.github_discussion or self.plugins)


def check_publish(config: PublishConfig, file: str) -> None:
    """What types alone cannot say; raises ConfigError."""
    where = f"{file}: publish"
    _check_git(config, where)
    for key in ("github_issue", "github_discussion"):
        name = getattr(config, key)
        if name and not re.fullmatch(_REPOSITORY, name):
            raise ConfigError(f"{where}.{key}: {name!r} is not OWNER/NAME.", "For example 'our-team/news'.")
    if config.github_discussion and not config.discussion_category.strip():
        raise ConfigError(
            f"{where}.discussion_category is missing.", "Name a category of the repository, such as 'Announcements'."
        )
    for key in ("pages_url", "site_url"):
        address = getattr(config, key)
        if address and not re.fullmatch(r"https?://[^\s()<>\"'`\\@]+", address):
            # It is not repeated: what stands before an `@` may be a password.
            raise ConfigError(f"{where}.{key} is not a web address without a user.", "It starts with https://.")
    if any(not label.strip() or _CONTROL.search(label) for label in config.labels):
        raise ConfigError(f"{where}.labels: a label is empty or has a control character.", "Check the line.")


def _check_git(config: PublishConfig, where: str) -> None:
    if config.git.startswith("-") or _CONTROL.search(config.git):
        raise ConfigError(f"{where}.git: {config.git!r} is not an address.", "Use a URL or a path.")
    if _PASSWORD.search(config.git):
        # The address itself is not repeated: it holds the secret.
        raise ConfigError(
            f"{where}.git: there is a password in the address.",
            "Leave it out; use a git credential helper, an SSH key, or GITHUB_TOKEN in the environment.",
        )
    if not _is_branch(config.git_branch):
        raise ConfigError(f"{where}.git_branch: {config.git_branch!r} is not a branch.", "For example 'reports'.")
    parts = config.git_folder.split("/") if config.git_folder else []
    if any(not _is_folder(part) for part in parts):
        raise ConfigError(
            f"{where}.git_folder: {config.git_folder!r} is not a folder of the branch.", "For example 'docs/news'."
        )
    for key in ("git_author", "git_email"):
        text = getattr(config, key)
        if not text.strip() or _CONTROL.search(text) or re.search("[<>]", text):
            raise ConfigError(f"{where}.{key}: {text!r} cannot stand in a commit.", "Leave it out for a neutral one.")


def _is_branch(name: str) -> bool:
    """As git has it, without what nobody calls a branch."""
    parts = name.split("/")
    return all(
        re.fullmatch(r"[\w+=-][\w.+=-]*", part) and ".." not in part and not part.endswith((".", ".lock"))
        for part in parts
    ) and not name.startswith("-")


def _is_folder(part: str) -> bool:
    return re.fullmatch(r"[\w.+= -]+", part) is not None and part not in (".", "..") and part.lower() != ".git"
