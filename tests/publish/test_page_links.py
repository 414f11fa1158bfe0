"""Links of a page lead to where the page's folder was published, leave no trace upstream, or go."""

from __future__ import annotations

import pytest

from daybreak.deliver.publish.folder import Links, blob_address

PAGES = "https://github.com/us/news/blob/reports/docs"


@pytest.mark.parametrize(
    ("target", "place"),
    [
        ("2026-01-19.en.md", f"{PAGES}/reports/2026-01-19.en.md"),
        ("2026-01-19/o-n.md#c-123", f"{PAGES}/reports/2026-01-19/o-n.md#c-123"),
        ("../README.md", f"{PAGES}/README.md"),
        ("2026-01-19.json", f"{PAGES}/reports/2026-01-19.json"),
        ("../../secret.md", None),
        ("/etc/passwd", None),
        ("#stats", None),
        ("", None),
        ("javascript:alert(1)", None),
        ("mailto:x@y.z", None),
        ("file:///etc/passwd", None),
        ("https://github.com/o/n/pull/1", "https://redirect.github.com/o/n/pull/1"),
        ("http://www.github.com/o/n/issues/1#x", "https://redirect.github.com/o/n/issues/1#x"),
        ("https://GitHub.com/o/n/commit/abc", "https://redirect.github.com/o/n/commit/abc"),
        ("https://gitlab.example/o/n/-/merge_requests/1", "https://gitlab.example/o/n/-/merge_requests/1"),
        (f"{PAGES}/reports/x.md", f"{PAGES}/reports/x.md"),
        ("https://user:pw@github.com/o/n/pull/1", None),
        ("https://[bad", None),
    ],
)
def test_every_link_has_its_place(target: str, place: str | None) -> None:
    assert Links("zh", PAGES)(target) == place


def test_without_an_address_of_the_pages_links_to_them_go() -> None:
    assert Links("zh")("2026-01-19.en.md") is None
    assert Links("zh")("https://github.com/o/n/pull/1") == "https://redirect.github.com/o/n/pull/1"


@pytest.mark.parametrize(
    ("target", "place"),
    [
        ("2026-01-19.md", "/zh/days/2026-01-19.html"),
        ("2026-01-19.en.md", "/en/days/2026-01-19.html"),
        ("2026-01-19/o-n.en.md#c-123", "/en/days/2026-01-19.html#r-o-n"),
        ("2026-01-19/o-n.v2.md", "/zh/days/2026-01-19.html#r-o-n.v2"),
        ("2026-01.md", None),
        ("../README.md", None),
    ],
)
def test_a_site_is_linked_when_the_pages_are_nowhere(target: str, place: str | None) -> None:
    made = Links("zh", site="https://news.example/daily/")(target)
    assert made == (None if place is None else f"https://news.example/daily{place}")


def test_what_leads_into_a_github_of_ones_own_is_not_linked() -> None:
    """It has no address for links that leave no trace."""
    links = Links("zh", silent=("git.corp.example",))
    assert links("https://git.corp.example/o/n/pull/1") is None


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/us/news",
        "https://github.com/us/news.git",
        "git@github.com:us/news.git",
        "ssh://git@github.com/us/news.git",
        "https://www.github.com/us/news/",
    ],
)
def test_what_is_pushed_to_github_can_be_read_there(address: str) -> None:
    assert blob_address(address, "reports", "") == "https://github.com/us/news/blob/reports"
    assert blob_address(address, "reports", "docs") == PAGES


@pytest.mark.parametrize(
    "address", ["../news.git", "https://gitlab.com/us/news.git", "https://github.com.evil.example/a/b"]
)
def test_other_places_cannot_be_read_on_github(address: str) -> None:
    assert blob_address(address, "reports", "") == ""
