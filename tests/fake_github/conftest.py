"""A fake GitHub for each test, with one repository and one token; it fails the test that asks what no GitHub knows.

`verify=False`: there is no TLS on loopback, and to load certificates takes longer than a test.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from fake_github import Server

TOKEN = "ghp_a-secret-that-must-not-be-seen"
REPO = "acme/engine"


@dataclass(slots=True)
class Client:
    """Asks one server, with or without the token."""

    server: Server
    http: httpx.Client
    token: str | None = TOKEN

    def _headers(self, more: dict[str, str]) -> dict[str, str]:
        return ({"authorization": f"Bearer {self.token}"} if self.token else {}) | more

    def get(self, path: str, **headers: str) -> httpx.Response:
        url = path if path.startswith("http") else f"{self.server.url}{path}"
        return self.http.get(
            url, headers=self._headers({name.replace("_", "-"): value for name, value in headers.items()})
        )

    def post(self, query: str, **variables: Any) -> httpx.Response:
        body = {"query": query, "variables": variables}
        return self.http.post(self.server.graphql_url, json=body, headers=self._headers({}))

    def data(self, query: str, **variables: Any) -> Any:
        body = self.post(query, **variables).json()
        assert "errors" not in body, body
        return body["data"]

    def rows(self, path: str) -> list[Any]:
        """Every page, by the links."""
        found: list[Any] = []
        url: str | None = path
        while url:
            response = self.get(url)
            assert response.status_code == 200, response.text
            body = response.json()
            found += body if isinstance(body, list) else body["items"]
            url = response.links.get("next", {}).get("url")
        return found


@pytest.fixture
def github() -> Iterator[Server]:
    with Server() as server:
        server.add_token(TOKEN, name="ours")
        server.add_repo(REPO)
        yield server


@pytest.fixture
def client(github: Server) -> Iterator[Client]:
    with httpx.Client(timeout=60, verify=False) as http:
        yield Client(github, http)


@pytest.fixture
def stranger(github: Server) -> Iterator[Client]:
    """Without a token."""
    with httpx.Client(timeout=60, verify=False) as http:
        yield Client(github, http, token=None)
