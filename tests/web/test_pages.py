"""Pages by the server: every page of the site, sent again only when it changed, and nothing besides them."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.types import ASGIApp

from daybreak.report.archive.opening import open_archive
from daybreak.serve.web.metrics import CurrentArchive
from daybreak.site.pages.site import Site
from web.guarded import app_of, ask, settings_of


@pytest.fixture
def app(demo_week: Path) -> ASGIApp:
    return app_of(demo_week)


def test_what_is_served_is_what_the_site_writes(app: ASGIApp, demo_week: Path) -> None:
    settings = settings_of(demo_week)
    site = Site(open_archive(settings), settings)
    paths = sorted(dict(site.keys()))
    chosen = [path for path in paths if path.startswith(("assets/", "en/feed", "index"))]
    chosen += ["zh/days/2026-03-06.html", "zh/calendar.html", "en/status.html", "en/repos/daybreak-demo-wick.html"]
    assert set(chosen) <= set(paths)
    for path in chosen:
        got, asset = ask(app, f"/{path}"), site.page(path)
        assert asset is not None
        assert (got.status, got.body, got.headers["content-type"]) == (200, asset.body, asset.media_type), path


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
    assert ask(app, "/none").headers["content-type"] == "application/problem+json"


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
