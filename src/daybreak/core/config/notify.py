"""The `[notify]` part of `daybreak.toml`: whom to tell, of what, and by which rules; secrets stay in the environment."""

from __future__ import annotations

import re

from msgspec import Struct

from daybreak.core.errors import ConfigError
from daybreak.core.words.phrases import languages

EVENTS = ("report", "breaking", "failure")
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
    languages: tuple[str, ...] = ()
    quiet: bool = True
    """Nothing is sent on a day with nothing to tell."""
    again: bool = False
    """Sent again when nobody knows whether it arrived: it may come twice, but it comes."""


class NotifyConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """Whom to tell, and of what."""

    urls: tuple[str, ...] = ()
    on: tuple[str, ...] = EVENTS
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
    _known(target.on, EVENTS, f"{where}: on")
    _known(target.levels, LEVELS, f"{where}: levels")
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
