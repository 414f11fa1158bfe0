"""The static search page in a real browser, from a folder on disk, with hostile text in everything that it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from daybreak.core.config import load
from daybreak.site.pages import Ground
from daybreak.site.pages.search_page import SearchFiles, SearchPages
from daybreak.site.pages.symbols import SymbolNames
from daybreak.site.pages.templates import AssetFiles
from pages.chromium import chromium, tab  # noqa: F401  a fixture
from search import days

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

PAYLOADS = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", '"><svg onload=alert(1)>', "javascript:alert(1)",
    "</script><script>alert(1)", "');alert(1);//", "\u2028alert(1)", "${alert(1)}", "<mark onclick=alert(1)>", "\u202egnp.exe",
)  # fmt: skip


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Only what the search page needs."""
    config = tmp_path / "daybreak.toml"
    config.write_text('languages = ["zh", "en"]\n[[repo]]\nname = "acme/engine"\n', encoding="utf-8")
    shelf = days.week()
    rows = [days.change(f"payload {one} {n}", zh=f"载荷 {one}", en=one, author=one, label="2026-03-07") for n, one in enumerate(PAYLOADS * 3)]  # fmt: skip
    issues = tuple(days.issue(n, f"payload {one}", kind=one, labels=(one,)) for n, one in enumerate(PAYLOADS, 1))
    shelf.put(days.day("2026-03-07", days.repo("acme/engine", *rows, issues=issues)))
    shelf.put(days.day("2026-03-08", days.fates("2026-03-08")))
    shelf.put(days.taken_back("2026-03-09"))
    ground = Ground(shelf, load(config, {}, {}), "look")
    out = tmp_path / "site"
    for section in (AssetFiles(ground), SearchPages(ground), SearchFiles(ground), SymbolNames(ground)):
        for path, _ in section.keys():  # noqa: SIM118  a section is no mapping
            asset = section.page(path)
            assert asset is not None
            (out / path).parent.mkdir(parents=True, exist_ok=True)
            (out / path).write_bytes(asset.body)
    return out


def test_hostile_text_is_shown_and_does_nothing(site: Path, chromium: Browser) -> None:  # noqa: F811
    home = f"{site.as_uri()}/"
    with tab(chromium, home, 390) as watched:
        page = watched.page
        watched.goto(f"{home}zh/search.html")
        page.keyboard.type("payload")  # the field has the focus
        page.keyboard.press("Enter")
        page.locator(".hit").first.wait_for(timeout=60_000)
        assert page.locator("#search-status").inner_text().startswith("第 1–20 条，共 40 条")
        assert page.locator("main script, main img, main svg, main [onclick], main [onload]").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.locator("#search-pager a[rel=next]").press("Enter")
        page.wait_for_url("**from=20")
        page.locator(".hit").first.wait_for(timeout=60_000)
        assert page.locator("#search-status").inner_text().startswith("第 21–40 条，共 40 条")
        page.locator("a.lang").click()
        page.wait_for_url("**/en/search.html?q=payload&from=20")
        page.locator(".hit").first.wait_for(timeout=60_000)
        assert page.locator("#search-status").inner_text().startswith("21–40 of 40")
        for payload in PAYLOADS[:4]:
            watched.goto(f"{home}en/search.html?{urlencode({'q': payload})}")
            page.locator("#search-results[aria-busy=false]").wait_for(state="attached", timeout=60_000)
            assert page.locator("#q").input_value() == payload.strip()
        assert watched.faults == []


def test_the_page_finds_exactly_and_tells_mistakes(site: Path, chromium: Browser) -> None:  # noqa: F811
    home = f"{site.as_uri()}/"
    with tab(chromium, home) as watched:
        watched.goto(f"{home}zh/search.html?q=%E9%87%8F%E5%8C%96")
        hit = watched.page.locator(".hit")
        hit.first.wait_for(timeout=60_000)
        assert hit.count() == 2, "the change, and the pull request that names a format of the field"
        hit = hit.first
        assert {"量化"} <= set(hit.locator("mark").all_inner_texts()) <= {"量化", "FP8", "量化推理"}
        sha = days.sha("[Feature] 支持 FP8 量化推理 (#44)")[:12]
        assert hit.locator("a").get_attribute("href") == f"changes/acme-engine/{sha}.html"
        watched.goto(f"{home}zh/search.html?q=kind:fixx")
        told = watched.page.get_by_text("是否想写 kind:fix？")
        told.wait_for(timeout=60_000)
        assert watched.faults == []


def test_the_static_page_says_first_what_happened_to_a_name(site: Path, chromium: Browser) -> None:  # noqa: F811
    home = f"{site.as_uri()}/"
    for query in ("--chunk-size", "chunk size"):
        with tab(chromium, home) as watched:
            watched.goto(f"{home}en/search.html?{urlencode({'q': query})}")
            hits = watched.page.locator(".hit")
            hits.first.wait_for(timeout=60_000)
            told = [one.splitlines()[0] for one in watched.page.locator(".does").all_inner_texts()]
            assert told[:2] == [
                "removed: --chunk-size 512 (args.py)",
                "default: --chunk-size 512 → 1024 (args.py)",
            ]
            assert len(told) == len(days.FATES) + 1
            assert "Speak of it" in hits.last.inner_text()
            assert watched.page.locator("#search-lives").inner_text().startswith("Life of the name")
            assert watched.faults == []


def test_the_static_page_says_that_a_change_was_taken_back_and_by_which(site: Path, chromium: Browser) -> None:  # noqa: F811
    home = f"{site.as_uri()}/"
    with tab(chromium, home) as watched:
        watched.goto(f"{home}en/search.html?{urlencode({'q': '--chunk-size'})}")
        first = watched.page.locator(".hit").first
        first.wait_for(timeout=60_000)
        mark = first.locator(".later a")
        assert mark.inner_text() == "taken back later 03-09"
        assert mark.get_attribute("href") == f"changes/acme-engine/{days.sha('Give it back (#77)')[:12]}.html"
        assert watched.page.locator(".hit .later").count() == 1
        assert "removed (taken back later)" in watched.page.locator("#search-lives").inner_text()
        assert watched.faults == []


def test_without_scripts_the_static_page_says_what_to_do(site: Path, chromium: Browser) -> None:  # noqa: F811
    home = f"{site.as_uri()}/"
    with tab(chromium, home, script=False) as watched:
        watched.goto(f"{home}en/search.html?q=cache")
        assert watched.page.locator("noscript p").is_visible()
