"""Days that are no longer among the newest: every change stays, and nothing is written twice."""

from __future__ import annotations

import re
from pathlib import Path

from both_languages import both
from daybreak.core.model.day import Action, Commit, PullRef, Statement, Tells
from daybreak.site.pages import FRESH
from daybreak.site.pages.days import COMPONENTS, ChangePages, DayPages
from daybreak.site.pages.views import StoryPages
from pages.building import parsed
from pages.shelf import Shelf, commit, day, finding, ground, repo, shown, story

OLD, NEW = "2026-03-01", f"2026-03-{FRESH + 1:02}"
ONE = f"{1:040x}"


def says(text: str) -> Statement:
    return Statement(role="what", text=both(text, text))


def days_of(*changes: Commit) -> Shelf:
    """As many days as make the first of them old; the first and the last tell the same changes."""
    shelf = Shelf()
    for at in range(1, FRESH + 2):
        label = f"2026-03-{at:02}"
        shelf.put(day(label, repo(changes if label in (OLD, NEW) else ())))
    return shelf


def test_an_address_of_an_old_change_leads_to_its_place_on_the_day_in_few_bytes(tmp_path: Path) -> None:
    shelf = days_of(commit(1, "A <title>"))
    shelf.stored.pop(NEW)
    shelf.put(day(NEW, repo()))
    page = shown(ChangePages(ground(shelf, tmp_path)), f"en/changes/acme-engine/{ONE[:12]}.html")
    place = f"../../days/{OLD}.html#c-{ONE[:12]}"
    assert f'content="0;url={place}"' in page
    assert f'<a href="{place}">' in page  # where nothing is led on
    assert "<title>A &lt;title&gt;</title>" in page  # what a chat shows under a link
    assert len(page) < 320


def test_a_finding_that_a_sentence_tells_whole_is_not_listed_beside_it(tmp_path: Path) -> None:
    told = finding("default_changed", "--depth", before="1", after="2")
    half = finding("default_changed", "--width", before="10", after="20")
    gone = finding("function_removed", "turn", before="def turn(page):", after=None)
    sentences = (says("`--depth`: `1` → `2`."), says("`--width` has another default."), says("`turn` is gone."))
    change = commit(1, marks=("internals",), findings=(told, half, gone), statements=sentences)
    pages = DayPages(ground(days_of(change), tmp_path))
    for label in (OLD, NEW):  # what is told in few words of a new day is told as often
        text = shown(pages, f"en/days/{label}.html")
        assert text.count('<code class="sym">') == 1
        assert '<code class="sym">--width</code>' in text


def test_a_row_keeps_what_it_says_when_it_is_opened_unless_that_stands_below(tmp_path: Path) -> None:
    short, long = "`--x` is gone.", "`--y` " + "does very much " * 30
    changes = (
        commit(1, tells=Tells(both(short, short), "quote"), statements=(says(short),)),
        commit(2, tells=Tells(both(long, long), "quote"), statements=(says(long),)),
        commit(3, tells=Tells(both(long, long), "quote")),
    )
    text = shown(DayPages(ground(days_of(*changes), tmp_path)), f"en/days/{NEW}.html")
    assert re.findall(r'<span class="(gist[^"]*)"', text) == ["gist", "gist again", "gist"]


def test_an_old_change_leads_to_the_forge(tmp_path: Path) -> None:
    change = commit(1, url=f"https://example.org/acme/engine/commit/{ONE}")
    pages = DayPages(ground(days_of(change), tmp_path))
    old, new = (parsed(shown(pages, f"en/days/{label}.html")).links for label in (OLD, NEW))
    assert f"https://example.org/acme/engine/commit/{ONE[:12]}" in old
    assert f"https://example.org/acme/engine/commit/{ONE}" in new


def test_an_old_change_with_a_pull_request_leads_to_that_alone(tmp_path: Path) -> None:
    own, pull = f"https://example.org/acme/engine/commit/{ONE}", "https://example.org/acme/engine/pull/7"
    pages = DayPages(ground(days_of(commit(1, url=own, pr=PullRef(7, pull))), tmp_path))
    old, new = (shown(pages, f"en/days/{label}.html") for label in (OLD, NEW))
    assert pull in old
    assert own[:-28] not in old
    assert f"<code>{ONE[:9]}</code>" in old
    assert own in new


def test_the_folders_that_a_filter_offers_are_those_with_most_changes(tmp_path: Path) -> None:
    many = [commit(n, components=tuple(f"part{at:02}" for at in range(30) if at != n)) for n in range(3)]
    shelf = Shelf()
    shelf.put(day(NEW, repo(many)))
    page = shown(DayPages(ground(shelf, tmp_path)), f"en/days/{NEW}.html")
    offered = re.findall(r'<option value="(part\d\d)"', page)
    assert len(offered) == COMPONENTS
    assert "part00" not in offered, "two changes of three"


def test_the_filter_counts_as_the_head_does_and_names_late_changes_beside(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put(day(NEW, repo([commit(1, level="high")], late=(commit(2, level="high"),))))
    page = shown(DayPages(ground(shelf, tmp_path)), f"en/days/{NEW}.html")
    chip = page.split('value="high">')[1].split("</label>")[0]
    assert ">1+1</small>" in chip
    assert "+1" in chip.split('title="')[1].split('"')[0]


def test_stories_that_old_days_alone_tell_share_a_page_of_their_month_and_keep_their_addresses(tmp_path: Path) -> None:
    shelf = days_of(commit(1))
    told = tuple(story(f"fixup-{n}", "fixup", (1, n), f"Story {n}.") for n in (8, 9))
    shelf.put(day(OLD, repo([commit(1, "It began")], stories=told)))
    shelf.put(day(NEW, repo(stories=(story("fixup-7", "fixup", (7,)),))))
    pages = StoryPages(ground(shelf, tmp_path))
    led = shown(pages, "en/stories/acme-engine/fixup-9.html")
    assert 'content="0;url=month-2026-03.html#fixup-9"' in led
    assert len(led) < 320
    month = shown(pages, "en/stories/acme-engine/month-2026-03.html")
    assert [f'<article id="fixup-{n}">' in month for n in (7, 8, 9)] == [False, True, True]
    assert "Story 9." in month
    assert parsed(month).wrong == []
    assert "<h1>" in shown(pages, "en/stories/acme-engine/fixup-7.html"), "a newer day tells it"


def test_lists_above_the_changes_of_an_old_day_have_titles_alone(tmp_path: Path) -> None:
    told = commit(1, "Rework plans")
    also = (Action("acme/engine", (told.sha,), both("说得很长。", "Says it at length."), tag="fork"),)
    shelf = days_of(told)
    for label in (OLD, NEW):
        shelf.put(day(label, repo((told,)), also=also))
    pages = DayPages(ground(shelf, tmp_path))
    old, new = (parsed(shown(pages, f"en/days/{label}.html").partition("<main")[2]).text for label in (OLD, NEW))
    assert "Says it at length" in new
    assert "Says it at length" not in old
    assert "FORK engine 000000000 Rework plans" in " ".join(old.split())
