"""Pages by the server: every page of the site, sent again only when it changed, and nothing besides them."""

from __future__ import annotations

import gzip
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Event, Semaphore
from time import sleep

import pytest
from starlette.types import ASGIApp

from daybreak.report.archive.opening import open_archive
from daybreak.serve.web.metrics import CurrentArchive
from daybreak.site.pages.site import Site
from daybreak.store import open_store
from web.guarded import app_of, ask, settings_of


@pytest.fixture
def app(demo_week: Path) -> ASGIApp:
    return app_of(demo_week)


def test_what_is_served_is_what_the_site_writes(app: ASGIApp, demo_week: Path) -> None:
    settings = settings_of(demo_week)
    site = Site(open_archive(settings), settings)
    paths = sorted(dict(site.keys()))
    chosen = [path for path in paths if path.startswith(("assets/", "index"))]
    chosen += ["zh/days/2026-03-06.html", "zh/calendar.html", "en/status.html", "en/repos/daybreak-demo-wick.html"]
    assert set(chosen) <= set(paths)
    for path in chosen:
        got, asset = ask(app, f"/{path}"), site.page(path)
        assert asset is not None
        assert (got.status, got.body, got.headers["content-type"]) == (200, asset.body, asset.media_type), path


def test_a_feed_that_is_served_has_absolute_links_to_where_its_reader_knows_us(app: ASGIApp) -> None:
    feed = ask(app, "/en/feed.json").json()
    assert {item["url"].partition("/en/")[0] for item in feed["items"]} == {"http://localhost"}
    assert any('href="http://localhost/en/changes/' in item["content_html"] for item in feed["items"])
    behind = ask(app, "/en/feed.xml", headers=[("x-forwarded-proto", "https")]).text
    assert 'href="https://localhost/en/feed.xml"' in behind
    assert ask(app, "/en/feed.json").json() == feed, "what one reader is told is not told to the next"


def test_the_home_page_has_short_addresses(app: ASGIApp) -> None:
    assert ask(app, "/").body == ask(app, "/index.html").body
    assert ask(app, "/zh/").body == ask(app, "/zh/index.html").body
    assert (ask(app, "/zh").status, ask(app, "/zh").headers["location"]) == (308, "/zh/")


def test_a_page_is_sent_again_only_when_it_changed(app: ASGIApp) -> None:
    first = ask(app, "/zh/index.html")
    assert first.headers["cache-control"] == "private, no-cache"
    etag = first.headers["etag"]
    for asked in (etag, f'"x", {etag}', f"W/{etag}", "*"):
        again = ask(app, "/zh/index.html", headers=[("if-none-match", asked)])
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", etag)
    assert ask(app, "/zh/index.html", headers=[("if-none-match", '"x"')]).status == 200


def test_a_large_answer_is_packed_for_who_can_unpack_it(app: ASGIApp) -> None:
    page = "/zh/days/2026-03-06.html"
    plain, packed = ask(app, page), ask(app, page, headers=[("accept-encoding", "br, gzip;q=0.8")])
    assert gzip.decompress(packed.body) == plain.body
    assert (packed.headers["content-encoding"], packed.headers["vary"]) == ("gzip", "Accept-Encoding")
    assert 4 * len(packed.body) < len(plain.body)
    assert packed.headers["etag"] != plain.headers["etag"], "the bytes are others"
    for asked in ("gzip;q=0", "identity", "gzip;q=0.0, br"):
        assert "content-encoding" not in ask(app, page, headers=[("accept-encoding", asked)]).headers
    again = [("accept-encoding", "gzip"), ("if-none-match", packed.headers["etag"])]
    assert ask(app, page, headers=again).status == 304


def test_files_with_a_hash_in_their_name_are_kept_for_good(app: ASGIApp, demo_week: Path) -> None:
    settings = settings_of(demo_week)
    path = next(path for path in dict(Site(open_archive(settings), settings).keys()) if path.startswith("assets/"))
    assert ask(app, f"/{path}").headers["cache-control"] == "private, max-age=31536000, immutable"


def test_a_day_that_changed_is_seen(own_demo_week: Path) -> None:
    folder = own_demo_week
    for leftover in (folder / ".daybreak").glob("daybreak.db*"):
        leftover.unlink()
    app = app_of(folder)
    before = ask(app, "/en/days/2026-03-07.html")
    path = folder / "reports" / "2026-03-07.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"subject": "', '"subject": "Changed: '), encoding="utf-8")
    after = ask(app, "/en/days/2026-03-07.html")
    assert "Changed: " not in before.text
    assert "Changed: " in after.text
    assert before.headers["etag"] != after.headers["etag"]
    path.unlink()
    assert ask(app, "/en/days/2026-03-07.html").status == 404


@pytest.mark.parametrize(
    "target",
    [
        "/../daybreak.toml", "/..%2fdaybreak.toml", "/%2e%2e/daybreak.toml", "/%2e%2e%2fdaybreak.toml",
        "/%252e%252e%252fdaybreak.toml", "/zh/../../daybreak.toml", "/zh/days/..%5c..%5cdaybreak.toml",
        "/zh\\..\\..\\daybreak.toml", "/daybreak.toml", "/.daybreak/daybreak.db", "/reports/2026-03-06.json",
        "/zh/days/2026-03-06.html%00", "/zh/days/2026-03-06.html%00.css", "/%00", "/zh//days/2026-03-06.html",
        "//etc/passwd", "/etc/passwd", "/file:///etc/passwd", "/zh/days/2026-03-06.html/", "/zh/days/.html",
        "/zh/days/%C0%AE%C0%AE/x", "/assets/../../pyproject.toml", "/zh/days/2026-03-06.html%0d%0aX: y", "/zh/~root",
        "/assets/", "/ZH/index.html", "/zh/days/2026-3-6.html", "/zh/changes/x/y.html", "/" + "a/" * 400,
        "/zh/feeds/..%2ffeed.xml", "/con", "/zh/days/2026-03-06.html;x", "/zh/days/2026-03-06.htm", "/%E2%80%AE",
    ],
)  # fmt: skip
def test_only_what_the_site_knows_is_served(app: ASGIApp, target: str) -> None:
    for headers in ([], [("accept", "text/html")]):
        got = ask(app, target, headers=headers)
        assert got.status == 404, got.text
        assert b"daybreak-demo" not in got.body


def test_who_looks_for_a_page_is_told_in_a_page(app: ASGIApp) -> None:
    page = ask(app, "/none", headers=[("accept", "text/html,*/*")])
    assert page.headers["content-type"].startswith("text/html")
    assert "没有这个页面" in page.text
    kinds = [ask(app, *one).headers["content-type"].partition(";")[0] for one in (("/none",), ("/api/none",))]
    assert kinds == ["text/html", "application/problem+json"], "readers see a page, programs get data"


def test_the_search_page_comes_with_its_results(app: ASGIApp) -> None:
    empty = ask(app, "/en/search.html")
    found = ask(app, "/en/search.html?q=lantern")
    assert (empty.status, found.status) == (200, 200)
    assert "changes/daybreak-demo-lantern/" not in empty.text
    assert "changes/daybreak-demo-lantern/" in found.text
    later = ask(app, "/en/search.html?q=lantern&from=20")
    assert later.status == 200
    assert later.body != found.body


@pytest.mark.parametrize(
    "query",
    ["q=%3Cscript%3Ealert(1)%3C/script%3E", "q=%22", "q=repo:", "q=%ff%00%1b", "from=-1&q=x", "from=9999999999&q=x",
     "q=" + "%E7%9A%84" * 400, "q=" + "x" * 4000, "&".join("q=1" for _ in range(50)), "q=%E2%80%AE", "x=%3Cb%3E"],
)  # fmt: skip
def test_odd_questions_are_answered_by_the_page(app: ASGIApp, query: str) -> None:
    got = ask(app, f"/zh/search.html?{query}")
    assert got.status == 200, got.text
    assert "<script>alert" not in got.text
    assert "<b>" not in got.text
    assert not any(sign in got.text for sign in "\x00\x1b\u202e")


def test_a_service_that_began_empty_goes_over_to_the_store(tmp_path: Path, demo_week: Path) -> None:
    import shutil

    (tmp_path / "daybreak.toml").write_text((demo_week / "daybreak.toml").read_text())
    archive = CurrentArchive(settings_of(tmp_path))
    assert archive.labels() == []
    shutil.copytree(demo_week / "reports", tmp_path / "reports")
    assert len(archive.labels()) == 7
    (tmp_path / ".daybreak").mkdir(exist_ok=True)
    shutil.copy(demo_week / ".daybreak" / "daybreak.db", tmp_path / ".daybreak" / "daybreak.db")
    shutil.rmtree(tmp_path / "reports")
    assert len(archive.digests()) == 7
    assert archive.data("2026-03-06") is not None


def test_a_store_whose_files_are_as_they_were_is_not_opened_for_every_page(
    own_demo_week: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, opened = settings_of(own_demo_week), []
    database = own_demo_week / ".daybreak" / "daybreak.db"
    archive = CurrentArchive(settings)
    first = archive.digests()
    found = archive._found
    assert found is not None
    real = found.digests

    def counted() -> dict[str, str]:
        opened.append(1)
        return real()

    monkeypatch.setattr(found, "digests", counted)
    os.utime(database, (1_700_000_000, 1_700_000_000))
    assert [archive.digests() for _ in range(5)] == [first] * 5
    assert len(opened) == 1
    with closing(open_store(settings.config.store, settings.base)) as store:
        changed = store.report_data("2026-03-07")
        assert changed is not None
        store.put_report(changed.replace(b'"subject": "', b'"subject": "Changed: '))
        assert archive.digests() != first
    assert archive.digests() != first
    os.utime(database, (1_800_000_000, 1_800_000_000))
    assert archive.digests() == archive.digests() != first


def test_readers_of_a_store_that_is_being_written_wait_for_one_answer_that_is_new_enough_for_all_of_them(
    own_demo_week: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = CurrentArchive(settings_of(own_demo_week))
    archive.labels()
    monkeypatch.setattr("daybreak.serve.web.metrics.sign_of", lambda _: None)  # written just now, again and again
    found, begun, go = archive._found, Semaphore(0), Event()
    assert found is not None
    real, opened = found.digests, []

    def slow() -> dict[str, str]:
        opened.append(1)
        begun.release()
        assert go.wait(60)
        return real()

    monkeypatch.setattr(found, "digests", slow)
    with ThreadPoolExecutor(21) as readers:
        first = readers.submit(archive.digests)
        assert begun.acquire(timeout=60)
        others = [readers.submit(_asked_and, archive, begun) for _ in range(20)]
        for _ in others:
            assert begun.acquire(timeout=60)
        sleep(0.3)  # until they wait for their turn
        go.set()
        assert all(one.result(60) == first.result(60) for one in others)
    assert 2 <= len(opened) < 10, "the first answer began before they asked, and is none for them"
    before = len(opened)
    assert archive.digests()
    assert len(opened) == before + 1, "what was read before somebody asks is old"


def _asked_and(archive: CurrentArchive, begun: Semaphore) -> dict[str, str]:
    begun.release()
    return archive.digests()
