"""Who asks the fake GitHub, and what they may still ask: tokens, Apps, and the limits of each."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

PERIODS = {"core": 3600.0, "graphql": 3600.0, "search": 60.0}
ANONYMOUS = {"core": 60, "graphql": 0, "search": 10}
SHA256_PREFIX = bytes.fromhex("3031300d060960864801650304020105000420")


@dataclass(slots=True)
class Bucket:
    """One limit: so much in a period that begins with the first request."""

    limit: int
    period: float
    used: int = 0
    reset: datetime | None = None

    def turn(self, now: datetime) -> datetime:
        """Begins a new period where the old one is over."""
        if self.reset is None or now >= self.reset:
            self.used, self.reset = 0, now + timedelta(seconds=self.period)
        return self.reset

    def remaining(self, now: datetime) -> int:
        self.turn(now)
        return max(0, self.limit - self.used)

    def headers(self, now: datetime, resource: str) -> dict[str, str]:
        reset = self.turn(now)
        return {
            "x-ratelimit-limit": str(self.limit),
            "x-ratelimit-remaining": str(self.remaining(now)),
            "x-ratelimit-reset": str(math.ceil(reset.timestamp())),
            "x-ratelimit-used": str(self.used),
            "x-ratelimit-resource": resource,
        }


@dataclass(slots=True)
class Account:
    name: str
    buckets: dict[str, Bucket]
    private: frozenset[str] = frozenset()
    expires_at: datetime | None = None
    blocked_until: datetime | None = None
    """Of a secondary limit."""
    told: float | None = None
    """The Retry-After it was given with it."""

    @property
    def known(self) -> bool:
        return self.name != "anonymous"


@dataclass(slots=True)
class App:
    id: str
    installation: int
    key: tuple[int, int] | None
    private: frozenset[str]
    tokens: list[str] = field(default_factory=list)


def account(
    name: str, limits: dict[str, int], private: Sequence[str] = (), expires_at: datetime | None = None
) -> Account:
    buckets = {resource: Bucket(limit, PERIODS[resource]) for resource, limit in limits.items()}
    return Account(name, buckets, frozenset(one.lower() for one in private), expires_at)


class Accounts:
    """All who may ask. Secrets are kept as their hashes only, so that no record can hold one."""

    def __init__(self) -> None:
        self.anonymous = account("anonymous", ANONYMOUS)
        self.apps: dict[int, App] = {}
        self._tokens: dict[str, Account] = {}

    @staticmethod
    def _key(token: str) -> str:
        return hashlib.sha256(token.encode()).hexdigest()

    def add(self, token: str, one: Account) -> None:
        self._tokens[self._key(token)] = one

    def refill(self) -> None:
        """As if nobody had asked yet."""
        for one in (self.anonymous, *self._tokens.values()):
            one.blocked_until = one.told = None
            for bucket in one.buckets.values():
                bucket.used, bucket.reset = 0, None

    def next_name(self) -> str:
        return f"token-{len(self._tokens) + 1}"

    def remove(self, token: str) -> None:
        self._tokens.pop(self._key(token), None)

    def named(self, name: str) -> Account:
        return next(one for one in (self.anonymous, *self._tokens.values()) if one.name == name)

    def asking(self, authorization: str | None, now: datetime) -> Account | None:
        """Whose request this is; None where the credentials are bad."""
        if not authorization:
            return self.anonymous
        scheme, _, secret = authorization.partition(" ")
        found = self._tokens.get(self._key(secret.strip())) if scheme.lower() in ("bearer", "token") else None
        if found is None or (found.expires_at is not None and now >= found.expires_at):
            return None
        return found

    def buy(self, installation: int, authorization: str | None, now: datetime) -> tuple[str, datetime] | str:
        """A token of an installation for an App's JWT, or what is wrong with the JWT."""
        app = self.apps.get(installation)
        scheme, _, jwt = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not jwt:
            return "A JSON web token could not be decoded"
        problem = jwt_problem(jwt, now, app)
        if problem or app is None:
            return problem or "Not Found"
        token = f"ghs_{hashlib.sha256(f'{installation}:{len(app.tokens)}'.encode()).hexdigest()[:36]}"
        app.tokens.append(token)
        expires = now + timedelta(hours=1)
        limits = {"core": 5000, "graphql": 5000, "search": 30}
        one = account(f"installation:{installation}:{len(app.tokens)}", limits, tuple(app.private), expires)
        if len(app.tokens) > 1:  # the limit is the installation's, not the token's
            one.buckets = self.named(f"installation:{installation}:1").buckets
        self.add(token, one)
        return token, expires


def _decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def jwt_problem(jwt: str, now: datetime, app: App | None) -> str | None:
    """Why GitHub would refuse this JWT, or None."""
    try:
        head, payload, signature = jwt.split(".")
        header: dict[str, Any] = json.loads(_decoded(head))
        claims: dict[str, Any] = json.loads(_decoded(payload))
        signed = _decoded(signature)
    except (ValueError, binascii.Error):
        return "A JSON web token could not be decoded"
    if header.get("alg") != "RS256" or app is None or str(claims.get("iss")) != app.id:
        return "A JSON web token could not be decoded"
    if app.key is not None and not signature_holds(f"{head}.{payload}".encode(), signed, app.key):
        return "A JSON web token could not be decoded"
    return claims_problem(claims, now.timestamp())


def claims_problem(claims: dict[str, Any], moment: float) -> str | None:
    if not isinstance(claims.get("iat"), int) or claims["iat"] > moment:
        return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
    if not isinstance(claims.get("exp"), int) or claims["exp"] <= moment:
        return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
    if claims["exp"] > moment + 600:
        return "'Expiration time' claim ('exp') is too far in the future"
    return None


def signature_holds(message: bytes, signature: bytes, key: tuple[int, int]) -> bool:
    """RSASSA-PKCS1-v1_5 with SHA-256 by the book: what must come out is known, so it is compared as a whole."""
    modulus, exponent = key
    size = (modulus.bit_length() + 7) // 8
    digest = SHA256_PREFIX + hashlib.sha256(message).digest()
    expected = b"\x00\x01" + b"\xff" * (size - len(digest) - 3) + b"\x00" + digest
    opened = pow(int.from_bytes(signature, "big"), exponent, modulus).to_bytes(size, "big")
    return len(signature) == size and opened == expected
