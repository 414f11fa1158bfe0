"""Every page of the demo's site: its links and anchors lead somewhere, its markup is sound, its weight is small."""

from __future__ import annotations

import posixpath
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from pages.building import Page, parsed


@pytest.fixture(scope="module")
def pages(demo_site: Path) -> dict[str, Page]:
    return {
        path.relative_to(demo_site).as_posix(): parsed(path.read_text("utf-8")) for path in demo_site.rglob("*.html")
    }


def test_every_link_and_anchor_inside_the_site_resolves(demo_site: Path, pages: dict[str, Page]) -> None:
    missing = []
    for name, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                assert parts.scheme in ("http", "https"), (name, link)
                continue
            target = (
                posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(parts.path))) if parts.path else name
            ).lstrip("/") or "index.html"  # a page of no place begins at the root
            if not (demo_site / target).is_file() or (
                parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids
            ):
                missing.append((name, link))
    assert missing == []


def test_markup_is_nested_and_ids_are_unique(pages: dict[str, Page]) -> None:
    for name, page in pages.items():
        assert page.wrong == [], name
        assert page.open == [], name
        assert [one for one, n in Counter(page.ids).items() if n > 1] == [], name


def test_no_page_holds_script_style_or_handlers_of_its_own(demo_site: Path, pages: dict[str, Page]) -> None:
    for name, page in pages.items():
        assert page.tags["style"] == 0, name
        assert not [one for one in page.attributes if one[1] == "style" or one[1].startswith("on")], name
        assert page.tags["script"] == len([one for one in page.attributes if one[:2] == ("script", "src")]), name
    for path in demo_site.rglob("*.js"):
        source = path.read_text("utf-8")
        assert "http://" not in source.replace("http://www.w3.org/", "")
        assert "https://" not in source


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_day_of_the_demo_weighs_little_with_all_it_loads(
    demo_site: Path, pages: dict[str, Page], language: str
) -> None:
    name = f"{language}/days/2026-03-06.html"
    loaded = [
        value
        for tag, attribute, value in pages[name].attributes
        if (tag, attribute) in (("script", "src"), ("link", "href")) and "/assets/" in value
    ]
    assert len(loaded) >= 3
    weight = (demo_site / name).stat().st_size
    weight += sum((demo_site / name).parent.joinpath(one).stat().st_size for one in loaded)
    assert weight < 150_000
