"""The home page: what the newest day says, how large recent days were, and what each repository did."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from both_languages import both
from daybreak.core.model.day import Action, Day
from daybreak.site.charts import size_bar, sparkline
from daybreak.site.pages.templates import said
from daybreak.site.pages.views import HomePages
from pages import shelf
from pages.building import parsed


def day_of(label: str, *subjects: str, act: bool = True) -> Day:
    start = int(label.replace("-", "")) * 100
    changes = [shelf.commit(start + number, subject=one, breaking=act) for number, one in enumerate(subjects)]
    day = shelf.day(label, shelf.repo(changes))
    first = changes[0]
    text = both(
        f"「{first.subject}」：删除参数 `--x`（`a/b/c/d.py`）。", f"“{first.subject}”: removes `--x` (`a/b/c/d.py`)."
    )
    actions = (Action("acme/engine", (first.sha,), text, tag="breaks"),) if act else ()
    return replace(day, actions=actions, headline=both(f"破坏 · {first.subject}", f"BREAKS · {first.subject}"))


def home(base: Path, *days: Day, language: str = "en") -> str:
    stored = shelf.Shelf()
    stored.put(*days)
    return shelf.shown(HomePages(shelf.ground(stored, base)), f"{language}/index.html")


def test_the_newest_days_headline_and_first_screen_come_first(tmp_path: Path) -> None:
    page = home(tmp_path, day_of("2026-03-01", "Old one"), day_of("2026-03-02", "Drop the flag", "Second"))
    text = parsed(page).text
    assert "<h1><a" in page
    assert text.index("BREAKS · Drop the flag") < text.index("removes --x") < text.index("BREAKS · Old one")
    assert 'class="title"' in page  # a quoted title is a link in plain letters, no box of code
    assert "<code" in page
    assert '<span class="path"><i>a/b/</i>c/d.py</span>' in page  # a path is shown by its end


def test_each_recent_day_has_its_headline_its_size_and_its_breaks(tmp_path: Path) -> None:
    page = home(tmp_path, day_of("2026-03-01", "Old one"), day_of("2026-03-02", "Drop the flag", "Second"))
    assert page.count('class="size-bar"') == 2
    assert "2 commits" in page
    assert page.count("data-label=") == 3  # both days, and the newest once more: so a visitor is told what is new


def test_weeks_months_and_pictures_are_led_to_however_many_weeks_there_are(tmp_path: Path) -> None:
    place = tmp_path / "reports"
    place.mkdir(parents=True)
    for label in ("2026-02", "2026-W07", "2026-W08", "2026-W09", "2026-W10", "2026-W77"):
        (place / f"{label}.json").write_text("{}")
    page = home(tmp_path, day_of("2026-03-02", "Drop the flag"))
    assert 'rollups/2026-W10.html">2026-W10</a> <small>03-02 – 03-08</small>' in page
    assert 'rollups/2026-02.html">2026-02</a>' in page
    for picture in ("breaks", "pins", "broken", "folders"):
        assert f'compare.html#{picture}"' in page


def test_a_repository_has_its_days_as_a_picture_with_the_figures_in_words(tmp_path: Path) -> None:
    page = home(tmp_path, day_of("2026-03-01", "Old one"), day_of("2026-03-02", "Drop the flag", "Second"))
    assert 'aria-label="Commits a day of acme/engine: 1, 2"' in page
    assert "3 commits in 2 days" in page


def test_after_a_quiet_day_the_last_day_with_something_to_act_on_is_shown(tmp_path: Path) -> None:
    busy, quiet = day_of("2026-03-01", "Drop the flag"), day_of("2026-03-02", "docs only", act=False)
    page = parsed(home(tmp_path, busy, quiet)).text
    assert "The last day with something to act on: 2026-03-01" in page
    assert "removes --x" in page
    assert "最近有事要做的一天：2026-03-01" in home(tmp_path, busy, quiet, language="zh")
    later = day_of("2026-03-03", "Drop another")
    assert "The last day with something to act on" not in home(tmp_path, busy, quiet, later)


def test_a_day_without_a_commit_is_a_line_above_the_last_day_with_something(tmp_path: Path) -> None:
    empty = replace(shelf.day("2026-03-02", shelf.repo([])), headline=both("没有提交", "Nothing landed"))
    page = home(tmp_path, day_of("2026-03-01", "Drop the flag"), empty)
    first = parsed(page[page.index("<h1>") : page.index("</h1>")]).text
    assert first == "2026-03-01 · BREAKS · Drop the flag"
    assert page.index("Nothing landed") < page.index("<h1>")


def test_under_a_headline_stands_what_went_wrong_and_which_release_has_it(tmp_path: Path) -> None:
    said = "“Mend the stride”: a comment says: “It was silently corrupting rows.” `v1` has this fault; the fix cherry-picks cleanly."
    day = day_of("2026-03-02", "Mend the stride")
    told = replace(day, actions=(replace(day.actions[0], text=both(said, said), tag="corrupts"),))
    lead = home(tmp_path, told).partition('<p class="lead">')[2].partition("</p>")[0]
    assert parsed(lead).text == "“It was silently corrupting rows.” v1 has this fault; the fix cherry-picks cleanly."


def test_small_pictures_hold_for_days_without_anything() -> None:
    assert "<svg" in size_bar(0, 0, 0)
    assert "<svg" in sparkline((), (), "nothing")
    assert "&lt;x&gt;" in sparkline((1,), (1,), "<x>")


def test_boxes_are_for_symbols_only() -> None:
    shown = said("`Fix it now`: `--flag` in `python/srt/server_args.py`", lambda piece: piece == "Fix it now")
    assert shown == (
        '<q>Fix it now</q>: <code class="w">--flag</code> in <span class="path"><i>python/</i>srt/server_args.py</span>'
    )
    assert "<code" in said("`/v1/models`")
    assert "<code" in said("`a/b`")


def test_every_project_says_how_much_breaks_today_and_leads_there(tmp_path: Path) -> None:
    repos = (
        shelf.repo([shelf.commit(1, breaking=True), shelf.commit(2)]),
        shelf.repo([shelf.commit(3)], name="acme/kernels"),
        shelf.repo(name="acme/quiet"),
        replace(shelf.repo(name="acme/lost"), in_git=None),
    )
    page = home(tmp_path, shelf.day("2026-03-02", *repos))
    text = parsed(page[page.index('<nav class="projects"') :]).text
    assert (
        text.index("engine 1")
        < text.index("kernels none")
        < text.index("quiet no commits")
        < text.index("lost not read")
    )
    assert 'href="repos/acme-engine.html#newest"' in page


def test_a_project_that_breaks_forks_alone_says_so_and_what_is_sought_stands_before_the_list(tmp_path: Path) -> None:
    inside = shelf.finding("internal_field_removed", "Pool.size", breaking=True)
    page = home(tmp_path, shelf.day("2026-03-02", shelf.repo([replace(shelf.commit(1), findings=(inside,))])))
    assert "engine none (1 for forks)" in parsed(page).text
    quick = page[page.index('<nav class="quick"') : page.index('<nav class="projects"')]
    assert [part in quick for part in ("compare.html#broken", "compare.html#pins", "search.html")] == [True] * 3


def test_what_is_only_worth_knowing_has_the_tag_of_its_kind_and_what_breaks_its_own(tmp_path: Path) -> None:
    told = [shelf.commit(1, breaking=True), shelf.commit(2, kind="perf")]
    actions = tuple(Action("acme/engine", (one.sha,), both("一句。", "A sentence.")) for one in told)
    page = home(tmp_path, replace(shelf.day("2026-03-02", shelf.repo(told)), actions=actions))
    assert ">BREAKS</b>" in page
    assert ">performance</b>" in page
