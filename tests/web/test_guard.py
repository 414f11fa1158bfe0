"""The guard: headers on every answer, limits, names of this machine only, and the token."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from daybreak.core.errors import UsageError
from daybreak.core.http import is_loopback
from daybreak.serve.web.guard import COOKIE, HEADERS, KNOWN, LIVES, LONGEST_FORM, LONGEST_QUERY, Guard, Token, token_for
from web.guarded import Got, app_of, ask

SECRET = "correct-horse-battery"
FORM = ("content-type", "application/x-www-form-urlencoded")


async def _inner(scope: Scope, receive: Receive, send: Send) -> None:
    """Says whether it thinks that it knows who asks."""
    await PlainTextResponse(f"in {scope.get(KNOWN)}")(scope, receive, send)


@pytest.fixture
def open_() -> ASGIApp:
    return Guard(_inner)


@pytest.fixture
def shut() -> ASGIApp:
    return Guard(_inner, Token(SECRET))


def log_in(app: ASGIApp, token: str, then: str = "/", **more: Any) -> Got:
    from urllib.parse import urlencode

    headers = [FORM, *more.pop("headers", [])]
    return ask(app, "/login", method="POST", headers=headers, body=urlencode({"token": token, "next": then}).encode())


# --- headers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "target",
    ["/", "/zh/index.html", "/none", "/api/v1/days", "/api/v1/none", "/healthz", "/metrics", "/x?" + "y" * 9000],
)
def test_every_answer_has_the_headers(demo_week: Path, target: str) -> None:
    got = ask(app_of(demo_week), target)
    assert {name: got.headers.get(name) for name in HEADERS} == HEADERS
    assert "unsafe" not in got.headers["content-security-policy"]
    assert got.headers["cache-control"]
    for name in HEADERS:
        assert len(got.headers.getlist(name)) == 1


def test_an_answer_may_not_weaken_them() -> None:
    async def weak(scope: Scope, receive: Receive, send: Send) -> None:
        await Response("x", headers={"Content-Security-Policy": "default-src *", "X-Frame-Options": "ALLOW"})(
            scope, receive, send
        )

    got = ask(Guard(weak), "/")
    assert got.headers.getlist("content-security-policy") == [HEADERS["Content-Security-Policy"]]
    assert got.headers.getlist("x-frame-options") == ["DENY"]


# --- limits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "FOO", "get"])
def test_only_reading_is_allowed(open_: ASGIApp, method: str) -> None:
    got = ask(open_, "/", method=method)
    assert got.status == 405
    assert got.headers["allow"] == "GET, HEAD"
    assert got.headers["content-type"] == "application/problem+json"


def test_what_is_too_long_is_refused(open_: ASGIApp) -> None:
    assert ask(open_, "/?" + "q" * LONGEST_QUERY).status == 200
    assert ask(open_, "/?" + "q" * (LONGEST_QUERY + 1)).status == 414
    assert ask(open_, "/" + "p" * 7000).status == 414
    assert ask(open_, "/", headers=[("x", "y" * 17_000)]).status == 431
    assert ask(open_, "/", headers=[(f"x{i}", "y" * 100) for i in range(200)]).status == 431


# --- the name of this machine ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:8080", "localhost.", "127.0.0.1", "127.0.0.1:80", "127.8.8.8", "[::1]", "[::1]:8080"],
)
def test_this_machine_is_served(open_: ASGIApp, host: str) -> None:
    assert ask(open_, "/", host=host).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.invalid",
        "evil.invalid:80",
        "127.0.0.1.evil.invalid",
        "localhost.evil.invalid",
        "0.0.0.0",
        "192.168.0.1",
        "127.1",
        "2130706433",
        "[::ffff:192.168.0.1]",
        "localhost@evil.invalid",
        ":80",
        " ",
    ],
)
def test_a_name_that_is_bound_anew_to_us_is_not_served(open_: ASGIApp, host: str) -> None:
    got = ask(open_, "/", host=host)
    assert got.status == 421
    assert b"in " not in got.body


def test_one_host_is_needed(open_: ASGIApp) -> None:
    assert ask(open_, "/", host="").status == 400
    assert ask(open_, "/", headers=[("host", "localhost")]).status == 400


def test_a_name_that_was_asked_for_is_ours() -> None:
    assert ask(Guard(_inner, hosts=["news.lan"]), "/", host="news.lan:80").status == 200


def test_loopback() -> None:
    assert [is_loopback(host) for host in ("::1", "127.0.0.1", "localhost", "0.0.0.0", "::", "10.0.0.1", "")] == [
        True, True, True, False, False, False, False,
    ]  # fmt: skip


# --- the token -------------------------------------------------------------------------------------------------------


def test_without_the_token_nothing_is_shown(shut: ASGIApp) -> None:
    for target in (
        "/",
        "/zh/index.html",
        "/api/v1/days",
        "/metrics",
        "/healthz/",
        "//healthz",
        "/assetsx",
        "/zh/assets/x.css",
    ):
        got = ask(shut, target)
        assert got.status == 401, target
        assert got.headers["www-authenticate"] == "Bearer"
        assert b"in " not in got.body


def test_the_style_is_open_and_nothing_but_the_style(demo_week: Path) -> None:
    app = app_of(demo_week, Token(SECRET))
    form = ask(app, "/", headers=[("accept", "text/html")]).text
    style = form.partition('rel="stylesheet" href="')[2].partition('"')[0]
    assert ask(app, style).headers["content-type"].startswith("text/css")
    for target in ("/assets/../zh/index.html", "/assets/%2e%2e/zh/index.html", "/assets/zh/index.html"):
        assert ask(app, target).status == 404


def test_health_is_open_and_told_without_details(shut: ASGIApp, demo_week: Path) -> None:
    assert ask(shut, "/healthz").text == "in False"
    app = app_of(demo_week, Token(SECRET))
    assert set(ask(app, "/healthz").json()) == {"status"}
    assert ask(app, "/livez").json() == {"status": "alive"}
    assert [ask(app, path).status for path in ("/livezx", "/livez/", "/livez/../api/v1/days")] == [401] * 3
    assert len(ask(app, "/healthz", headers=[("authorization", f"Bearer {SECRET}")]).json()) > 1


@pytest.mark.parametrize("given", [f"Bearer {SECRET}", f"bearer {SECRET}", f"Bearer  {SECRET} "])
def test_the_token_opens(shut: ASGIApp, given: str) -> None:
    got = ask(shut, "/x", headers=[("authorization", given)], host="any.invalid")
    assert got.text == "in True"


@pytest.mark.parametrize(
    "given",
    [
        "",
        "Bearer",
        "Bearer ",
        f"Basic {SECRET}",
        SECRET,
        f"Bearer {SECRET}x",
        f"Bearer {SECRET[:-1]}",
        "Bearer \xff\xfe",
        f"Bearer {SECRET.upper()}",
    ],
)
def test_another_does_not(shut: ASGIApp, given: str) -> None:
    assert ask(shut, "/x", headers=[("authorization", given)]).status == 401


def test_a_token_in_the_address_is_no_token(shut: ASGIApp) -> None:
    assert ask(shut, f"/?token={SECRET}").status == 401


def test_a_browser_is_shown_a_form_and_goes_on_where_it_wanted(shut: ASGIApp) -> None:
    form = ask(shut, '/zh/"><script>', headers=[("accept", "text/html")])
    assert form.status == 401
    searched = ask(shut, "/zh/search.html?q=a&from=20", headers=[("accept", "text/html")])
    assert 'name="next" value="/zh/search.html?q=a&amp;from=20"' in searched.text
    assert 'action="/login"' in form.text
    assert "<script" not in form.text
    got = log_in(shut, SECRET, "/zh/days/2026-03-06.html")
    assert (got.status, got.headers["location"]) == (303, "/zh/days/2026-03-06.html")
    cookie = got.headers["set-cookie"]
    assert SECRET not in cookie
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    session = cookie.partition(";")[0]
    assert ask(shut, "/x", headers=[("cookie", f"a=b; {session}")]).text == "in True"
    assert ask(shut, "/login", headers=[("cookie", session)]).status == 303


def test_the_session_is_for_tls_alone_where_a_proxy_says_that_there_is_some(shut: ASGIApp) -> None:
    assert "Secure" not in log_in(shut, SECRET).headers["set-cookie"]
    cookies = log_in(shut, SECRET, headers=[("x-forwarded-proto", "https")]).headers.getlist("set-cookie")
    assert len(cookies) == 2
    assert all("; Secure" in one for one in cookies)


def test_a_session_can_be_ended_by_a_form_of_this_site_only(shut: ASGIApp) -> None:
    session = ("cookie", log_in(shut, SECRET).headers["set-cookie"].partition(";")[0])
    assert 'method="post" action="/logout"' in ask(shut, "/logout", headers=[session]).text
    foreign = ask(shut, "/logout", method="POST", headers=[session, ("sec-fetch-site", "cross-site")])
    assert (foreign.status, "set-cookie" in foreign.headers) == (403, False)
    ended = ask(shut, "/logout", method="POST", headers=[session])
    assert (ended.status, ended.headers["location"]) == (303, "/login")
    assert all("Max-Age=0" in one for one in ended.headers.getlist("set-cookie"))
    assert ask(shut, "/logout", method="POST").status == 401


def test_a_wrong_token_gives_no_cookie(shut: ASGIApp) -> None:
    got = log_in(shut, SECRET + "x")
    assert got.status == 401
    assert "set-cookie" not in got.headers
    assert SECRET not in got.text


@pytest.mark.parametrize(
    "target",
    [
        "//evil.invalid",
        "https://evil.invalid",
        "/\\evil.invalid",
        "\\\\evil.invalid",
        "/\r\nSet-Cookie: a=b",
        "javascript:alert(1)",
        "",
        "/" + "x" * 3000,
    ],
)
def test_nobody_is_sent_elsewhere(shut: ASGIApp, target: str) -> None:
    got = log_in(shut, SECRET, target)
    assert (got.status, got.headers["location"]) == (303, "/")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([("origin", "http://localhost")], 303),
        ([("sec-fetch-site", "same-origin")], 303),
        ([("origin", "https://evil.invalid")], 403),
        ([("origin", "null")], 303),  # what browsers say of pages that give no referrer
        ([("origin", "null"), ("sec-fetch-site", "cross-site")], 403),
        ([("sec-fetch-site", "cross-site")], 403),
        ([("sec-fetch-site", "same-site")], 403),
    ],
)
def test_the_form_is_taken_from_this_site_only(shut: ASGIApp, headers: list[tuple[str, str]], status: int) -> None:
    assert log_in(shut, SECRET, headers=headers).status == status


def test_a_form_that_is_too_long_or_odd_is_refused(shut: ASGIApp) -> None:
    assert ask(shut, "/login", method="POST", headers=[FORM], body=b"x" * (LONGEST_FORM + 1)).status == 413
    assert ask(shut, "/login", method="POST", headers=[FORM], body=b"&a=1" * 100).status == 401
    assert ask(shut, "/login", method="POST", headers=[FORM], body=b"\xff\xfe").status == 401


def test_without_a_token_there_is_no_form(open_: ASGIApp) -> None:
    assert ask(open_, "/login", method="POST").status == 405


def test_a_session_ends_and_is_nobody_elses() -> None:
    now = [1000.0]
    token = Token(SECRET, lambda: now[0])
    session = token.session()
    assert token.opened(session)
    assert not Token("another-secret-word", lambda: now[0]).opened(session)
    until, _, mark = session.partition(".")
    for forged in (
        "",
        ".",
        until,
        f"{int(until) + 1}.{mark}",
        f"{until}.{mark[:-1]}",
        f"{until}.",
        f"{until}.{mark}é",
        "9" * 5000,
    ):
        assert not token.opened(forged)
    now[0] += LIVES
    assert not token.opened(session)


def test_the_token_is_not_shown_by_accident() -> None:
    token = Token(SECRET)
    assert SECRET not in repr(token)
    assert SECRET not in str(vars(token))


def test_who_needs_a_token() -> None:
    assert token_for({}, others=False) is None
    assert token_for({"DAYBREAK_TOKEN": " "}, others=False) is None
    with pytest.raises(UsageError, match="must be set"):
        token_for({}, others=True)
    with pytest.raises(UsageError, match="too short"):
        token_for({"DAYBREAK_TOKEN": "short"}, others=False)
    for others in (True, False):
        token = token_for({"DAYBREAK_TOKEN": SECRET}, others=others)
        assert token is not None
        assert token.is_it(SECRET)


def test_cookies_of_others_are_passed_over(shut: ASGIApp) -> None:
    bad = f"{COOKIE}=1.x; {COOKIE}=; x={time.time()}"
    assert ask(shut, "/", headers=[("cookie", bad)]).status == 401
