"""One client for every room: what its calls share."""

from __future__ import annotations

import ssl

import httpx
import pytest

from daybreak.core.http import Http, trust


def test_clients_of_one_process_read_the_trusted_certificates_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []

    def counted() -> ssl.SSLContext:
        read.append(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        return read[-1]

    monkeypatch.setattr(httpx, "create_ssl_context", counted)
    trust.cache_clear()
    for _ in range(3):
        with Http() as http:
            http._opened()
    trust.cache_clear()
    assert len(read) == 1
    assert read[0].verify_mode == ssl.CERT_REQUIRED
