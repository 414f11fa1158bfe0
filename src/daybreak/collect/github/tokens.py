"""Tokens of the user or of a GitHub App, whose signed word buys one for an hour; the next one when a limit is reached."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Protocol

import msgspec
from msgspec import Struct

from daybreak.collect.github.requests import Refused, Unavailable
from daybreak.core.errors import ConfigError
from daybreak.core.http import Http, NetFault, Request, Secret
from daybreak.core.origin import install

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey


# --- Who asks: tokens of the user, an installation of an App, or nobody; the next one when a limit is reached ---


MOST_REFUSALS = 2


class Key(Protocol):
    """Something that opens the forge."""

    def authorization(self, now: datetime) -> Secret | None:
        """Value of the header, made anew when the old one has run out; None: asked without one."""
        ...

    def renew(self) -> None:
        """After a refusal: the next value is made anew where that can be."""
        ...


class Static(Struct, frozen=True):
    """A token as the user gave it, or none."""

    token: Secret | None = None

    def authorization(self, now: datetime) -> Secret | None:  # noqa: ARG002  # a static one never runs out
        return None if self.token is None else Secret(f"Bearer {self.token.reveal()}")

    def renew(self) -> None:
        """It is what it is."""


@dataclass(slots=True)
class Seat:
    """A key with what the forge has told about it."""

    key: Key
    blocked: dict[str, datetime] = field(default_factory=dict)
    """Limit (core, search, graphql) -> when it may be used again."""
    refusals: int = 0
    """In a row; a single one may be a fault that passes."""

    @property
    def refused(self) -> bool:
        return self.refusals >= MOST_REFUSALS

    def free_at(self, limit: str) -> datetime | None:
        return self.blocked.get(limit)


class Keys:
    """All keys of a run; may be used by several threads."""

    def __init__(self, keys: Sequence[Key]) -> None:
        self._seats = [Seat(key) for key in keys]
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._seats)

    @property
    def are_none(self) -> bool:
        """The forge is asked without a token."""
        return all(isinstance(seat.key, Static) and seat.key.token is None for seat in self._seats)

    def take(self, limit: str, now: datetime, but: Sequence[Seat] = ()) -> Seat | datetime | None:
        """A key that may be used now; else when the first one may; None when all were refused. `but`: not these."""
        with self._lock:
            left = [seat for seat in self._seats if not seat.refused and not any(seat is one for one in but)]
            if not left:
                return None
            times = [(seat.free_at(limit), seat) for seat in left]
            for until, seat in times:
                if until is None or until <= now:
                    return seat
            return min(until for until, _ in times if until is not None)

    def block(self, seat: Seat, limit: str, until: datetime) -> None:
        with self._lock:
            known = seat.blocked.get(limit)
            seat.blocked[limit] = until if known is None else max(known, until)

    def refuse(self, seat: Seat) -> None:
        with self._lock:
            seat.refusals += 1
            seat.key.renew()

    def accepted(self, seat: Seat) -> None:
        seat.refusals = 0


# --- A GitHub App: a signed word of its own buys a token that lives for an hour ---
# Signing needs the package `cryptography`, which comes with the extra `github-app`.


EARLY = timedelta(minutes=5)
"""So long before its end a token is not begun with any more."""
_LIFE = timedelta(minutes=9)
_SLACK = timedelta(seconds=60)


class _Bought(msgspec.Struct, frozen=True):
    token: str
    expires_at: Annotated[datetime, msgspec.Meta(tz=True)]


class Installation:
    """The key of one installation of an App."""

    def __init__(self, http: Http, api: str, app: str, installation: str, pem: Secret) -> None:
        if not (app.strip().replace("-", "").replace(".", "").isalnum() and installation.strip().isdigit()):
            raise ConfigError(
                "GITHUB_APP_ID and GITHUB_APP_INSTALLATION_ID do not name an installation.",
                "Both stand on the App's pages on GitHub; the second is a number.",
            )
        self._http, self._api, self._app, self._installation = http, api, app.strip(), installation.strip()
        self._key = _private_key(pem)
        self._bought: tuple[Secret, datetime] | None = None
        self._lock = threading.Lock()

    def authorization(self, now: datetime) -> Secret:
        with self._lock:
            if self._bought is None or self._bought[1] - EARLY <= now:
                self._bought = self._buy(now)
            return self._bought[0]

    def renew(self) -> None:
        """A token may be taken back before its time."""
        with self._lock:
            self._bought = None

    def _buy(self, now: datetime) -> tuple[Secret, datetime]:
        url = f"{self._api}/app/installations/{self._installation}/access_tokens"
        headers = {"accept": "application/vnd.github+json", "content-type": "application/json"}
        asked = Request(url, "POST", headers, b"{}", Secret(f"Bearer {self._word(now)}"))
        try:
            answer = self._http.send(asked)
        except NetFault as fault:
            raise Unavailable(fault.reason) from None
        if answer.status != 201:
            if answer.status >= 500 or answer.status in (403, 429):
                raise Unavailable(f"gives the App no token now ({answer.status})")
            raise Refused(f"gives the App no token ({answer.status})", "Look at the App's id, key and installation.")
        try:
            bought = msgspec.json.decode(answer.body, type=_Bought)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise Unavailable("gave the App a damaged token") from None
        return Secret(f"Bearer {bought.token}"), bought.expires_at

    def _word(self, now: datetime) -> str:
        """A JSON Web Token signed with the App's key."""
        from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
        from cryptography.hazmat.primitives.hashes import SHA256

        now = now.astimezone(UTC)
        claims = {"iat": int((now - _SLACK).timestamp()), "exp": int((now + _LIFE).timestamp()), "iss": self._app}
        text = f"{_segment({'alg': 'RS256', 'typ': 'JWT'})}.{_segment(claims)}"
        return f"{text}.{_base64(self._key.sign(text.encode(), PKCS1v15(), SHA256()))}"


def _private_key(pem: Secret) -> RSAPrivateKey:
    try:
        from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    except ImportError:
        raise ConfigError(
            "A GitHub App needs the package `cryptography`.", f"Install it: {install('github-app')}"
        ) from None
    try:
        # In an environment variable, line ends are often written as \n.
        key = load_pem_private_key(pem.reveal().replace("\\n", "\n").encode(), password=None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, RSAPrivateKey):
        raise ConfigError(
            "GITHUB_APP_PRIVATE_KEY is not a private RSA key.", "Put the whole PEM file that GitHub gave you into it."
        ) from None
    return key


def _segment(value: dict[str, object]) -> str:
    return _base64(json.dumps(value, separators=(",", ":")).encode())


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
