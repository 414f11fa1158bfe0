"""Feeds as files of the site: each listed one can be had, and changes only with the days that it tells of."""

from __future__ import annotations

from pathlib import Path

import pytest

from daybreak.core.config import load
from daybreak.report.archive.interface import Archive
from daybreak.site.pages import Ground
from daybreak.site.pages.site import FeedFiles
from feeds.days import Shelf, commit, day, days
from feeds.validating import valid_atom, valid_json


def files(folder: Path, archive: Archive, top: str = "") -> FeedFiles:
    (folder / "daybreak.toml").write_text(f'timezone = "UTC"\n{top}\n', encoding="utf-8")
    return FeedFiles(Ground(archive, load(folder / "daybreak.toml", {}, {}), "look"))


def test_every_listed_feed_can_be_had_and_no_other(tmp_path: Path) -> None:
    found = files(tmp_path, Shelf.of(*days(3)))
    paths = list(dict(found.keys()))
    assert sorted(paths) == sorted(
        f"{language}/{name}.{form}"
        for language in ("zh", "en")
        for name in ("feed", "feeds/breaking", "feeds/acme-engine", "feeds/acme-quiet")
        for form in ("xml", "json")
    )
    for path in paths:
        asset = found.page(path)
        assert asset is not None
        assert asset.path == path
        if path.endswith(".xml"):
            assert asset.media_type == "application/atom+xml; charset=utf-8"
            valid_atom(asset.body)
        else:
            assert asset.media_type == "application/feed+json"
            valid_json(asset.body, absolute=False)


@pytest.mark.parametrize(
    "path",
    ["fr/feed.xml", "feed.xml", "zh/feed.rss", "zh/feeds/none.xml", "zh/feeds/acme/engine.xml", "zh/feeds/.xml", ""],
)
def test_what_is_no_feed_is_none(tmp_path: Path, path: str) -> None:
    assert files(tmp_path, Shelf.of(day())).page(path) is None


def test_a_feed_changes_only_with_the_days_it_tells_of(tmp_path: Path) -> None:
    archive = Shelf.of(*days(3))
    found = files(tmp_path, archive)
    before = dict(found.keys())
    assert dict(found.keys()) == before
    archive.kept["2026-01-20"] = day("2026-01-20", commits=())  # a day on which nothing happened
    quiet = {path for path, digest in dict(found.keys()).items() if digest != before[path]}
    assert quiet == {"zh/feed.xml", "zh/feed.json", "en/feed.xml", "en/feed.json"}
    archive.kept["2026-01-21"] = day("2026-01-21", commits=(commit(1, label="2026-01-21"),))
    harmless = {path for path, digest in dict(found.keys()).items() if digest != before[path]} - quiet
    assert harmless == {f"{language}/feeds/acme-engine.{form}" for language in ("zh", "en") for form in ("xml", "json")}


def test_links_are_absolute_where_the_site_is_known(tmp_path: Path) -> None:
    found = files(tmp_path, Shelf.of(day()), '[publish]\nsite_url = "https://acme.invalid/news/"')
    plain = files(tmp_path, Shelf.of(day()))
    asset = found.page("en/feeds/breaking.json")
    assert asset is not None
    feed = valid_json(asset.body, absolute=True)
    assert feed["home_page_url"] == "https://acme.invalid/news/en/index.html"
    assert dict(found.keys())["en/feed.xml"] != dict(plain.keys())["en/feed.xml"]


def test_two_installations_have_ids_of_their_own(tmp_path: Path) -> None:
    """Feeds of two teams would else be one in a reader that has both."""
    (tmp_path / "other").mkdir()
    ours = files(tmp_path, Shelf.of(day()), '[publish]\nsite_url = "https://a.invalid/"')
    theirs = files(tmp_path / "other", Shelf.of(day()), '[publish]\nsite_url = "https://b.invalid/"')
    first, second = (one.page("en/feed.xml") for one in (ours, theirs))
    assert first is not None
    assert second is not None
    ids = [{entry.id for entry in valid_atom(one.body).entries} for one in (first, second)]
    assert not ids[0] & ids[1]
