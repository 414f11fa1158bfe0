"""The page of a story: joined over the days by its id, oldest change first, with what each report said."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

from both_languages import both
from daybreak.core.model.day import Across, CrossStory, Earlier, Span, Step
from daybreak.site.pages.across_days import RELATED, Joined
from daybreak.site.pages.summaries import summary_of
from daybreak.site.pages.views import StoryPages
from pages.building import parsed
from pages.shelf import NOON, Shelf, commit, day, ground, repo, shown, story

KEY = ("acme/engine", "series-1")


def two_days() -> Shelf:
    shelf = Shelf()
    first = story(
        "series-1", "series", (1, 2), "Series `x`: `1/2` landed.", earlier={f"{1:040x}": NOON - timedelta(days=9)}
    )
    second = story(
        "series-1",
        "series",
        (1, 2, 3),
        "Series `x`: `2/2` landed; it is complete.",
        broken=Span(NOON, NOON + timedelta(hours=2)),
    )
    shelf.put(
        day("2026-03-02", repo([commit(2, "Part one")], stories=(first,))),
        day("2026-03-04", repo([commit(3, "Part two", committed_at=NOON + timedelta(days=2))], stories=(second,))),
    )
    return shelf


def test_a_story_is_joined_over_days_by_its_id() -> None:
    shelf = two_days()
    found = Joined([summary_of(shelf.day(label)) for label in shelf.labels()]).stories[KEY]  # type: ignore[arg-type]
    assert [(one.sha[-1], one.subject, one.label) for one in found.changes] == [
        ("1", "", None),
        ("2", "Part one", "2026-03-02"),
        ("3", "Part two", "2026-03-04"),
    ]
    assert [one.label for one in found.tellings] == ["2026-03-04", "2026-03-02"]
    assert found.net["en"].endswith("it is complete.")
    assert not found.open
    assert found.broken is not None


def test_its_page_has_what_each_day_said_and_links_that_fit_what_is_known(tmp_path: Path) -> None:
    page = shown(StoryPages(ground(two_days(), tmp_path)), "en/stories/acme-engine/series-1.html")
    assert "3 commits · reports that tell of it: 2" in page
    assert "2026-03-02 12:00 to 2026-03-02 14:00" in page
    assert parsed(page).text.count("Series x: ") == 3  # net effect, and both reports
    assert f'href="https://example.org/acme/engine/commit/{1:040x}"' in page  # no report tells it
    assert f'href="../../changes/acme-engine/{2:040x}'[:-28] in page
    assert 'href="../../days/2026-03-04.html"' in page
    assert parsed(page).wrong == []


def test_one_day_alone_is_not_told_twice(tmp_path: Path) -> None:
    shelf = two_days()
    del shelf.stored["2026-03-04"]
    page = shown(StoryPages(ground(shelf, tmp_path)), "zh/stories/acme-engine/series-1.html")
    assert "各日报的说法" not in page
    assert "未了结" in page


def test_a_story_across_repositories_has_its_steps_and_changes_in_their_homes(tmp_path: Path) -> None:
    release = Step("released", "acme/kernels", NOON, "v1.0", ("release:acme/kernels@v1.0",))
    taken = Step("taken", "acme/engine", NOON + timedelta(hours=1), "1.0", (f"commit:{5:040x}",))
    text = both("`acme/kernels`：发布", "`acme/kernels`: released")
    across = CrossStory(
        id="across-1",
        target="acme/kernels",
        repos=("acme/kernels", "acme/engine"),
        net=text,
        commits=(f"{4:040x}", f"{5:040x}"),
        steps=(release, taken),
    )
    earlier = Earlier("acme/kernels", f"{4:040x}", NOON - timedelta(days=3), "Before all")
    shelf = Shelf()
    told = Across(stories=(across,), earlier=(earlier,))
    shelf.put(day("2026-03-02", repo([commit(5, "Bump")]), repo(name="acme/kernels"), across=told))
    page = shown(StoryPages(ground(shelf, tmp_path)), "en/stories/acme-kernels/across-1.html")
    assert "Before all" in page
    assert re.search(r"released.*v1\.0.*took.*1\.0", page, re.DOTALL)
    assert 'href="../../changes/acme-engine/' in page
    assert 'href="../../repos/acme-engine.html"' in page


def test_stories_that_share_a_change_name_each_other_and_not_without_end() -> None:
    many = tuple(story(f"fixup-{at:03}", "fixup", (1, at + 10)) for at in range(RELATED + 5))
    lone = story("fixup-lone", "fixup", (999,))
    stories = Joined([summary_of(day("2026-03-02", repo([commit(1)], stories=(*many, lone))))]).stories
    one = stories["acme/engine", "fixup-000"]
    assert len(one.related) == RELATED
    assert one.related_more == 4
    assert "fixup-000" not in [name for _, name, _, _ in one.related]
    assert stories["acme/engine", "fixup-lone"].related == ()


def test_a_story_that_a_later_day_tells_further_says_so_and_leads_there(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put(day("2026-03-02", repo([commit(2)], stories=(story("fixup-1-2", "fixup", (1, 2)),))))
    shelf.put(day("2026-03-03", repo([commit(3)], stories=(story("fixup-1-3", "fixup", (1, 2, 3)),))))
    pages = StoryPages(ground(shelf, tmp_path))
    old, new = (shown(pages, f"en/stories/acme-engine/fixup-1-{n}.html") for n in (2, 3))
    assert 'This is how it stood then; <a href="fixup-1-3.html">a newer story</a>' in old
    assert "how it stood then" not in new


def test_a_new_day_changes_only_the_stories_it_tells(tmp_path: Path) -> None:
    shelf = two_days()
    shelf.put(day("2026-03-05", repo([commit(7)], stories=(story("fixup-7", "fixup", (7,)),))))
    pages = StoryPages(ground(shelf, tmp_path))
    before = dict(pages.keys())
    shelf.put(day("2026-03-06", repo([commit(8)], stories=(story("fixup-8", "fixup", (8,)),))))
    after = dict(pages.keys())
    assert {path for path in after if after[path] != before.get(path)} == {
        f"{language}/stories/acme-engine/fixup-8.html" for language in ("zh", "en")
    }


def test_an_unknown_story_is_no_page(tmp_path: Path) -> None:
    pages = StoryPages(ground(two_days(), tmp_path))
    for path in (
        "en/stories/acme-engine/none.html",
        "en/stories/",
        "en/stories/../status.html",
        "xx/stories/acme-engine/series-1.html",
    ):
        assert pages.page(path) is None
