"""The GitHub source: issues, pull requests and releases of a window, and the pull request that brought each change.

GraphQL with a token, REST without one or where GraphQL is refused. What stands in envelopes is not asked for again:
a second run over a closed day asks nothing. What cannot be had is a `Skipped`, never an empty list.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from daybreak.collect.github.client import Bounds, Clock, Forge
from daybreak.collect.github.graph import GraphReader
from daybreak.collect.github.requests import (
    Ask,
    Envelopes,
    ForgeFault,
    Gathered,
    Keep,
    LeftOut,
    NoGraphql,
    NoTokens,
    Offline,
    Refused,
)
from daybreak.collect.github.rest import RestPages, RestReader
from daybreak.collect.github.tokens import Installation, Key, Keys, Static
from daybreak.collect.github.values import bare_tags
from daybreak.core.errors import ConfigError
from daybreak.core.http import Http, Secret, redacted
from daybreak.core.model.changes import Change, Repo, Window
from daybreak.core.model.items import Activity

PUBLIC = "https://api.github.com"
WITHOUT_TOKEN = 50
"""Requests of a run that has no token; GitHub gives 60 an hour."""
RECENT = timedelta(days=3)
"""A window that began no longer ago is read from lists sorted by the last touch, an older one by search."""
TIP = (
    "Set GITHUB_TOKEN to a token that may read public repositories, which gives 5,000 requests an hour, and run the day "
    "again with --force."
)
FEW = "gives 60 requests an hour without a token, and they went to what matters most"
APP = ("GITHUB_APP_ID", "GITHUB_APP_INSTALLATION_ID", "GITHUB_APP_PRIVATE_KEY")


BOUNDS = Bounds()
_NO_LIMITS = 404
"""How a forge of one's own says that it counts nothing."""


class Credentials(Struct, frozen=True):
    """What the environment holds for GitHub; nothing of it can be printed."""

    tokens: tuple[Secret, ...] = ()
    app: tuple[str, str, Secret] | None = None
    """Id, installation, private key."""

    @classmethod
    def found_in(cls, environment: Mapping[str, str]) -> Credentials:
        """GITHUB_TOKEN, GITHUB_TOKENS (several, with commas between), and the three of an App."""
        named = [environment.get("GITHUB_TOKEN", ""), *environment.get("GITHUB_TOKENS", "").split(",")]
        tokens = tuple(Secret(one) for one in dict.fromkeys(token.strip() for token in named) if one)
        if any(not one.reveal().isprintable() or not one.reveal().isascii() for one in tokens):
            raise ConfigError(
                "GITHUB_TOKEN or GITHUB_TOKENS holds something that is no token.", "Several have commas between them."
            )
        app, installation, key = (environment.get(name, "").strip() for name in APP)
        if any((app, installation, key)) and not all((app, installation, key)):
            missing = [name for name in APP if not environment.get(name, "").strip()]
            raise ConfigError(
                f"The GitHub App lacks {' and '.join(missing)}.", f"Set all of {', '.join(APP)}, or none."
            )
        return cls(tokens, (app, installation, Secret(key)) if app else None)

    def __str__(self) -> str:
        """How many there are, and never what."""
        count = len(self.tokens)
        found = [f"{count} tokens" if count > 1 else "a token"] if count else []
        return " and ".join([*found, *(["an App"] if self.app else [])]) or "no token"

    def __bool__(self) -> bool:
        return bool(self.tokens) or self.app is not None


class Limit(msgspec.Struct, frozen=True):
    """Requests of an hour."""

    limit: int
    remaining: int


class _Limits(msgspec.Struct, frozen=True):
    resources: dict[str, Limit]


class GithubSource:
    """Asks one GitHub; may be used by several threads."""

    def __init__(
        self,
        envelopes: Envelopes,
        credentials: Credentials | None = None,
        api: str = PUBLIC,
        *,
        offline: bool = False,
        http: Http | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        sleep: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
        bounds: Bounds = BOUNDS,
        say: Callable[[str], None] = lambda _words: None,
    ) -> None:
        self._api = _checked(api)
        self._envelopes, self._credentials, self._offline = envelopes, credentials or Credentials(), offline
        self._http, self._clock, self._say = http or Http(), Clock(now, sleep, chance), self._harmless(say)
        self._with_keys = self._forge(self._keys(), bounds) if self._credentials else None
        few = replace(bounds, requests=min(WITHOUT_TOKEN, bounds.requests))
        self._without = self._forge([Static()], few)
        self._no_graphql: NoGraphql | None = None
        self._no_tokens: NoTokens | None = None

    @property
    def requests(self) -> int:
        """How many were sent."""
        return self._without.requests + (self._with_keys.requests if self._with_keys else 0)

    def limit(self) -> Limit | None:
        """What is left of the hour's requests, which costs none; None for a forge without limits. Raises ForgeFault."""
        forge = self._with_keys or self._without
        try:
            found = forge.get("/rate_limit", lambda answer: msgspec.json.decode(answer.body, type=_Limits))
        except Refused as fault:
            if fault.status == _NO_LIMITS:
                return None
            raise
        return found.resources.get("graphql" if self._with_keys else "core")

    def close(self) -> None:
        self._http.close()

    def activity(self, repo: Repo, window: Window, changes: Sequence[Change] = (), force: bool = False) -> Activity:
        """One repository's part of a window."""
        return self.activities([Ask(repo, window, changes)], force)[0]

    def activities(self, asks: Sequence[Ask], force: bool = False) -> list[Activity]:
        """Many at once, which needs far fewer requests than one after the other."""
        keep = Keep(self._envelopes, self._api, self._clock.now, self._offline, force, self._ahead)
        all_gathered = [Gathered(ask) for ask in asks]
        here = [place for place, ask in enumerate(asks) if self._is_here(ask.repo)]
        for place, gathered in zip(here, self._gathered([asks[place] for place in here], keep), strict=True):
            all_gathered[place] = gathered
        return [_activity(gathered) for gathered in all_gathered]

    # --- which way -------------------------------------------------------------------------------------------------

    def _gathered(self, asks: Sequence[Ask], keep: Keep) -> list[Gathered]:
        """By GraphQL where there is a token for it; what it left half done is begun again by REST."""
        if self._with_keys is not None and not self._offline:
            try:
                if self._no_graphql is None and self._no_tokens is None:
                    return self._by_graph(self._with_keys, keep, asks)
            except NoGraphql as fault:
                self._no_graphql = fault
                self._say(f"GitHub {fault.reason}; asking by REST")
            except NoTokens as fault:
                self._no_tokens = fault
            try:
                if self._no_tokens is None:
                    return self._by_rest(self._with_keys, keep, asks, None)
            except NoTokens as fault:
                self._no_tokens = fault
        return self._without_token(keep, asks)

    def _without_token(self, keep: Keep, asks: Sequence[Ask]) -> list[Gathered]:
        """Days that were read with a token stand as they are; of the others, what few requests give."""
        left_out: ForgeFault = self._no_tokens or LeftOut(FEW, TIP)
        instead = Offline() if self._offline else None
        reader = GraphReader(self._without, keep, self._recent, instead or left_out)
        graph = [place for place, ask in enumerate(asks) if self._stands(reader, keep, ask)]
        rest = [place for place in range(len(asks)) if place not in graph]
        done = dict(
            zip(graph, self._by_graph(self._without, keep, [asks[p] for p in graph], instead or left_out), strict=True)
        )
        done |= zip(rest, self._by_rest(self._without, keep, [asks[p] for p in rest], left_out), strict=True)
        return [done[place] for place in range(len(asks))]

    def _stands(self, reader: GraphReader, keep: Keep, ask: Ask) -> bool:
        """Whether a day is made from what GraphQL gave: when it gave all, or, offline, more than REST did."""
        gathered = Gathered(ask)
        if reader.kept(gathered) or not self._offline:
            return reader.kept(gathered)
        by_rest = RestReader(RestPages(self._without, keep), self._recent, Offline(), Offline())
        return reader.standing(gathered) > by_rest.standing(gathered)

    def _by_graph(
        self, forge: Forge, keep: Keep, asks: Sequence[Ask], instead: ForgeFault | None = None
    ) -> list[Gathered]:
        found = [Gathered(ask) for ask in asks]
        GraphReader(forge, keep, self._recent, instead).read(found)
        return found

    def _by_rest(self, forge: Forge, keep: Keep, asks: Sequence[Ask], left_out: ForgeFault | None) -> list[Gathered]:
        found = [Gathered(ask) for ask in asks]
        RestReader(RestPages(forge, keep), self._recent, left_out, Offline() if self._offline else None).read(found)
        return found

    def _ahead(self) -> timedelta:
        """How far our clock is ahead of GitHub's."""
        return max(self._without.ahead, self._with_keys.ahead if self._with_keys else timedelta())

    def _recent(self, window: Window) -> bool:
        return self._clock.now() - window.since <= RECENT

    def _is_here(self, repo: Repo) -> bool:
        """A repository that links to another host is none of the public GitHub's."""
        return self._api != PUBLIC or (urlsplit(repo.url).hostname or "") in ("github.com", "www.github.com")

    # --- keys ------------------------------------------------------------------------------------------------------

    def _keys(self) -> list[Key]:
        keys: list[Key] = [Static(token) for token in self._credentials.tokens]
        if self._credentials.app is not None:
            keys.append(Installation(self._http, self._api, *self._credentials.app))
        return keys

    def _harmless(self, say: Callable[[str], None]) -> Callable[[str], None]:
        """No words of ours hold a secret; should one ever slip in, it does not get out."""
        return lambda words: say(redacted(words, self._credentials.tokens))

    def _forge(self, keys: Sequence[Key], bounds: Bounds) -> Forge:
        return Forge(self._api, self._http, Keys(keys), self._clock, bounds, self._say)


def _checked(api: str) -> str:
    parts = urlsplit(api)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc or parts.query:
        raise ConfigError(
            "[github] api is not the address of an API.", 'For Enterprise, api = "https://ghe.example.com/api/v3".'
        )
    return api.rstrip("/")


def _activity(gathered: Gathered) -> Activity:
    """All of it as a value."""
    ask = gathered.ask
    of_window = sorted(number for number in gathered.pulls if gathered.pulls[number].happened)
    named = {change.pr for change in ask.changes if change.pr} | set(gathered.brought.values())
    only_named = sorted(number for number in gathered.pulls if number in named and number not in of_window)
    tags = bare_tags(gathered.tags, gathered.released, ask) if gathered.tags_known else []
    releases = [*gathered.releases.values(), *tags]
    not_pulls = {number for number in named if number in gathered.issues or number in gathered.absent}
    return Activity(
        repo=ask.repo.name,
        issues=tuple(gathered.issues[number] for number in sorted(gathered.issues) if gathered.issues[number].happened),
        pulls=tuple(gathered.pulls[number] for number in (*of_window, *only_named)),
        releases=tuple(sorted(releases, key=lambda one: (one.created_at, one.tag))),
        not_pulls=tuple(sorted(not_pulls)),
        skipped=gathered.skipped,
        left_out=gathered.left_out,
        asked=tuple(gathered.asked),
        brought=tuple(sorted(gathered.brought.items())),
    )
