"""Debian's Chromium driven by Playwright, and everything that a page does in it that it should not."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page, Request

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for a file's tests; skipped with the reason where there is none.

    Not for a whole session: while Playwright is at work, `asyncio.run` fails in every other test of the worker.
    """
    program = next((found for name in PROGRAMS if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("this machine: Chromium is not installed (scripts/browser.sh does it where apt-get can)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        yield browser
        browser.close()


@dataclass
class Watched:
    """A tab, and what was noticed of it."""

    page: Page
    faults: list[str] = field(default_factory=list)
    """Console errors, uncaught exceptions, failed requests, requests to another host, dialogs."""

    def goto(self, address: str) -> None:
        self.page.goto(address, wait_until="load")


@contextmanager
def tab(
    browser: Browser, home: str, width: int = 1440, scheme: str = "light", *, script: bool = True, locale: str = "en-US"
) -> Iterator[Watched]:
    """A fresh tab without memory; `home`: the only host that it may ask."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        java_script_enabled=script,
        locale=locale,
        reduced_motion="reduce",
    )
    page = context.new_page()
    watched = Watched(page)
    allowed = urlsplit(home).netloc

    def asked(url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "about") and parts.netloc != allowed:
            watched.faults.append(f"asked another host: {url}")

    def asked_back(dialog: Dialog) -> None:
        watched.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def failed(request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the next page was gone to before an icon came
            watched.faults.append(f"failed: {request.url} {request.failure}")

    page.on("console", lambda said: watched.faults.append(f"console: {said.text}") if said.type == "error" else None)
    page.on("pageerror", lambda error: watched.faults.append(f"uncaught: {error}"))
    page.on("request", lambda request: asked(request.url))
    page.on("requestfailed", failed)
    page.on("dialog", asked_back)
    try:
        yield watched
    finally:
        context.close()


def until(page: Page, question: str) -> None:
    """Asked from outside again and again: within the page its own policy forbids to evaluate a text."""
    for _ in range(600):
        if page.evaluate(question):
            return
        page.wait_for_timeout(100)
    raise AssertionError(question)
