"""The page of a release: notes are quoted and never markup, what it holds and who took it is the data's."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from msgspec.structs import replace

from daybreak.core.model.day import Across, Bump, Release
from daybreak.site.pages.views import ReleasePages
from pages.building import parsed
from pages.shelf import NOON, Shelf, commit, day, ground, repo, shown

NOTES = (
    "## Highlights",
    "- <b>faster</b> [click](javascript:alert(1)) @someone closes #1",
    "<script>alert(1)</script>",
)


def shelf_of(*, taken: bool = True, **more: object) -> Shelf:
    held = (f"{1:040x}", f"{9:040x}")
    made = Release("v1.0", "https://example.org/v1", "One", "Ada", NOON, "released", commits=held, notes=NOTES)
    release = replace(made, **more)
    bump = Bump(
        "acme/engine",
        f"{5:040x}",
        NOON + timedelta(days=1),
        "acme/kernels",
        "kernels",
        "0.9",
        "1.0",
        release="release:acme/kernels@v1.0",
    )
    other = Bump(
        "acme/engine", f"{6:040x}", NOON, "acme/kernels", "kernels", "0.8", "0.9", release="release:acme/kernels@v0.9"
    )
    shelf = Shelf()
    shelf.put(day("2026-03-02", repo([commit(1, "Held")], "acme/kernels", releases=(release,))))
    if taken:  # told by two days, taken once
        across = Across(bumps=(other, bump))
        shelf.put(
            *(day(label, repo([commit(5, "Bump kernels")]), across=across) for label in ("2026-03-03", "2026-03-04"))
        )
    return shelf


def test_the_page_has_notes_holdings_and_takers(tmp_path: Path) -> None:
    page = shown(
        ReleasePages(ground(shelf_of(pulls=(7, 8), pulls_omitted=3), tmp_path)), "en/releases/acme-kernels/v1.0.html"
    )
    text = parsed(page).text
    for line in NOTES:
        assert line in text
    assert "1 commit known from the reports" in text
    assert "1 more, of before the first report, is not listed" in text
    assert "Held" in text
    assert text.count("acme/engine moves kernels from 0.9 to 1.0") == 1
    assert "0.8" not in text
    assert "Bump kernels" in text
    assert 'href="https://example.org/acme/kernels/pull/7"' in page
    assert "3 more not listed" in text


def test_notes_become_no_markup(tmp_path: Path) -> None:
    page = parsed(shown(ReleasePages(ground(shelf_of(), tmp_path)), "zh/releases/acme-kernels/v1.0.html"))
    assert page.tags["script"] == 2  # the site's own
    assert page.tags["b"] == 0
    assert not [one for one in page.links if one.startswith("javascript:")]
    assert page.wrong == []


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put(
        day(
            "2026-03-02",
            repo(releases=(Release("Big Tag", "x:y", "", "", NOON, "prerelease", cut=True, notes_omitted=4),)),
        )
    )
    pages = ReleasePages(ground(shelf, tmp_path))
    path = next(path for path, _ in pages.keys() if path.startswith("en/"))  # noqa: SIM118 no dict
    text = parsed(shown(pages, path)).text
    for words in (
        "pre-release",
        "No commit of a watched repository",
        "No commit in the reports",
        "nothing to quote",
        "only their beginning",
    ):
        assert words in text
    assert "x:y" not in shown(pages, path)


def test_a_later_taker_changes_the_page_of_the_release(tmp_path: Path) -> None:
    shelf = shelf_of(taken=False)
    pages = ReleasePages(ground(shelf, tmp_path))
    before = dict(pages.keys())
    shelf.put(day("2026-03-05", repo([commit(20)])))
    assert dict(pages.keys()) == before
    shelf.stored |= shelf_of().stored
    after = dict(pages.keys())
    assert all(before[path] != after[path] for path in before)


def test_the_demo_shows_who_took_its_release(demo_site: Path) -> None:
    page = parsed((demo_site / "zh/releases/daybreak-demo-tilekit/v0.5.0.html").read_text("utf-8")).text
    assert "daybreak-demo/lantern 把 tilekit 从 0.4.0 升到 0.5.0" in page
