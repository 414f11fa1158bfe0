"""Addresses: safe whatever things are called, and links that hold at any place of the site."""

from __future__ import annotations

import posixpath
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.report.archive import addresses

SAFE = re.compile(r"[A-Za-z0-9._/-]+")


def test_the_addresses_that_were_agreed_on() -> None:
    sha = "0123456789abcdef" * 2
    assert addresses.day_path("zh", "2026-03-06") == "zh/days/2026-03-06.html"
    assert addresses.change_path("en", "o/n", sha) == "en/changes/o-n/0123456789ab.html"
    assert addresses.story_path("zh", "o/n", "series-1a") == "zh/stories/o-n/series-1a.html"
    assert addresses.release_path("zh", "o/n", "v1.2.0") == "zh/releases/o-n/v1.2.0.html"
    assert addresses.repo_path("zh", "o/n") == "zh/repos/o-n.html"
    assert addresses.change_on_day("zh", "2026-03-06", sha) == "zh/days/2026-03-06.html#c-0123456789ab"
    assert addresses.in_language("zh/days/x.html", "en") == "en/days/x.html"
    assert addresses.in_language("index.html", "en") == "en/index.html"


@pytest.mark.parametrize(
    ("source", "target", "link"),
    [
        ("index.html", "zh/days/a.html", "zh/days/a.html"),
        ("zh/index.html", "assets/a.css", "../assets/a.css"),
        ("zh/days/a.html", "zh/days/b.html", "b.html"),
        ("zh/days/a.html", "zh/days/a.html#c", "#c"),
        ("zh/changes/o-n/1.html", "en/days/a.html#c-1", "../../../en/days/a.html#c-1"),
    ],
)
def test_a_link_leads_from_page_to_page(source: str, target: str, link: str) -> None:
    assert addresses.relative(source, target) == link


@settings(max_examples=40)
@given(st.text(max_size=60))
def test_no_name_leaves_its_folder_or_needs_quoting(name: str) -> None:
    for path in (addresses.story_path("zh", "o/n", name), addresses.release_path("zh", name, name)):
        assert SAFE.fullmatch(path)
        assert posixpath.normpath(path) == path
        assert path.startswith(("zh/stories/o-n/", "zh/releases/"))
        assert path.count("/") == 3


@settings(max_examples=40)
@given(st.sets(st.text(max_size=20), min_size=2, max_size=6))
def test_two_names_never_share_an_address_on_any_file_system(names: set[str]) -> None:
    assert len({addresses.safe_slug(name).lower() for name in names}) == len(names)


@settings(max_examples=40)
@given(st.lists(st.sampled_from("abc"), max_size=4), st.lists(st.sampled_from("abc"), max_size=4))
def test_links_resolve_to_their_target(here: list[str], there: list[str]) -> None:
    source, target = "/".join([*here, "x.html"]), "/".join([*there, "y.html"])
    assert posixpath.normpath(posixpath.join(posixpath.dirname(source), addresses.relative(source, target))) == target
