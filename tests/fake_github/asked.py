"""One request to the fake GitHub and one answer, as its parts hand them on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fake_github.accounts import Account
from fake_github.faults import Fault

DOCUMENTATION = "https://docs.github.com/rest"


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request as the server saw it, without its secret."""

    method: str
    path: str
    """Without the base path of Enterprise and without the query."""
    query: Mapping[str, str]
    headers: Mapping[str, str]
    """Names in lower case; the value of `authorization` is the name of who asks."""
    body: str
    who: str
    """Name of the token (`add_token(name=)`), `installation:ID:n`, `app`, `anonymous`, or `unknown` where it is bad."""
    status: int
    """0 where no answer was given."""
    resource: str
    """The limit it falls under: core, search, graphql."""
    cost: int
    """What it took from that limit: 0 for a 304 with a token, for /rate_limit and for refusals."""
    fault: str | None


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: str
    account: Account
    fault: Fault | None = None

    @property
    def resource(self) -> str:
        if self.path == "/graphql":
            return "graphql"
        return "search" if self.path.startswith("/search/") else "core"

    def struck(self, *kinds: str) -> Fault | None:
        return self.fault if self.fault is not None and self.fault.kind in kinds else None


@dataclass(slots=True)
class Answer:
    status: int
    body: Any = None
    """JSON, or bytes that go out as they are."""
    headers: dict[str, str] = field(default_factory=dict)
    cost: int = 1

    def encoded(self) -> bytes:
        if self.body is None:
            return b""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body, separators=(",", ":")).encode()

    def etag(self, account: Account) -> str:
        """Another one for each token, as on GitHub; the body makes the rest, and not the pages around it."""
        seen = f"{account.name} ".encode() + self.encoded()
        return f'W/"{hashlib.sha256(seen).hexdigest()}"'


def refusal(status: int, message: str, **more: Any) -> Answer:
    return Answer(status, {"message": message, "documentation_url": DOCUMENTATION, "status": str(status), **more})


class Missing(Exception):
    """A 404."""


SAML = (
    "Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this "
    "organization."
)


class Forbidden(Exception):
    """Refused in some other way, with the answer that says so."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer
