"""The documentation as a site: it builds without a warning, and every link in it leads somewhere."""

from __future__ import annotations

import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).resolve().parent.parent


class Page(HTMLParser):
    """A built page: where its links lead, and which anchors it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors.add(given.get("id") or "")
        if tag in ("a", "img", "link", "script") and (link := given.get("href") or given.get("src")):
            self.links.append(link)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built apart from the checkout, since it writes beside its config."""
    folder = tmp_path_factory.mktemp("documentation")
    shutil.copy(ROOT / "zensical.toml", folder)
    shutil.copytree(ROOT / "docs", folder / "docs")
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=110)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    return folder / "build" / "docs"


def test_every_page_of_the_docs_stands_in_the_site(site: Path) -> None:
    pages = {path.relative_to(ROOT / "docs").with_suffix("") for path in (ROOT / "docs").rglob("*.md")}
    built = {path.relative_to(site).with_suffix("") for path in site.rglob("*.html")}
    assert {page.parent / "index" if page.name == "README" else page for page in pages} <= built


def test_every_link_of_the_site_leads_to_a_page_and_a_place_in_it(site: Path) -> None:
    pages = {path.resolve(): Page(path) for path in site.rglob("*.html") if path.name != "404.html"}
    dead = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            there = target.exists() and (
                not parts.fragment or target not in pages or unquote(parts.fragment) in pages[target].anchors
            )
            dead += [] if there else [f"{path.relative_to(site)} → {link}"]
    assert dead == []


def test_nothing_of_the_site_is_fetched_from_elsewhere(site: Path) -> None:
    loaded = [link for path in site.rglob("*.html") for link in Page(path).links if link.endswith((".js", ".css"))]
    assert loaded
    assert [link for link in loaded if urlsplit(link).netloc] == []


@pytest.mark.parametrize("name", ["quick-start", "upgrades", "notify", "service"])
def test_what_readers_need_first_is_there_in_chinese(name: str) -> None:
    text = (ROOT / "docs" / f"{name}.zh.md").read_text(encoding="utf-8")
    assert sum("\u4e00" <= letter <= "\u9fff" for letter in text) > 150
