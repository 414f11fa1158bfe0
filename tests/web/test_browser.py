"""The served pages in a real browser: the token is asked for once, the policy blocks nothing of ours, search works by keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from daybreak.serve.web.guard import Token
from pages.chromium import chromium, tab  # noqa: F401  a fixture
from web.guarded import app_of
from web.test_answers import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SECRET = "correct-horse-battery"


def test_a_reader_comes_in_by_the_token_and_finds_a_change(demo_week: Path, chromium: Browser) -> None:  # noqa: F811
    with serving(app_of(demo_week, Token(SECRET))) as client:
        home = str(client.base_url).rstrip("/")
        with tab(chromium, home) as watched:
            page = watched.page
            watched.goto(f"{home}/zh/days/2026-03-06.html")
            assert "lantern" not in page.content()
            page.get_by_label("DAYBREAK_TOKEN").fill("wrong")
            page.keyboard.press("Enter")
            page.get_by_role("alert").wait_for()
            refused = [fault for fault in watched.faults if "401" not in fault]
            watched.faults.clear()
            page.get_by_label("DAYBREAK_TOKEN").fill(SECRET)
            page.keyboard.press("Enter")
            page.wait_for_url("**/zh/days/2026-03-06.html")
            assert "daybreak-demo/lantern" in page.content()
            watched.goto(f"{home}/zh/search.html")
            page.locator("input[name=q]").fill("batch limit")
            page.keyboard.press("Enter")
            page.wait_for_url("**/zh/search.html?q=*")
            page.locator("mark").first.wait_for()
            watched.goto(f"{home}/none")
            assert "没有这个页面" in page.content()
            assert refused + [fault for fault in watched.faults if "404" not in fault] == []
