"""Tokens: from the environment alone, to their own host alone, and in no output whatever goes wrong."""

from __future__ import annotations

import gzip
import logging
import pickle
import traceback
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any, Self

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from daybreak.collect.github.client import Bounds
from daybreak.collect.github.source import Credentials, GithubSource
from daybreak.core.errors import ConfigError
from daybreak.core.http import Answer, Astray, Http, NetFault, Request, Secret, TooLarge, redacted, redirected
from github_scene import OTHER, REPO, SMALL, TOKEN, Envelopes, built, day_window, scene, told, truth, watched


@pytest.mark.parametrize("seed", range(6))
def test_tokens_are_in_no_output(
    seed: int, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    """Everything a run leaves behind is searched, with faults and a refused token on the way."""
    caplog.set_level(logging.DEBUG)
    bad = "ghp_" + "Bad" * 12
    with scene() as one:
        _, wanted = built(one, items=40, repos=3)
        if seed % 2:
            one.github.fault("graphql_error", times=None, message=f"Parse error near {TOKEN}", type=None)
        one.github.random_faults(seed, rate=0.5, in_a_row=12)
        source = one.source(bad, TOKEN, OTHER, bounds=SMALL)
        found = source.activities(wanted)
        left = [repr(found), *one.said, caplog.text, repr(source), repr(vars(source)), repr(one.envelopes.kept)]
        left += [repr(value) for value in vars(source).values()]
        left += [
            "".join(skipped.tip for activity in found for skipped in (*activity.skipped, *activity.left_out)),
            *capsys.readouterr(),
        ]
        assert any(request.who == "ours" for request in one.github.requests)
    for text in left:
        for token in (TOKEN, OTHER, bad):
            assert token not in text


def test_a_secret_cannot_be_printed_or_written() -> None:
    secret = Secret(TOKEN)
    request = Request("https://api.github.com", authorization=secret)
    for text in (repr(secret), str(secret), f"{secret}", repr(request), repr(Credentials((secret,)))):
        assert TOKEN not in text
    with pytest.raises(TypeError):
        pickle.dumps(secret)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"see {TOKEN}!", "see ***!"),
        (f"Authorization: Bearer {OTHER}", "Authorization: Bearer ***"),
        ("Bearer abc.def-ghi", "Bearer ***"),
        ("https://user:word@example.com/x", "https://***@example.com/x"),
        ("my own secret-word here", "my own *** here"),
        ("ghp_short and github_pat", "ghp_short and github_pat"),
    ],
)
def test_texts_lose_their_secrets(text: str, expected: str) -> None:
    assert redacted(text, [Secret("secret-word"), Secret("own")]) == expected


@pytest.mark.parametrize(
    ("environment", "count"),
    [
        ({}, 0),
        ({"GITHUB_TOKEN": " "}, 0),
        ({"GITHUB_TOKEN": TOKEN}, 1),
        ({"GITHUB_TOKEN": TOKEN, "GITHUB_TOKENS": f"{OTHER}, {TOKEN} ,"}, 2),
        ({"GITHUB_TOKENS": f"{TOKEN},{OTHER}"}, 2),
    ],
)
def test_tokens_come_from_the_environment(environment: Mapping[str, str], count: int) -> None:
    assert len(Credentials.found_in(environment).tokens) == count


@pytest.mark.parametrize(
    "environment",
    [
        {"GITHUB_TOKEN": f"{TOKEN}\r\nx-other: header"},
        {"GITHUB_TOKENS": f"{TOKEN},töken"},
        {"GITHUB_APP_ID": "1"},
        {"GITHUB_APP_ID": "1", "GITHUB_APP_PRIVATE_KEY": TOKEN},
    ],
)
def test_what_is_no_token_is_told_without_showing_it(environment: Mapping[str, str]) -> None:
    with pytest.raises(ConfigError) as raised:
        Credentials.found_in(environment)
    assert TOKEN not in f"{raised.value.message}{raised.value.tip}"


@pytest.mark.parametrize(
    "api", ["ftp://x", "api.github.com", "https://user:word@ghe.example/api/v3", "https://x/?token=1"]
)
def test_the_address_of_an_api_has_no_secrets(api: str) -> None:
    with pytest.raises(ConfigError) as raised:
        GithubSource(Envelopes(), api=api)
    assert "word" not in raised.value.message


# --- redirects -------------------------------------------------------------------------------------------------------


def _moved(url: str, location: str, method: str = "GET", status: int = 301) -> Request:
    asked = Request(url, method, authorization=Secret("Bearer x"))
    return redirected(asked, Answer(status, {"location": location}, b""))


@pytest.mark.parametrize(
    ("location", "keeps"),
    [
        ("/repositories/7/issues", True),
        ("https://api.github.com/repositories/7", True),
        ("https://api.github.com:443/repositories/7", True),
        ("https://api.github.com.evil.example/x", False),
        ("https://codeload.github.com/x", False),
        ("//evil.example/x", False),
        ("https://api.github.com:8443/x", False),
        ("https://api.github.com@evil.example/x", False),
    ],
)
def test_a_redirect_takes_the_token_to_no_other_host(location: str, keeps: bool) -> None:
    moved = _moved("https://api.github.com/repos/a/b", location)
    assert (moved.authorization is not None) == keeps


@pytest.mark.parametrize(
    ("location", "method", "status"),
    [
        ("http://api.github.com/x", "GET", 301),
        ("file:///etc/passwd", "GET", 301),
        ("https://evil.example/graphql", "POST", 307),
        ("/elsewhere", "POST", 302),
        ("https://api.github.com:99999999/x", "GET", 301),
    ],
)
def test_some_redirects_are_not_followed(location: str, method: str, status: int) -> None:
    with pytest.raises(Astray):
        _moved("https://api.github.com/x", location, method, status)


class _Server:
    """Answers whatever a test says."""

    def __init__(self, answer: Any) -> None:
        seen = self.seen = list[tuple[str, str | None]]()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                seen.append((self.path, self.headers.get("authorization")))
                answer(self)

            def log_message(self, *_: Any) -> None: ...

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _answer(status: int, body: bytes = b"{}", **headers: str) -> Any:
    def send(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return send


def test_over_the_wire_another_host_sees_no_token() -> None:
    with _Server(_answer(200)) as other, _Server(_answer(302, location=f"{other.url}/there")) as first, Http() as http:
        http.send(Request(f"{first.url}/here", authorization=Secret(f"Bearer {TOKEN}")))
        assert first.seen == [("/here", f"Bearer {TOKEN}")]
        assert other.seen == [("/there", None)]


def test_redirects_in_a_circle_end() -> None:
    with _Server(_answer(301, location="/again")) as server, Http() as http:
        with pytest.raises(Astray):
            http.send(Request(server.url))
        assert len(server.seen) == 5


def test_a_packed_answer_may_not_burst() -> None:
    bomb = gzip.compress(b"\0" * 3_000_000)
    with (
        _Server(_answer(200, bomb, content_encoding="gzip")) as server,
        Http(largest=1_000_000) as http,
        pytest.raises(TooLarge),
    ):
        http.send(Request(server.url))


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/x", "http://[::bad/x", "nonsense://x", "http://127.0.0.1:1/\x00"])
def test_a_fault_of_the_network_says_nothing_of_the_request(url: str) -> None:
    with Http() as http, pytest.raises(NetFault) as raised:
        http.send(Request(url, authorization=Secret(f"Bearer {TOKEN}")))
    assert TOKEN not in "".join(traceback.format_exception(raised.value))
    assert raised.value.__cause__ is None


def test_a_next_page_on_another_host_is_not_asked_for() -> None:
    link = '<https://evil.example/repos/acme/engine/releases?page=2>; rel="next"'
    with _Server(_answer(200, b"[]", link=link)) as server:
        source = GithubSource(Envelopes(), api=server.url, sleep=lambda _: None, bounds=Bounds(tries=1))
        activity = source.activity(watched(REPO), day_window())
        source.close()
    assert any("another host" in skipped.reason for skipped in activity.skipped)


# --- App -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def _environment(key: rsa.RSAPrivateKey) -> dict[str, str]:
    kind = serialization.PrivateFormat.TraditionalOpenSSL
    pem = key.private_bytes(serialization.Encoding.PEM, kind, serialization.NoEncryption()).decode()
    return {
        "GITHUB_APP_ID": "77",
        "GITHUB_APP_INSTALLATION_ID": "5",
        "GITHUB_APP_PRIVATE_KEY": pem.replace("\n", "\\n"),
    }


def test_an_app_buys_tokens_and_buys_again_when_they_end(key: rsa.RSAPrivateKey) -> None:
    public = key.public_key().public_numbers()
    credentials = Credentials.found_in(_environment(key))
    with scene() as one:
        day, wanted = built(one, items=40, repos=2)
        one.github.add_app("77", 5, key=(public.n, public.e))
        source = one.source(credentials=credentials)
        (first,) = source.activities(wanted[:1])
        one.github.advance(3600)
        (second,) = source.activities(wanted[1:])
        assert told(first) == truth(day, wanted[0].repo.name)
        assert told(second) == truth(day, wanted[1].repo.name)
        assert sum(request.path.endswith("/access_tokens") for request in one.github.requests) == 2
        assert "PRIVATE" not in repr(credentials)


def test_an_app_that_is_refused_is_said(key: rsa.RSAPrivateKey) -> None:
    with scene() as one:
        _, wanted = built(one, items=20, repos=1)
        (activity,) = one.source(credentials=Credentials.found_in(_environment(key))).activities(wanted)
        assert any("token" in skipped.reason for skipped in activity.skipped)
        assert any("gives the App no token" in line for line in one.said)


def test_a_key_that_is_none_is_told_without_showing_it() -> None:
    environment = {"GITHUB_APP_ID": "77", "GITHUB_APP_INSTALLATION_ID": "5", "GITHUB_APP_PRIVATE_KEY": "hidden-words"}
    with pytest.raises(ConfigError) as raised:
        GithubSource(Envelopes(), Credentials.found_in(environment))
    assert "hidden-words" not in "".join(traceback.format_exception(raised.value))
